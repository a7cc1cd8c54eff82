/** The one secret of a deployment, and the keys that are derived from it: each use has a key of its own. */
import { hkdfSync } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RandomBytes } from './accounts/ids.ts';

/** 32 bytes for one purpose, the same for the same secret. */
export type DeriveKey = (purpose: 'graphql-cursors' | 'rest-cursors' | 'webhook-secrets') => Uint8Array;

export const keysFrom =
  (secret: string): DeriveKey =>
  (purpose) =>
    new Uint8Array(hkdfSync('sha256', secret, 'postern', purpose, 32));

/** The secret of the data directory; the first process that needs it makes it. */
export async function keptSecret(directory: string, randomBytes: RandomBytes): Promise<string> {
  const file = join(directory, 'secret');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  try {
    await using handle = await open(file, 'wx', 0o600);
    await handle.writeFile(randomBytes(32).toString('base64url'));
    await handle.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const secret = await readFile(file, 'utf8');
  // Another process may have made the file and not yet written it: a short secret must never be used.
  if (secret.length < 32) throw new Error(`${file} is being written or is damaged: start again, or delete it`);
  return secret;
}
