/** `node:sqlite` as better-sqlite3, which Kysely expects. Threads load this without Kysely's 250 modules. */

import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { readsAllColumns } from './all-columns.ts';
import { busyMs, isBusy, openDatabaseFile, watchFiles } from './database-file.ts';
import { DatabaseFault, type OnFault, sqliteFault } from './faults.ts';

const busyPollMs = 5;

/** The gateway has a few dozen statements; lists of ids add one for each length. */
const keptStatements = 200;

/**
 * Creates file and folder if necessary. WAL: readers beside a writer; with synchronous=FULL a commit survives a power
 * cut. @throws DatabaseFault
 */
export function openSqlite(file: string, onFault: OnFault = nothing): SqliteDatabase {
  return withFaults(onFault, () => {
    const database = open(file);
    return adapt(database, file === ':memory:' ? nothing : watchFiles(file), onFault);
  });
}

/** Only reads, and waits for nobody. @throws DatabaseFault */
export const openReader = (file: string): SqliteDatabase =>
  withFaults(nothing, () => adapt(openDatabaseFile(file, { access: 'read', timeout: 0 }), watchFiles(file), nothing));

const nothing = (): void => undefined;

/** What a checkpoint leaves of the WAL: without a limit the file keeps its largest size. */
const walBytes = 16_777_216;

function open(file: string): DatabaseSync {
  const database = openDatabaseFile(file, { access: 'create', timeout: busyMs });
  switchToWal(database);
  // Reads, because only then all its files are open.
  database.exec(`pragma synchronous = full; pragma journal_size_limit = ${walBytes}; pragma user_version`);
  return database;
}

/** SQLite refuses one of two processes that open a new file together at once, without waiting (SQLITE_BUSY). */
function switchToWal(database: DatabaseSync): void {
  const endsAt = performance.now() + busyMs;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > endsAt) throw error;
    }
    // Blocks nobody: this is the start, in a thread of its own.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyPollMs);
  }
}

/** How long a look at the files serves reads, in milliseconds. */
const seenMs = 1_000;

/** @param requireFiles throws once the files are not the connection's; called around a write */
function adapt(database: DatabaseSync, requireFiles: () => void, onFault: OnFault): SqliteDatabase {
  let seenAt = performance.now();
  const look = (reads: boolean) => {
    const now = performance.now();
    if (reads ? now - seenAt < seenMs : database.isTransaction) return;
    requireFiles();
    seenAt = now;
  };
  const guardOf = (sql: string): Guard => {
    const reads = readsOnly(sql);
    return (work) =>
      withFaults(onFault, () => {
        look(reads);
        const result = work();
        try {
          if (sql !== 'rollback') look(reads);
        } catch (error) {
          throw error instanceof Error ? Object.assign(error, { carriedOut: true }) : error;
        }
        return result;
      });
  };
  const prepared = new LRUCache<string, SqliteStatement>({ max: keptStatements });
  return {
    close: () => database.close(),
    prepare(sql) {
      // A full disk, say, ends the transaction by itself. Another rollback would hide the reason.
      if (sql === 'rollback' && !database.isTransaction) return emptyStatement;
      let statement = prepared.get(sql);
      if (statement === undefined) {
        // A plain `begin` starts as a reader and fails at its first write, without waiting, if another process has written since.
        const text = sql === 'begin' ? 'begin immediate' : sql;
        const native = withFaults(onFault, () => database.prepare(text));
        statement = adaptStatement(native, sql, guardOf(sql));
        prepared.set(sql, statement);
      }
      return statement;
    },
  };
}

/** A `with` may begin anything, so it counts as a write. */
export const readsOnly = (sql: string): boolean => /^\s*select\b/i.test(sql);

type Guard = <Result>(work: () => Result) => Result;

const iterate = (): never => {
  throw new Error('Statements on SQLite are not streamed');
};

const emptyStatement: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate,
};

function adaptStatement(statement: StatementSync, sql: string, guard: Guard): SqliteStatement {
  // The schema's columns are text and numbers; the driver refuses anything else.
  const bound = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  const reader = statement.columns().length > 0;
  const rows = reader ? rowsOf(statement, sql) : () => [];
  return {
    reader,
    all: (parameters) => guard(() => rows(bound(parameters))),
    run: (parameters) => guard(() => statement.run(...bound(parameters))),
    iterate,
  };
}

/** The driver's own rows are hash tables to V8: all that is done with them takes twice as long. */
function rowsOf(statement: StatementSync, sql: string): (parameters: readonly SQLInputValue[]) => object[] {
  // Node.js 22 has none.
  if (typeof statement.setReturnArrays !== 'function' || readsAllColumns(sql))
    return (parameters) => statement.all(...parameters);
  statement.setReturnArrays(true);
  const names = statement.columns().map(({ name }) => name);
  // The driver's types know objects only.
  return (parameters) =>
    (statement.all(...parameters) as unknown as SQLOutputValue[][]).map((values) => rowOf(names, values));
}

function rowOf(names: readonly string[], values: readonly SQLOutputValue[]): object {
  const row: Record<string, SQLOutputValue | undefined> = {};
  for (let at = 0; at < names.length; at += 1) row[names[at] as string] = values[at];
  return row;
}

/** @throws DatabaseFault, or the driver's error if the statement is to blame */
function withFaults<Result>(onFault: OnFault, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const fault = sqliteFault(error);
    if (fault instanceof DatabaseFault) onFault(fault);
    throw fault;
  }
}

/**
 * Reads every table and writes a row, on a connection of its own: others remember what they have read.
 * A locked file counts as writable. @throws DatabaseFault when it is damaged, full, read-only or gone
 */
export function checkSqlite(file: string, write: string): void {
  try {
    const database = openDatabaseFile(file, { access: 'write', timeout: 0 });
    try {
      database.exec('pragma synchronous = full');
      const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
      for (const { name } of tables) database.prepare(`select * from "${name}" limit 1`).get();
      database.exec(write);
    } finally {
      database.close();
    }
  } catch (error) {
    const fault = sqliteFault(error);
    if (!(fault instanceof DatabaseFault) || fault.reason !== 'slow') throw fault;
  }
}
