/**
 * The time by which processes measure what they share. On Postgres it is the server's, because their clocks may differ;
 * processes on a SQLite file have one clock.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from './json-rows.ts';

/** @param now since the epoch, in units of which a second has so many: for SQLite */
export const statementTime = (
  kind: DatabaseKind,
  now: number,
  unitsPerSecond: 1_000 | 1_000_000,
): RawBuilder<number> =>
  kind === 'postgres'
    ? sql`cast(extract(epoch from statement_timestamp()) * ${sql.lit(unitsPerSecond)} as bigint)`
    : sql`cast(${now} as bigint)`;
