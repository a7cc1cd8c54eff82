/**
 * `node:sqlite` behind the interface of better-sqlite3, which Kysely's dialect expects. A thread that only executes
 * statements loads this, and not Kysely, which has 250 modules.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { LRUCache } from 'lru-cache';
import { busyMs, openDatabaseFile, watchFiles } from './database-file.ts';
import { DatabaseFault, type OnFault, sqliteFault } from './faults.ts';

const busyPollMs = 5;
const sqliteBusy = 5;

/** How many prepared statements are kept. The gateway has a few dozen; lists of ids add one for each length. */
const keptStatements = 200;

/**
 * Opens the database file and creates it, with its folder, if necessary; `:memory:` lives as long as the process.
 * WAL lets readers read while a transaction writes; with synchronous=FULL a committed transaction survives a power cut.
 * @throws DatabaseFault when the file cannot be opened
 */
export function openSqlite(file: string, onFault: OnFault = () => undefined): SqliteDatabase {
  return withFaults(onFault, () => {
    const database = open(file);
    return adapt(database, file === ':memory:' ? () => undefined : watchFiles(file), onFault);
  });
}

function open(file: string): DatabaseSync {
  const database = openDatabaseFile(file, { access: 'create', timeout: busyMs });
  switchToWal(database);
  // Reads, because only then all its files are open.
  database.exec('pragma synchronous = full; pragma user_version');
  return database;
}

/** Where two processes open a new file together, SQLite refuses one of them at once: for this it does not wait (SQLITE_BUSY). */
function switchToWal(database: DatabaseSync): void {
  const endsAt = performance.now() + busyMs;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      const isBusy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
      if (!isBusy || performance.now() > endsAt) throw error;
    }
    // Nothing else is under way: this is the start, and a thread of its own.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyPollMs);
  }
}

/** How long what was seen of the files serves those who read, in milliseconds. */
const seenMs = 1_000;

/**
 * @param requireFiles throws once the files are not those that the connection has open. A write hears of it before it begins,
 *   and before it is acknowledged.
 */
function adapt(database: DatabaseSync, requireFiles: () => void, onFault: OnFault): SqliteDatabase {
  let seenAt = performance.now();
  const look = (reads: boolean) => {
    const now = performance.now();
    if (reads ? now - seenAt < seenMs : database.isTransaction) return;
    requireFiles();
    seenAt = now;
  };
  const guardOf = (sql: string): Guard => {
    const reads = isRead(sql);
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
      // A failure such as a full disk ends the transaction by itself. To end it again would hide why it failed.
      if (sql === 'rollback' && !database.isTransaction) return nothing;
      let statement = prepared.get(sql);
      if (statement === undefined) {
        // A plain `begin` starts as a reader and fails at its first write if another process has written since, without
        // waiting. `begin immediate` takes the write lock at once, and waits for it.
        const text = sql === 'begin' ? 'begin immediate' : sql;
        const native = withFaults(onFault, () => database.prepare(text));
        statement = adaptStatement(native, guardOf(sql));
        prepared.set(sql, statement);
      }
      return statement;
    },
  };
}

/** Whether a statement only reads. A `with` may begin anything. */
export const isRead = (sql: string): boolean => /^\s*select\b/i.test(sql);

/** Runs a statement while the files are those of the connection. */
type Guard = <Result>(work: () => Result) => Result;

/** A statement that does nothing. */
const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

function adaptStatement(statement: StatementSync, guard: Guard): SqliteStatement {
  // Kysely types parameters as unknown. The schema's columns are text and numbers; the driver refuses anything else.
  const bound = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => guard(() => statement.all(...bound(parameters))),
    run: (parameters) => guard(() => statement.run(...bound(parameters))),
    iterate: (parameters) => statement.iterate(...bound(parameters)),
  };
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
