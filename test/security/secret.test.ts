/** The secret of a deployment, and the keys derived from it. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError } from '../../src/kernel/config-error.ts';
import { deriveKeys, loadOrCreateSecret } from '../../src/kernel/secrets/secret.ts';

let base: string;
let directory: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'postern-secret-'));
  directory = join(base, 'data');
});
afterEach(() => rm(base, { recursive: true, force: true }));

const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test('the first start creates it, readable by this user only, and later starts load the same one', async () => {
  const made = await loadOrCreateSecret(directory, randomBytes);
  expect(made).toMatch(/^[\w-]{43}$/);
  expect(await loadOrCreateSecret(directory, randomBytes)).toBe(made);
  expect(await readFile(join(directory, 'secret'), 'utf8')).toBe(made);
  expect([await mode(directory), await mode(join(directory, 'secret'))]).toEqual(['700', '600']);
  expect(await readdir(directory)).toEqual(['secret']);
});

test('processes that start together all get the same complete secret', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateSecret(directory, randomBytes)));
  expect(new Set(all).size).toBe(1);
  expect(await readdir(directory)).toEqual(['secret']);
});

test('a damaged file is refused: the error names the file and does not show its content', async () => {
  await loadOrCreateSecret(directory, randomBytes);
  await writeFile(join(directory, 'secret'), 'too short to use');
  const refusal = await loadOrCreateSecret(directory, randomBytes).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConfigError);
  expect((refusal as Error).message).toContain(join(directory, 'secret'));
  expect((refusal as Error).message).not.toContain('too short to use');
});

test('each purpose has its own key, and equal secrets give equal keys', () => {
  const secret = randomBytes(32).toString('base64url');
  const hex = (of: string, purpose: 'graphql-cursors' | 'rest-cursors') =>
    Buffer.from(deriveKeys(of)(purpose)).toString('hex');
  expect(hex(secret, 'rest-cursors')).toMatch(/^[0-9a-f]{64}$/);
  expect(hex(secret, 'rest-cursors')).toBe(hex(secret, 'rest-cursors'));
  expect(hex(secret, 'rest-cursors')).not.toBe(hex(secret, 'graphql-cursors'));
  expect(hex(secret, 'rest-cursors')).not.toBe(hex(`${secret}x`, 'rest-cursors'));
});
