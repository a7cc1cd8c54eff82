/** The README's unit of systemd: systemd accepts it, and a gateway starts with its environment and its command. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { snippet } from '../support/docs.ts';
import { temporaryDirectory } from '../support/process.ts';
import { freePort } from '../support/reverse-proxy.ts';
import { hasSystemdAnalyze } from '../support/servers.ts';

const project = join(import.meta.dirname, '../..');
/** The project is where the unit expects it. */
const unit = snippet('Deployment', 'ini').replaceAll('/opt/postern', project);

const valuesOf = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

async function folder() {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

describe.skipIf(!hasSystemdAnalyze)('systemd-analyze', () => {
  test('finds nothing wrong', async () => {
    const file = join(await folder(), 'postern@4000.service');
    writeFileSync(file, unit);
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    // It also reports what is wrong with other units of the machine.
    const ours = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('postern@'));
    expect({ status, ours }).toEqual({ status: 0, ours: [] });
  });

  test('would find a wrong line', async () => {
    const file = join(await folder(), 'postern@4000.service');
    writeFileSync(
      file,
      unit.replace('ProtectHome=true', 'ProtectHome=maybe').replace('ExecStart=', 'ExecStart=/missing'),
    );
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect(stdout + stderr).toContain('Failed to parse protect home value');
    expect(stdout + stderr).toContain('/missing');
  });

  test('rates its exposure as OK', async () => {
    const file = join(await folder(), 'postern@4000.service');
    writeFileSync(file, unit);
    const rating = execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], {
      encoding: 'utf8',
    });
    expect(rating).toMatch(/Overall exposure level for \S+: [01]\.\d OK/);
  });
});

test('a gateway starts with the environment and the command of the unit', async () => {
  const directory = await folder();
  const port = String(await freePort());
  const credentials = join(directory, 'credentials');
  mkdirSync(credentials);
  const replaced = unit
    .replaceAll('%i', port)
    .replaceAll('%d', credentials)
    .replaceAll('%C', join(directory, 'cache'))
    .replaceAll('/var/lib/postern', directory);
  // What only systemd replaces would be taken as it is: as a path, in the project.
  expect(replaced).not.toMatch(/%[a-zA-Z]/);
  // As the section makes it.
  const secret = `umask 077; openssl rand -base64 32 | install -D -m 600 /dev/stdin ${credentials}/secret`;
  execFileSync('sh', ['-c', secret]);
  const environment = Object.fromEntries(
    valuesOf(replaced, 'Environment')
      .flatMap((line) => line.split(' '))
      .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  const [program = '', ...args] = valuesOf(replaced, 'ExecStart')[0]?.split(' ') ?? [];
  const child = spawn(program, args, { cwd: valuesOf(replaced, 'WorkingDirectory')[0], env: environment });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status;
  await expect.poll(ready).toBe(200);
});
