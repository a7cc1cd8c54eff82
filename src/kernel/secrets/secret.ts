/**
 * The secret of a deployment, and the keys derived from it: one for each purpose. While it is being changed there are two:
 * what is written uses the current one, and what was written with the previous one can be read.
 */
import { hkdfSync } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config-error.ts';
import type { RandomBytes } from '../ids.ts';

/** Derives the 32-byte key for a purpose. Equal secrets give equal keys. */
export type DeriveKey = (purpose: Purpose) => Uint8Array;

export type Purpose = 'graphql-cursors' | 'rest-cursors' | 'webhook-secrets' | 'check';

/** The keys for a purpose: the one to write with, and those that only read. */
export interface Keys {
  readonly current: Uint8Array;
  readonly previous: readonly Uint8Array[];
}

export interface Secrets {
  readonly current: string;
  readonly previous: string | undefined;
  /** Where the current one is from: `SECRET`, or the path of a file. */
  readonly origin: string;
}

export type Keyring = (purpose: Purpose) => Keys;

/** Key derivation by HKDF (RFC 5869) with SHA-256. */
export const deriveKeys =
  (secret: string): DeriveKey =>
  (purpose) =>
    new Uint8Array(hkdfSync('sha256', secret, 'postern', purpose, 32));

export const keyringOf =
  ({ current, previous }: Pick<Secrets, 'current' | 'previous'>): Keyring =>
  (purpose) => ({
    current: deriveKeys(current)(purpose),
    previous: previous === undefined ? [] : [deriveKeys(previous)(purpose)],
  });

/** The part of the configuration that says where secrets are. */
interface SecretConfig {
  readonly secret: string | undefined;
  readonly previousSecret: string | undefined;
  readonly production: boolean;
  readonly database: { readonly kind: 'sqlite' | 'postgres' };
  readonly dataDirectory: string;
}

/**
 * The secrets of the configuration. Without one, a file in the data directory has it. Outside production the first start
 * creates that file; in production nothing is made up, and processes that share a Postgres server have no file in common.
 * @throws ConfigError when there is none, or the file contains no usable secret
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

/** The file that has the secret of a deployment without `SECRET`. */
export const secretFile = (directory: string): string => join(directory, 'secret');

/**
 * Loads the secret from the data directory; the first process that needs it creates it.
 * @throws ConfigError when the file exists but contains no usable secret
 */
export async function loadOrCreateSecret(directory: string, randomBytes: RandomBytes): Promise<string> {
  const file = secretFile(directory);
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

/** @returns null if there is no such file */
export async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
