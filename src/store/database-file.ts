/**
 * The only place that opens the files that SQLite locks. POSIX locks belong to the process: closing any descriptor of a
 * file drops the locks of all its connections (https://www.sqlite.org/howtocorrupt.html, 2.2), and the next client to
 * close it would delete the log in use.
 */
import {
  closeSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
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

/** SQLITE_BUSY. */
const busy = 5;

/** Whether another connection was in the way. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === busy;

interface Opening {
  /** `create` makes a private file; `write` and `read` need an existing one. */
  readonly access: 'create' | 'write' | 'read';
  /** Wait of a statement for other connections, in milliseconds. */
  readonly timeout: number;
}

/** @throws Error with the code of SQLite, or of the system when `file` (`:memory:` or a path) cannot be created */
export function openDatabaseFile(file: string, { access, timeout }: Opening): DatabaseSync {
  if (file === ':memory:') return new DatabaseSync(file);
  if (access === 'create') createPrivately(realPath(file));
  const refusal = openingRefusal(file, access);
  if (refusal !== null) throw Object.assign(new Error(`${file} ${refusal}`), { errcode: cannotOpen });
  const url = pathToFileURL(file);
  // SQLite itself would create a missing file, readable by every user of the machine.
  url.searchParams.set('mode', access === 'read' ? 'ro' : 'rw');
  return new DatabaseSync(url, { timeout, readOnly: access === 'read' });
}

/** Why SQLite must not open a file, or null. */
function openingRefusal(file: string, access: Opening['access']): string | null {
  for (let look = 0; ; look += 1) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return null;
    // SQLite would wait for the other end of a pipe.
    if (!found.isFile()) return 'is not a file';
    // Connections by two names write two logs, and each loses what the other wrote.
    if (found.nlink === 1 || access === 'read') return null;
    if (look === linkLooks) return `has ${found.nlink} names (hard links): SQLite allows one`;
    // `createPrivately` gives the file two names for a moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, linkLookMs);
  }
}

/**
 * Creates an empty private file with its folder, unless it exists. It is closed before it gets its name, so that no
 * connection of the process has it open; SQLite's -wal and -shm files inherit its mode.
 */
export function createPrivately(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // The system invents the name: for a random one, each thread would load all of node:crypto (1.5 MiB).
  const folder = mkdtempSync(`${file}.incomplete-`);
  const draft = join(folder, 'draft');
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    linkSync(draft, file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'EEXIST') throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The path without symbolic links, of a missing file too: SQLite names the -wal and -shm files by it. */
export function realPath(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return resolve(file);
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file);
  return realPath(resolve(dirname(file), readlinkSync(file)));
}

/** @returns throws once a file on the disk is replaced or emptied, or the log was cut: later writes are lost */
export function watchFiles(file: string): () => void {
  const path = realPath(file);
  const paths = [path, `${path}-wal`, `${path}-shm`];
  // Inodes can exceed what a double holds.
  const identityOf = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false });
  const opened = paths.map(identityOf);
  const isCut = watchLog(`${path}-wal`);
  let replaced: string | undefined;
  let hasContent = false;
  return () => {
    replaced ??= paths.find((each, place) => {
      const [now, then] = [identityOf(each), opened[place]];
      const isEmptied = place === 0 && hasContent && now?.size === 0n;
      if (place === 0) hasContent ||= now !== undefined && now.size > 0n;
      return isEmptied || now?.ino !== then?.ino || now?.dev !== then?.dev;
    });
    if (replaced === undefined && isCut()) [, replaced] = paths;
    if (replaced === undefined) return;
    const message = `${replaced} was replaced, emptied or deleted: others are unable to open what the gateway has open`;
    throw Object.assign(new Error(message), { errcode: databaseMoved });
  };
}

/** https://www.sqlite.org/fileformat2.html#the_wal_file */
const logHeader = { bytes: 32, magic: 0x377f0682, salts: 16, saltsEnd: 24 } as const;

/**
 * Notes how long a log is, and which. SQLite starts a log anew with other salts, and empties it (`TRUNCATE`) before that: one
 * that is shorter with the salts of before, or has content without a header, was cut by somebody else. SQLite writes on
 * where the log ended, and the next start would read nothing behind the gap. To close the log drops no locks: it has none.
 */
function watchLog(path: string): () => boolean {
  let seen: { readonly size: number; readonly salts: string } | undefined;
  return () => {
    const now = readLog(path);
    if (now === null) return false;
    const { size, salts } = now;
    if (seen !== undefined && (salts === null || (salts === seen.salts && size < seen.size))) return true;
    if (salts !== null) seen = { size, salts };
    return false;
  };
}

/** @returns null for a log without content, or that is being started anew; `salts` is null for one without a header */
function readLog(path: string): { readonly size: number; readonly salts: string | null } | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
  const descriptor = openSync(path, 'r');
  try {
    const before = readHeader(descriptor);
    const { size } = fstatSync(descriptor);
    const after = readHeader(descriptor);
    if (before === null || after === null || !before.equals(after)) return null;
    // The last bit of the magic number tells the byte order of the checksums.
    const isHeader = (after.readUInt32BE() & ~1) === logHeader.magic;
    return { size, salts: isHeader ? after.toString('hex', logHeader.salts, logHeader.saltsEnd) : null };
  } finally {
    closeSync(descriptor);
  }
}

function readHeader(log: number): Buffer | null {
  const header = Buffer.alloc(logHeader.bytes);
  return readSync(log, header, 0, logHeader.bytes, 0) === logHeader.bytes ? header : null;
}
