/** The clock that processes share: on Postgres the server's; processes on a SQLite file share the machine's. */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './json.ts';

/** @param now for SQLite, in units since the epoch */
export const statementTime = (
  kind: DatabaseKind,
  now: number,
  unitsPerSecond: 1_000 | 1_000_000,
): RawBuilder<number> =>
  kind === 'postgres'
    ? sql`cast(extract(epoch from statement_timestamp()) * ${sql.lit(unitsPerSecond)} as bigint)`
    : sql`cast(${now} as bigint)`;
