/** JSON in columns, and as one parameter for many rows: one statement for any number of them, so it is prepared once. */
import { type RawBuilder, sql } from 'kysely';
import { parseWithDigits } from '../kernel/lib/json-text.ts';
import { keysOf } from '../kernel/lib/objects.ts';
import type { DatabaseLocation } from './database.ts';
import { byDialect } from './query-compilers.ts';

export type DatabaseKind = DatabaseLocation['kind'];

export type JsonRow<Column extends string> = Readonly<Record<Column, string | number | null>>;

/** SQL types by column: constants of the program, as they go into the SQL. */
type Columns<Column extends string> = Readonly<Record<Column, 'text' | 'bigint'>>;

/** JSON text, for several statements or another thread. */
export interface RowsText<Column extends string> {
  readonly columns: Columns<Column>;
  /** A list of values for each row, in the order of the columns. */
  readonly text: string;
}

/** Lists, not objects: to unpack an object takes Postgres four times as long, and SQLite twice. */
export function rowsText<Column extends string>(
  columns: Columns<Column>,
  rows: readonly JsonRow<Column>[],
): RowsText<Column> {
  const names = keysOf(columns);
  return { columns, text: JSON.stringify(rows.map((row) => names.map((name) => row[name]))) };
}

/** Unpacks `rows` as table `alias`. */
export function rowsTable(alias: string, { columns, text }: RowsText<string>): RawBuilder<unknown> {
  const fieldsOf = (field: (place: number, type: string) => string) =>
    sql.raw(
      Object.entries(columns)
        .map(([name, type], place) => `${field(place, type)} as "${name}"`)
        .join(', '),
    );
  return byDialect({
    sqlite() {
      const fields = fieldsOf((place) => `json_extract(value, '$[${place}]')`);
      return sql`(select ${fields} from json_each(${text})) as ${sql.ref(alias)}`;
    },
    postgres() {
      const fields = fieldsOf((place, type) => `(value->>${place})::${type}`);
      return sql`(select ${fields} from jsonb_array_elements(${text}::jsonb)) as ${sql.ref(alias)}`;
    },
  });
}

/**
 * `column in ids` with one parameter for any number of ids, so that it is one statement. Postgres sees how many there are in an
 * array, where it takes any set of rows for a hundred.
 */
export const isOneOf = (column: string, ids: readonly string[]): RawBuilder<boolean> =>
  byDialect({
    sqlite: () => sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`,
    postgres: () => sql`${sql.ref(column)} = any(${ids})`,
  });

/** JSON of our own columns, of a trusted type: code of that type wrote it, and migrations carry older rows along. */
export const readJsonColumn = <T>(text: string): T => JSON.parse(text);

/** {@link readJsonColumn} for JSON of callers: a number that is none of JavaScript's keeps its digits. */
export const readOpenJsonColumn = <T>(text: string): T => parseWithDigits(text) as T;

/**
 * Some entries of an object in a JSON column, as JSON text, so that the others are not read; null for a missing one.
 * Postgres reads no escapes of U+0000 and lone surrogates: a text that may have some is whole.
 */
export function jsonEntries(column: string, keys: readonly string[]): RawBuilder<string> {
  const text = sql.ref(column);
  return byDialect({
    sqlite: () => sql`json_object(${sql.join(keys.map((key) => sql`${key}, ${text} -> ${key}`))})`,
    postgres() {
      // The offset keeps the planner from parsing once for each key.
      const entries = keys.map((key) => sql`${key}::text, object -> ${key}::text`);
      return sql`case
        when strpos(${text}, '\\u0000') + strpos(${text}, '\\ud') > 0 then ${text}
        else (select json_build_object(${sql.join(entries)})::text from (select ${text}::jsonb as object offset 0) as parsed)
      end`;
    },
  });
}
