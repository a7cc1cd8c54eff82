/** The one secret of a deployment, and the keys that are derived from it: each use has a key of its own. */
import { hkdfSync } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config.ts';
import type { RandomBytes } from '../ids.ts';

/** 32 bytes for one purpose, the same for the same secret. */
export type DeriveKey = (purpose: 'graphql-cursors' | 'rest-cursors' | 'webhook-secrets') => Uint8Array;

export const keysFrom =
  (secret: string): DeriveKey =>
  (purpose) =>
    new Uint8Array(hkdfSync('sha256', secret, 'postern', purpose, 32));

/**
 * The secret of the data directory; the first process that needs it makes it.
 * @throws ConfigError for a file that holds none
 */
export async function keptSecret(directory: string, randomBytes: RandomBytes): Promise<string> {
  const file = join(directory, 'secret');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const kept = (await readIfThere(file)) ?? (await make(file, randomBytes));
  if (kept.length >= 32) return kept;
  throw new ConfigError(`SECRET is not set, and ${file} is damaged: restore the file, or set SECRET to what it held`);
}

/** The file appears with all that is in it, so that of processes which start together none reads half a secret. */
async function make(file: string, randomBytes: RandomBytes): Promise<string> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await using handle = await open(draft, 'wx', 0o600);
    await handle.writeFile(randomBytes(32).toString('base64url'));
    await handle.sync();
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(file, 'utf8');
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
