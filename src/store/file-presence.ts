/** Liveness on SQLite: each process locks an empty file of its own beside the database. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createPrivately, openDatabaseFile, realPath } from './database-file.ts';

/** Wait for the own lock, which another process may be testing, in milliseconds. */
const ownLockMs = 1_000;
/** Files that it tries to lock, before it takes locks for impossible. */
const ownLockTries = 3;

export interface FilePresence {
  readonly id: string;
  findDead(ids: readonly string[]): string[];
  close(): void;
}

/** @throws Error when no file beside the database `file` can be locked */
export function openFilePresence(file: string, newId: () => string): FilePresence {
  const prefix = `${realPath(file)}-process-`;
  const { id, lock } = lockOwn(prefix, newId);
  // Deletes the files of the dead.
  for (const each of idsOf(prefix)) if (each !== id) isDead(prefix + each);
  return {
    id,
    findDead: (ids) => ids.filter((each) => each !== id && isDead(prefix + each)),
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
  for (let tries = 0; tries < ownLockTries; tries += 1) {
    const id = newId();
    createPrivately(prefix + id);
    const lock = tryLock(prefix + id, ownLockMs);
    // Another process may have taken the file for a dead one's before it was locked.
    if (lock !== null && existsSync(prefix + id)) return { id, lock };
    lock?.close();
  }
  throw new Error(`No file beside the database can be locked: ${prefix}…`);
}

/** Also deletes the file of a dead process. */
function isDead(file: string): boolean {
  if (!existsSync(file)) return true;
  const lock = tryLock(file, 0);
  if (lock === null) return false;
  rmSync(file, { force: true });
  lock.close();
  return true;
}

/** @returns null if another connection has locked the file, or it cannot be locked */
function tryLock(file: string, timeout: number): DatabaseSync | null {
  let lock: DatabaseSync | null = null;
  try {
    lock = openDatabaseFile(file, { access: 'write', timeout });
    // Node.js has no other file locks. The empty file is an empty database; nothing is written.
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch {
    lock?.close();
    return null;
  }
}

function idsOf(prefix: string): string[] {
  const start = basename(prefix);
  return readdirSync(dirname(prefix)).flatMap((name) => (name.startsWith(start) ? name.slice(start.length) : []));
}
