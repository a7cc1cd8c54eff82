/** A log that cannot be written: the process goes on, and stops in order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
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
