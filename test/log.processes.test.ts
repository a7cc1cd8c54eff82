/** A log that cannot be written: the process goes on, and stops in order. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { readable } from '../src/kernel/readable-log.ts';
import { canMount, mountSmall } from './support/mounts.ts';
import { temporaryDirectory } from './support/process.ts';
import { freePort } from './support/reverse-proxy.ts';

/** Starts a gateway that logs every request. @param stdout a file descriptor, or a pipe */
async function start(directory: string, stdout: number | 'pipe') {
  const port = await freePort();
  const DATABASE_URL = `sqlite:${join(directory, 'postern.db')}`;
  const child = spawn(process.execPath, ['src/app/main.js'], {
    env: { PORT: String(port), DATABASE_URL, DEMO: 'off', LOG_LEVEL: 'info' },
    stdio: ['ignore', stdout, 'pipe'],
  });
  const address = `http://127.0.0.1:${port}`;
  const request = () => fetch(`${address}/nowhere`).then(({ status }) => status);
  await expect.poll(() => request().catch(() => 0)).toBe(404);
  return {
    child,
    request,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await once(child, 'exit');
      return code as number;
    },
  };
}

test('when nobody reads it any more', async () => {
  await using directory = await temporaryDirectory();
  const { child, request, stop } = await start(directory.path, 'pipe');
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (let count = 0; count < 20; count += 1) expect(await request()).toBe(404);
  expect(await stop()).toBe(0);
});

test.skipIf(!canMount)('while the disk is full: what was not written is written later', async () => {
  await using directory = await temporaryDirectory();
  using disk = mountSmall('256k');
  const file = join(disk.path, 'log');
  const log = openSync(file, 'a');
  const { request, stop } = await start(directory.path, log);
  closeSync(log);
  const filler = join(disk.path, 'filler');
  const { bavail, bsize } = statfsSync(disk.path);
  writeFileSync(filler, Buffer.alloc(bavail * bsize));
  expect(statfsSync(disk.path).bavail).toBe(0);
  for (let count = 0; count < 50; count += 1) expect(await request()).toBe(404);
  rmSync(filler);
  expect(await request()).toBe(404);
  expect(await stop()).toBe(0);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const requests = lines.map((line) => JSON.parse(line)).filter(({ path }) => path === '/nowhere');
  expect(requests.length).toBeGreaterThanOrEqual(52);
});

test('a line that is almost too long takes none of the others with it', async () => {
  const program = `
    import { openLog } from './src/kernel/log.ts';
    const logger = openLog('info', null, []);
    for (let count = 0; count < 100; count += 1) logger.info('before');
    logger.info({ filler: 'x'.repeat(1_040_000) }, 'long');
    logger.info('after');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = (await text(child.stdout)).trimEnd().split('\n');
  const before = Array.from({ length: 100 }, () => 'before');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([...before, 'long', 'after']);
});

test('at a terminal lines are for people, and control characters of clients are not obeyed', async () => {
  const lines = readable(
    [
      {
        level: 30,
        time: Date.now(),
        version: '1',
        pid: 1,
        hostname: 'h',
        path: '/\u001b[2J\u009b',
        ms: 3,
        msg: 'request',
      },
      {
        level: 50,
        time: Date.now(),
        err: { type: 'Error', message: 'no', stack: 'Error: no\n    at\u0007 here' },
        msg: 'failed',
      },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
    { stream: new PassThrough(), hasSiblings: false },
  );
  expect(lines.split('\n')).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d INFO {2}request path="?\/\\u001b\[2J\\u009b"? ms=3$/),
    expect.stringMatching(/^\d\d:\d\d:\d\d ERROR failed$/),
    'Error: no',
    '    at\\u0007 here',
    '',
  ]);
});

test.skipIf(spawnSync('script', ['--version']).error !== undefined)('a start at a terminal is readable', async () => {
  await using directory = await temporaryDirectory();
  const start = `${process.execPath} src/app/main.js`;
  const child = spawn('script', ['-qec', `DATABASE_URL=sqlite:${directory.path}/p.db PORT=0 ${start}`, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  await expect.poll(() => shown, { timeout: 20_000 }).toMatch(/GraphiQL and GraphQL: http/);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  expect(stripVTControlCharacters(shown)).toMatch(/\d\d:\d\d:\d\d INFO {2}Server listening at http/);
  expect(shown).not.toContain('"msg"');
});
