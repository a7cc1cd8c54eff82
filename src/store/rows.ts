/** Many rows as one parameter: the statement stays the same however many there are, so that it is prepared once. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseLocation } from './database.ts';

export type DatabaseKind = DatabaseLocation['kind'];

/**
 * `rows` as a table for `from` or `select`. The columns and their types are written in SQL: they come from our code.
 * @param alias what the table is called in the statement
 */
export function rowsTable<Column extends string>(
  kind: DatabaseKind,
  alias: string,
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  rows: readonly Readonly<Record<Column, string | number | null>>[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const names = Object.keys(columns) as Column[];
  switch (kind) {
    case 'sqlite': {
      const fields = names.map((name) => `json_extract(value, '$.${name}') as "${name}"`).join(', ');
      return sql`(select ${sql.raw(fields)} from json_each(${json})) as ${sql.ref(alias)}`;
    }
    case 'postgres': {
      const fields = names.map((name) => `"${name}" ${columns[name]}`).join(', ');
      return sql`jsonb_to_recordset(${json}::jsonb) as ${sql.ref(alias)}(${sql.raw(fields)})`;
    }
    default:
      return kind satisfies never;
  }
}
