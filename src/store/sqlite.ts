/**
 * `node:sqlite` behind the interface of better-sqlite3, which Kysely's dialect expects. A thread that only executes
 * statements loads this, and not Kysely, which has 250 modules.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { BoundedMap } from '../bounded-map.ts';
import { DatabaseFault, type OnFault, sqliteFault } from './faults.ts';

/** How long a statement waits for other processes, in milliseconds. */
const busyMs = 5_000;
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
  return adapt(
    withFaults(onFault, () => open(file)),
    onFault,
  );
}

function open(file: string): DatabaseSync {
  if (file !== ':memory:') {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // SQLite would create the file readable by every user of the machine. Its -wal and -shm files inherit this mode.
    closeSync(openSync(file, 'a', 0o600));
  }
  const database = new DatabaseSync(file, { timeout: busyMs, enableForeignKeyConstraints: true });
  switchToWal(database);
  database.exec('pragma synchronous = full');
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

function adapt(database: DatabaseSync, onFault: OnFault): SqliteDatabase {
  const prepared = new BoundedMap<string, SqliteStatement>(keptStatements);
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
        statement = adaptStatement(
          withFaults(onFault, () => database.prepare(text)),
          onFault,
        );
        prepared.set(sql, statement);
      }
      return statement;
    },
  };
}

/** A statement that does nothing. */
const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

function adaptStatement(statement: StatementSync, onFault: OnFault): SqliteStatement {
  // Kysely types parameters as unknown. The schema's columns are text and numbers; the driver refuses anything else.
  const bound = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => withFaults(onFault, () => statement.all(...bound(parameters))),
    run: (parameters) => withFaults(onFault, () => statement.run(...bound(parameters))),
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
