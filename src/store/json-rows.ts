/** Many rows as one JSON parameter: the statement is the same for any number of rows, so it is prepared only once. */
import { type RawBuilder, sql } from 'kysely';
import { keysOf } from '../kernel/lib/keys-of.ts';
import type { DatabaseLocation } from './database.ts';

export type DatabaseKind = DatabaseLocation['kind'];

export type Row<Column extends string> = Readonly<Record<Column, string | number | null>>;

/** Rows as JSON text, for use in several statements or in another thread. */
export interface RowsText<Column extends string> {
  readonly text: string;
  /** Never set: it carries the type of the columns. */
  readonly rows?: readonly Row<Column>[];
}

export const rowsText = <Column extends string>(rows: readonly Row<Column>[]): RowsText<Column> => ({
  text: JSON.stringify(rows),
});

/**
 * Unpacks `rows` as a table for `from` or `select`. Column names and types are written into the SQL, so they must be
 * constants of the program.
 * @param alias the name of the table in the statement
 * @param columns the columns that the statement needs, with their SQL types
 */
export function rowsTable<All extends string, Column extends All>(
  kind: DatabaseKind,
  alias: string,
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  { text }: RowsText<All>,
): RawBuilder<unknown> {
  // `Object.keys` types keys as text, because objects can have more of them than their types say.
  const names = keysOf(columns);
  switch (kind) {
    case 'sqlite': {
      const fields = names.map((name) => `json_extract(value, '$.${name}') as "${name}"`).join(', ');
      return sql`(select ${sql.raw(fields)} from json_each(${text})) as ${sql.ref(alias)}`;
    }
    case 'postgres': {
      const fields = names.map((name) => `"${name}" ${columns[name]}`).join(', ');
      return sql`jsonb_to_recordset(${text}::jsonb) as ${sql.ref(alias)}(${sql.raw(fields)})`;
    }
    default:
      return kind satisfies never;
  }
}

/** Whether a column has one of the ids: one parameter for any number of them, so that it is one statement. */
export function isOneOf(kind: DatabaseKind, column: string, ids: readonly string[]): RawBuilder<boolean> {
  const rows = rowsText(ids.map((one_id) => ({ one_id })));
  return sql`${sql.ref(column)} in (select one_id from ${rowsTable(kind, 'one', { one_id: 'text' }, rows)})`;
}
