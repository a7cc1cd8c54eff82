/**
 * Locks of empty files beside a SQLite database, which end with their process: each process has a file of its own, by which
 * others see that it lives, and a gateway that must be alone locks one that all gateways share.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../kernel/lib/to-error.ts';
import { busyMs, createPrivately, isBusy, openDatabaseFile, realPath } from './database-file.ts';

/** Wait for the own lock, which another process may be testing, in milliseconds. */
const ownLockMs = 1_000;
/** Files that it tries to lock, before it takes locks for impossible. */
const ownLockTries = 3;

/** @throws Error when no file beside the database `file` can be locked */
export function openFilePresence(file: string, newId: () => string) {
  const prefix = `${realPath(file)}-process-`;
  const { id, lock } = lockOwn(prefix, newId);
  // Deletes the files of the dead.
  for (const each of idsOf(prefix)) if (each !== id) isDead(prefix + each);
  return {
    id,
    findDead: (ids: readonly string[]) => ids.filter((each) => each !== id && isDead(prefix + each)),
    close() {
      try {
        rmSync(prefix + id, { force: true });
      } catch {
        // Fails on a disk that cannot be written to; another process finds it later.
      } finally {
        lock.close();
      }
    },
  };
}

function lockOwn(prefix: string, newId: () => string): { id: string; lock: DatabaseSync } {
  let cause: unknown;
  for (let tries = 0; tries < ownLockTries; tries += 1) {
    const id = newId();
    createPrivately(prefix + id);
    try {
      const lock = tryLock(prefix + id, ownLockMs);
      // Another process may have taken the file for a dead one's before it was locked.
      if (lock !== null && existsSync(prefix + id)) return { id, lock };
      lock?.close();
    } catch (error) {
      cause = error;
    }
  }
  throw new Error(`No file beside the database can be locked: ${prefix}…`, { cause });
}

/** Also deletes the file of a dead process. */
function isDead(file: string): boolean {
  if (!existsSync(file)) return true;
  const lock = lockIfAny(file);
  if (lock === null) return false;
  rmSync(file, { force: true });
  lock.close();
  return true;
}

function lockIfAny(file: string): DatabaseSync | null {
  try {
    return tryLock(file, 0);
  } catch {
    // Another process may have deleted it. Nobody is taken for dead by an error: the leases of the dead end by themselves.
    return null;
  }
}

function idsOf(prefix: string): string[] {
  const start = basename(prefix);
  return readdirSync(dirname(prefix)).flatMap((name) => (name.startsWith(start) ? name.slice(start.length) : []));
}

export type GatewayLock = Pick<DatabaseSync, 'close'>;

/**
 * Locks a database for one gateway.
 * @returns null if another is in the way: any, if `alone`; else one that is alone
 * @throws Error with the reason when the file of this lock cannot be used
 */
export function lockAsGateway(file: string, { alone }: { readonly alone: boolean }): GatewayLock | null {
  if (file === ':memory:') return { close: () => undefined };
  // Waits for a gateway that is stopping.
  const name = `${realPath(file)}-gateways`;
  try {
    const shared = openDatabaseFile(name, { access: 'create', timeout: busyMs });
    // A transaction that has read holds a shared lock.
    return locked(shared, alone ? 'begin exclusive' : 'begin; select 1 from sqlite_schema');
  } catch (cause) {
    throw new Error(`${name}, which shows that a gateway runs, cannot be locked: ${messageOf(cause)}`, { cause });
  }
}

/** @returns null if another connection has locked the file */
const tryLock = (file: string, timeout: number): DatabaseSync | null =>
  locked(openDatabaseFile(file, { access: 'write', timeout }), 'begin exclusive');

function locked(file: DatabaseSync, begin: string): DatabaseSync | null {
  try {
    // Node.js has no other file locks. The empty file is an empty database; nothing is written.
    file.exec(`pragma journal_mode = memory; ${begin}`);
    return file;
  } catch (error) {
    file.close();
    if (isBusy(error)) return null;
    throw error;
  }
}
