/** Many rows as one JSON parameter: one statement for any number of rows, so it is prepared once. */
import { type RawBuilder, sql } from 'kysely';
import { keysOf } from '../kernel/lib/keys-of.ts';
import type { DatabaseLocation } from './database.ts';

export type DatabaseKind = DatabaseLocation['kind'];

export type JsonRow<Column extends string> = Readonly<Record<Column, string | number | null>>;

/** JSON text, for several statements or another thread. */
export interface RowsText<Column extends string> {
  readonly text: string;
  /** Never set: carries the type of the columns. */
  readonly rows?: readonly JsonRow<Column>[];
}

export const rowsText = <Column extends string>(rows: readonly JsonRow<Column>[]): RowsText<Column> => ({
  text: JSON.stringify(rows),
});

/** Unpacks `rows` as table `alias`. Names and SQL types go into the SQL: they must be constants of the program. */
export function rowsTable<All extends string, Column extends All>(
  kind: DatabaseKind,
  alias: string,
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  { text }: RowsText<All>,
): RawBuilder<unknown> {
  // `Object.keys` types keys as text.
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

/**
 * `column in ids` with one parameter for any number of ids, so that it is one statement. Postgres sees how many there are in an
 * array, where it takes any set of rows for a hundred.
 */
export function isOneOf(kind: DatabaseKind, column: string, ids: readonly string[]): RawBuilder<boolean> {
  if (kind === 'postgres') return sql`${sql.ref(column)} = any(${ids})`;
  const rows = rowsText(ids.map((one_id) => ({ one_id })));
  return sql`${sql.ref(column)} in (select one_id from ${rowsTable(kind, 'one', { one_id: 'text' }, rows)})`;
}
