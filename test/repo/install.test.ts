/** Installation: the script that checks the Node.js of the project after `npm ci`. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';

const { engines, scripts } = z
  .object({ engines: z.object({ node: z.string() }), scripts: z.object({ postinstall: z.string() }) })
  .parse(JSON.parse(await readFile('package.json', 'utf8')));

/** Runs the check as if Node.js had another version. */
async function checkOn(version: string): Promise<string> {
  const code = /^node -e "(.*)"$/.exec(scripts.postinstall)?.[1] ?? '';
  const pretence = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  const ended = promisify(execFile)(process.execPath, ['-e', pretence + code]);
  return ended.then(
    () => 'passes',
    ({ stderr }: { stderr: string }) => stderr,
  );
}

test('the check asks for the version of "engines"', () => {
  expect(scripts.postinstall).toContain(`'${engines.node.replace('>=', '')}'`);
  expect(scripts.postinstall).toContain(`Node.js ${engines.node.replace('>=', '')} or newer`);
});

test.each(['22.19.0', '22.20.1', '24.0.0', '100.0.0'])('Node.js %s passes', async (version) => {
  expect(await checkOn(version)).toBe('passes');
});

test.each(['20.20.2', '22.9.0', '22.18.9', '8.0.0'])('Node.js %s is refused, with the reason', async (version) => {
  expect(await checkOn(version)).toContain('Postern needs Node.js 22.19 or newer.');
});

test('the headers of Node.js, a sixth of the install that only native addons need, are not kept', async () => {
  const packages = (await readdir('node_modules')).filter((name) => name.startsWith('node-linux-'));
  const files = await Promise.all(packages.map((name) => readdir(`node_modules/${name}`)));
  expect(files.flat()).not.toContain('include');
});

test('no declaration with `using`, which Node.js 22 cannot parse, and stripping types leaves as it is', async () => {
  const files = (await readdir('src', { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(`src/${file}`, 'utf8') })));
  expect(texts.length).toBeGreaterThan(100);
  expect(texts.filter(({ text }) => /^\s*(?:await )?using \w+ =/m.test(text)).map(({ file }) => file)).toEqual([]);
});
