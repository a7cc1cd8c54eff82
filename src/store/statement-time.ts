/** The clock that processes share: on Postgres the server's; processes on a SQLite file share the machine's. */
import { type RawBuilder, sql } from 'kysely';
import { hour, minute } from '../kernel/lib/time-units.ts';
import { byDialect } from './query-compilers.ts';

/** @param now for SQLite, in units since the epoch */
export const statementTime = (now: number, unitsPerSecond: 1_000 | 1_000_000): RawBuilder<number> =>
  byDialect({
    sqlite: () => sql`cast(${now} as bigint)`,
    postgres: () => sql`cast(extract(epoch from statement_timestamp()) * ${sql.lit(unitsPerSecond)} as bigint)`,
  });

/**
 * The farthest ahead of the clock, in milliseconds, that stored times are believed: twice what is written. More was written before
 * the clock jumped back, and counts as past.
 */
export const maxAheadMs = {
  'webhook_destinations.paused_until': 10 * minute,
  'deliveries.next_at': 56 * hour,
  'jobs.claimed_until': 10 * minute,
  'idempotent_responses.claimed_until': 10 * minute,
  /** A run of failures begins now at the latest. */
  'webhook_destinations.failing_since': 0,
} as const;

/** {@link isAhead} of a column, as a condition. */
export const isColumnAhead = (column: keyof typeof maxAheadMs, time: RawBuilder<number>): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} > ${time} and ${sql.ref(column)} <= ${time} + ${sql.lit(maxAheadMs[column])})`;

/** Whether a stored time is still ahead. */
export const isAhead = (column: keyof typeof maxAheadMs, time: number, now: number): boolean =>
  time > now && time <= now + maxAheadMs[column];
