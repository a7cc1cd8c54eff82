import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './json-rows.ts';

/**
 * Some entries of an object in a JSON column, as JSON text, so that the others are not read; null for a missing one.
 * Postgres reads no escapes of U+0000 and lone surrogates: a text that may have some is whole.
 */
export function jsonEntries(kind: DatabaseKind, column: string, keys: readonly string[]): RawBuilder<string> {
  const text = sql.ref(column);
  switch (kind) {
    case 'sqlite':
      return sql`json_object(${sql.join(keys.map((key) => sql`${key}, ${text} -> ${key}`))})`;
    case 'postgres': {
      // The offset keeps the planner from parsing once for each key.
      const entries = keys.map((key) => sql`${key}::text, object -> ${key}::text`);
      return sql`case
        when strpos(${text}, '\\u0000') + strpos(${text}, '\\ud') > 0 then ${text}
        else (select json_build_object(${sql.join(entries)})::text from (select ${text}::jsonb as object offset 0) as parsed)
      end`;
    }
    default:
      return kind satisfies never;
  }
}
