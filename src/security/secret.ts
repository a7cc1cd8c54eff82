/** The one secret of a deployment, and the keys derived from it: one for each purpose. */
import { hkdfSync } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';
import type { RandomBytes } from '../ids.ts';

/** Derives the 32-byte key for a purpose. Equal secrets give equal keys. */
export type DeriveKey = (purpose: 'graphql-cursors' | 'rest-cursors' | 'webhook-secrets') => Uint8Array;

/** Key derivation by HKDF (RFC 5869) with SHA-256. */
export const deriveKeys =
  (secret: string): DeriveKey =>
  (purpose) =>
    new Uint8Array(hkdfSync('sha256', secret, 'postern', purpose, 32));

/**
 * Loads the secret from the data directory; the first process that needs it creates it.
 * @throws ConfigError when the file exists but contains no usable secret
 */
export async function loadOrCreateSecret(directory: string, randomBytes: RandomBytes): Promise<string> {
  const file = join(directory, 'secret');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const secret = (await readIfExists(file)) ?? (await create(file, randomBytes));
  if (secret.length >= 32) return secret;
  throw new ConfigError(
    `SECRET is not set, and ${file} is damaged: restore the file, or set SECRET to its former content`,
  );
}

/** Links a complete file into place, so that no process that starts at the same time reads half a secret. */
async function create(file: string, randomBytes: RandomBytes): Promise<string> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFile(draft, randomBytes(32).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(file, 'utf8');
}

async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
