/** Many rows as one parameter: the statement stays the same however many there are, so that it is prepared once. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseLocation } from './database.ts';

export type DatabaseKind = DatabaseLocation['kind'];

export type Row<Column extends string> = Readonly<Record<Column, string | number | null>>;

/** Rows as JSON text, to be used by several statements, or in another thread. */
export interface RowsText<Column extends string> {
  readonly text: string;
  /** Of the types only. */
  readonly rows?: readonly Row<Column>[];
}

export const rowsText = <Column extends string>(rows: readonly Row<Column>[]): RowsText<Column> => ({
  text: JSON.stringify(rows),
});

/**
 * `rows` as a table for `from` or `select`. The columns and their types are written in SQL: they come from our code.
 * @param alias what the table is called in the statement
 * @param columns those that the statement needs
 */
export function rowsTable<All extends string, Column extends All>(
  kind: DatabaseKind,
  alias: string,
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  { text }: RowsText<All>,
): RawBuilder<unknown> {
  const names = Object.keys(columns) as Column[];
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
