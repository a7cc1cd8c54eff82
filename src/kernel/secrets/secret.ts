/** One derived key per purpose. In a change of secrets, the current one writes and the previous one still reads. */
import { hkdfSync } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config-error.ts';
import type { RandomBytes } from '../ids.ts';

/** `webhook-secrets` are all that a database keeps sealed: tokens of accounts, too. */
type Purpose = 'graphql-cursors' | 'rest-cursors' | 'webhook-secrets' | 'access-tokens' | 'intake' | 'check';

/** The key to write with, and those that only read. */
export interface Keys {
  readonly current: Uint8Array;
  readonly previous: readonly Uint8Array[];
}

export interface Secrets {
  readonly current: string;
  readonly previous: string | undefined;
  /** `SECRET`, or a file's path. */
  readonly origin: string;
}

export type Keyring = (purpose: Purpose) => Keys;

/** HKDF (RFC 5869) with SHA-256. */
export const deriveKeys =
  (secret: string) =>
  (purpose: Purpose): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secret, 'postern', purpose, 32));

export const keyringOf =
  ({ current, previous }: Pick<Secrets, 'current' | 'previous'>): Keyring =>
  (purpose) => ({
    current: deriveKeys(current)(purpose),
    previous: previous === undefined ? [] : [deriveKeys(previous)(purpose)],
  });

interface SecretConfig {
  readonly secret: string | undefined;
  readonly previousSecret: string | undefined;
  readonly production: boolean;
  readonly database: { readonly kind: 'sqlite' | 'postgres' };
  readonly dataDirectory: string;
}

/**
 * Without configured secrets, a file of the data directory has one. Outside production the first start creates it; in
 * production nothing is made up, as processes that share a Postgres server have no file in common.
 * @throws ConfigError without a usable secret
 */
export async function findSecrets(config: SecretConfig, randomBytes: RandomBytes): Promise<Secrets> {
  const { secret, previousSecret: previous, production, database, dataDirectory } = config;
  if (secret !== undefined) return { current: secret, previous, origin: 'SECRET' };
  const origin = secretFile(dataDirectory);
  if (production && (database.kind === 'postgres' || (await readIfExists(origin)) === null)) {
    throw new ConfigError('SECRET must be set in production: create one with "openssl rand -base64 32"');
  }
  return { current: await loadOrCreateSecret(dataDirectory, randomBytes), previous, origin };
}

export const secretFile = (directory: string): string => join(directory, 'secret');

/** The first process creates the file. @throws ConfigError for a file without a usable secret */
export async function loadOrCreateSecret(directory: string, randomBytes: RandomBytes): Promise<string> {
  const file = secretFile(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const secret = (await readIfExists(file)) ?? (await createSecret(file, randomBytes));
  if (secret.length >= 32) return secret;
  throw new ConfigError(
    `SECRET is not set, and ${file} is damaged: restore the file, or set SECRET to its former content`,
  );
}

/** Links a complete file into place: no process that starts at the same time reads half a secret. */
async function createSecret(file: string, randomBytes: RandomBytes): Promise<string> {
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

/** @returns null if there is no such file */
export async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
