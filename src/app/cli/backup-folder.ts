/** A backup of an embedded gateway: a folder with its database, and its secret if that is a file. */
import { randomBytes } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { keyringOf, readIfExists, secretFile } from '../../kernel/secrets/secret.ts';
import { checkDatabase, copyDatabase, syncFolder } from '../../store/sqlite-backup.ts';
import { recognizeValue } from '../backends/secret-check.ts';
import type { Config } from '../config/config.ts';
import { UsageError } from './report-error.ts';

const databaseFile = (folder: string): string => join(folder, 'postern.db');

interface Copied {
  readonly events: number;
  readonly bytes: number;
  readonly secret: 'file' | 'SECRET' | null;
}

type SecretVariables = Pick<Config, 'secret' | 'previousSecret'>;

/**
 * Writes a backup beside running gateways. The folder appears complete and checked, or not at all.
 * @throws UsageError when it exists; ConfigError for another secret; DamagedDatabase; DatabaseFault
 */
export async function writeBackup(file: string, folder: string, config: SecretVariables): Promise<Copied> {
  const target = resolve(folder);
  if (isTaken(target)) throw new UsageError(`${target} exists: a backup never replaces anything. Name a new folder.`);
  const draft = draftOf(target);
  await mkdir(draft, { mode: 0o700 });
  try {
    copyDatabase(file, databaseFile(draft));
    const secret = config.secret === undefined ? await readIfExists(secretFile(dirname(file))) : null;
    if (secret !== null) await writeSecret(secretFile(draft), secret);
    const copied = await checkBackup(draft, config);
    syncFolder(draft);
    // A second backup of this name finds a folder that is not empty.
    await rename(draft, target);
    syncFolder(dirname(target));
    return copied;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** @throws UsageError for an existing `file`; ConfigError for another secret; DamagedDatabase; DatabaseFault */
export async function restoreBackup(folder: string, file: string, config: SecretVariables): Promise<Copied> {
  const source = databaseFile(folder);
  if (!isFile(source)) throw new UsageError(`${folder} is not a backup: it has no file ${databaseFile('')}.`);
  // A pipe, for example, would block.
  if (isTaken(secretFile(folder)) && !isFile(secretFile(folder))) {
    throw new UsageError(`${folder} is not a backup: its ${secretFile('')} is not a file.`);
  }
  const directory = dirname(resolve(file));
  // SQLite would play another database's log back into this one.
  const taken = [file, `${file}-wal`, `${file}-shm`, `${file}-journal`, secretFile(directory)].find(isTaken);
  if (taken !== undefined) {
    throw new UsageError(
      `${taken} exists: nothing is restored over a database. Move its folder away, or set DATABASE_URL to another one.`,
    );
  }
  const copied = await checkBackup(folder, config);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const drafts = { database: draftOf(resolve(file)), secret: draftOf(secretFile(directory)) };
  try {
    copyDatabase(source, drafts.database);
    const secret = await readIfExists(secretFile(folder));
    if (secret !== null) await writeSecret(drafts.secret, secret);
    // A link replaces nothing. Last the database, without which nothing starts.
    if (secret !== null) await link(drafts.secret, secretFile(directory));
    await link(drafts.database, file);
    syncFolder(directory);
    return copied;
  } finally {
    await rm(drafts.database, { force: true });
    await rm(drafts.secret, { force: true });
  }
}

/** @throws ConfigError for another database's secret; DamagedDatabase */
async function checkBackup(folder: string, { secret, previousSecret }: SecretVariables): Promise<Copied> {
  const { events, bytes, secretCheck } = checkDatabase(databaseFile(folder));
  const kept = await readIfExists(secretFile(folder));
  const current = kept ?? secret;
  if (current === undefined) return { events, bytes, secret: null };
  const origin = kept === null ? 'SECRET' : secretFile(folder);
  recognizeValue(secretCheck, keyringOf({ current, previous: previousSecret })('check'), { origin });
  return { events, bytes, secret: kept === null ? 'SECRET' : 'file' };
}

const isTaken = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const draftOf = (path: string): string => `${path}.incomplete-${randomBytes(4).toString('hex')}`;

const writeSecret = (file: string, secret: string): Promise<void> =>
  writeFile(file, secret, { flag: 'wx', mode: 0o600, flush: true });

export function describeCopy({ events, bytes, secret }: Copied): string {
  const secretText = {
    file: 'The secret is in it.',
    SECRET: 'Its secret is the SECRET of this environment, which is not in it: keep that, too.',
    none: 'Its secret is neither in a file nor in SECRET here, and was not checked. Keep the SECRET of the gateway, too.',
  }[secret ?? 'none'];
  return `${events} events, ${(bytes / 1e6).toFixed(1)} MB, checked for integrity. ${secretText}`;
}
