/**
 * The files that SQLite locks. POSIX locks belong to the process: whoever closes any descriptor of a file drops the locks of all
 * its connections (https://www.sqlite.org/howtocorrupt.html, 2.2), and the next client that closes the file takes itself for the
 * last one and deletes the log in use. So nothing but SQLite opens one, and SQLite is asked for one only here.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { databaseMoved } from './faults.ts';

/** How long a statement waits for other processes, in milliseconds. */
export const busyMs = 5_000;

/** How often, and after how many milliseconds, a file with two names is looked at again. */
const linkLooks = 50;
const linkLookMs = 20;

/** SQLITE_CANTOPEN. */
const cannotOpen = 14;

interface Opening {
  /** `create` makes a file that only this user can read. `write` and `read` need one that is there. */
  readonly access: 'create' | 'write' | 'read';
  /** How long statements wait for other connections, in milliseconds. */
  readonly timeout: number;
}

/**
 * @param file `:memory:`, or the path of a database
 * @throws Error with the code of SQLite; or that of the system, when the file cannot be created
 */
export function openDatabaseFile(file: string, { access, timeout }: Opening): DatabaseSync {
  if (file === ':memory:') return new DatabaseSync(file);
  if (access === 'create') createPrivately(realPath(file));
  const refusal = refusalOf(file, access);
  if (refusal !== null) throw Object.assign(new Error(`${file} ${refusal}`), { errcode: cannotOpen });
  const url = pathToFileURL(file);
  // By itself SQLite would create what is missing, and let every user of the machine read it.
  url.searchParams.set('mode', access === 'read' ? 'ro' : 'rw');
  return new DatabaseSync(url, { timeout, readOnly: access === 'read' });
}

/** Why SQLite must not open a file; null if it may. */
function refusalOf(file: string, access: Opening['access']): string | null {
  for (let look = 0; ; look += 1) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return null;
    // SQLite would wait for the other end of a pipe.
    if (!found.isFile()) return 'is not a file';
    // Connections by two names write two logs, and each loses what the other has written.
    if (found.nlink === 1 || access === 'read') return null;
    if (look === linkLooks) return `has ${found.nlink} names (hard links): SQLite allows one`;
    // A process that creates the file gives it two for a moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, linkLookMs);
  }
}

/**
 * Creates an empty file that only this user can read, with its folder, unless there is one. It is closed before it gets its
 * name, so that no connection of the process has it open. SQLite's -wal and -shm files inherit the mode.
 */
export function createPrivately(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.incomplete-${randomBytes(4).toString('hex')}`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    linkSync(draft, file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * The path without symbolic links, whether or not the file is there. SQLite names the -wal and -shm files by it, and so must
 * whoever looks for files beside a database that other processes may know by another name.
 */
export function realPath(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return resolve(file);
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file);
  return realPath(resolve(dirname(file), readlinkSync(file)));
}

/**
 * Notes which files a connection has open, for as long as its locks keep others from replacing them.
 * @returns throws, once one of the files on the disk is another one, or the database is empty again: what is written then is lost
 */
export function watchFiles(file: string): () => void {
  const path = realPath(file);
  const paths = [path, `${path}-wal`, `${path}-shm`];
  // Inodes can be larger than what a double holds.
  const identityOf = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false });
  const opened = paths.map(identityOf);
  let replaced: string | undefined;
  let hasContent = false;
  return () => {
    replaced ??= paths.find((each, place) => {
      const [now, then] = [identityOf(each), opened[place]];
      const isEmptied = place === 0 && hasContent && now?.size === 0n;
      if (place === 0) hasContent ||= now !== undefined && now.size > 0n;
      return isEmptied || now?.ino !== then?.ino || now?.dev !== then?.dev;
    });
    if (replaced === undefined) return;
    const message = `${replaced} was replaced, emptied or deleted: others are unable to open what the gateway has open`;
    throw Object.assign(new Error(message), { errcode: databaseMoved });
  };
}
