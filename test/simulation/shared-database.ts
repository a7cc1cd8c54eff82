/**
 * The database that the simulated processes share: one SQLite database in memory, with the gateway's own schema. It has one
 * connection, so one transaction at a time; whoever reads beside it would see the state before it or after it anyway.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

export interface Rows {
  readonly rows: unknown[];
  readonly changes: number;
}

export interface SharedDatabase {
  /** Executes a statement at once. @param owner who executes it, to be known to those who are told of commits */
  execute(sql: string, parameters: readonly unknown[]): Rows;
  all<Row>(sql: string, ...parameters: SQLInputValue[]): Row[];
  /** Undoes an open transaction. */
  rollback(): void;
  /** Deletes all rows. */
  clear(): void;
}

export function openSharedDatabase(): SharedDatabase {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: true });
  const prepared = new Map<string, { readonly statement: StatementSync; readonly reads: boolean }>();
  const prepare = (sql: string) => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const added = { statement, reads: statement.columns().length > 0 };
    prepared.set(sql, added);
    return added;
  };
  const all = <Row>(sql: string, ...parameters: SQLInputValue[]): Row[] =>
    // The caller's type says what the statement returns.
    prepare(sql).statement.all(...parameters) as Row[];
  return {
    execute(sql, parameters) {
      const { statement, reads } = prepare(sql);
      // Kysely types parameters as unknown. The schema's columns are text and numbers.
      const bound = parameters as SQLInputValue[];
      if (!reads) return { rows: [], changes: Number(statement.run(...bound).changes) };
      const rows = statement.all(...bound);
      return { rows, changes: /^\s*(?:select|with)\b/i.test(sql) ? 0 : rows.length };
    },
    all,
    rollback() {
      if (database.isTransaction) database.exec('rollback');
    },
    clear() {
      database.exec('pragma foreign_keys = off');
      const tables = all<{ name: string }>(
        "select name from sqlite_schema where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'",
      );
      for (const { name } of tables) database.exec(`delete from "${name}"`);
      database.exec('pragma foreign_keys = on');
    },
  };
}
