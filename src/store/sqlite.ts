/** `node:sqlite` behind Kysely's SQLite dialect, which was written against another driver with the same roles. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import { BoundedMap } from '../bounded-map.ts';

/** Statements kept prepared. The gateway has a few dozen; lists of ids of different lengths make some more. */
const keptStatements = 200;

/**
 * Opens (and makes, with its folder) the database file; `:memory:` is one that ends with the process.
 * WAL lets readers read while one writes; synchronous=FULL means that what was answered survives a power cut.
 */
export function sqliteDialect(file: string): Dialect {
  return new TransactionalDdlDialect({ database: async () => adapt(open(file)) });
}

function open(file: string): DatabaseSync {
  if (file !== ':memory:') {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // SQLite would let every user of the machine read a file that it makes; those beside it take on the mode of this one.
    closeSync(openSync(file, 'a', 0o600));
  }
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: true });
  database.exec('pragma journal_mode = wal; pragma synchronous = full');
  return database;
}

function adapt(database: DatabaseSync): SqliteDatabase {
  const prepared = new BoundedMap<string, SqliteStatement>(keptStatements);
  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = prepared.get(sql);
      if (statement === undefined) {
        // A transaction that begins by reading cannot become a writer while another process writes, and does not wait
        // for it either; one that is a writer from the start waits its turn.
        statement = adaptStatement(database.prepare(sql === 'begin' ? 'begin immediate' : sql));
        prepared.set(sql, statement);
      }
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  const bound = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...bound(parameters)),
    run: (parameters) => statement.run(...bound(parameters)),
    iterate: (parameters) => statement.iterate(...bound(parameters)),
  };
}

/** SQLite can undo a schema change with its transaction; Kysely's adapter does not count on it, and we do. */
class TransactionalDdlDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
