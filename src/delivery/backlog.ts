/**
 * How many deliveries there are, and how old what is due has become: for metrics only. To count a million rows takes a
 * tenth of a second and more, so it is done on a connection of its own (on SQLite in a thread of its own), at most every ten
 * seconds and for a twentieth of the time, and nobody waits for it for long.
 */

import { sql } from 'kysely';
import type { Logger } from 'pino';
import { connect, type Database, type DatabaseLocation } from '../store/database.ts';
import { postgresDefaults } from '../store/postgres-settings.ts';
import type { Metrics } from '../telemetry/telemetry.ts';

const minAgeMs = 10_000;
/** The pause after a count, in times of its length. */
const rest = 20;
/** How long metrics wait for a count that is under way. Then they say what was counted before. */
const patienceMs = 250;

export interface Backlog {
  close(): Promise<void>;
}

interface Counts {
  readonly states: Readonly<Record<string, number>>;
  /** Epoch milliseconds; null if nothing is due, or there are no events. */
  readonly oldestDue: number | null;
  readonly oldestEvent: number | null;
}

export function startBacklog(
  database: Database,
  location: DatabaseLocation,
  { metrics, now, logger }: { readonly metrics: Metrics | null; readonly now: () => Date; readonly logger: Logger },
): Backlog {
  if (metrics === null) return { close: async () => undefined };
  const own = ownConnection(location);
  let counts: Counts | null = null;
  let countedAt = Number.NEGATIVE_INFINITY;
  let nextAt = 0;
  let counting: Promise<void> | null = null;
  let closed = false;

  async function count(): Promise<void> {
    const began = performance.now();
    try {
      counts = await countDeliveries(own ?? database);
      countedAt = performance.now();
    } catch (error) {
      logger.warn({ err: error }, 'the deliveries could not be counted');
    }
    nextAt = performance.now() + Math.max(minAgeMs, rest * (performance.now() - began));
    counting = null;
  }

  async function latest(): Promise<Counts | null> {
    if (!closed && counting === null && performance.now() >= nextAt) counting = count();
    if (counting !== null) await Promise.race([counting, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
    return counts;
  }

  const age = (since: number | null) => (since === null ? 0 : Math.max(0, (now().getTime() - since) / 1_000));
  metrics.observe('postern.deliveries', async () =>
    Object.entries((await latest())?.states ?? {}).map(([state, value]) => [value, { state }]),
  );
  const observeAge = (name: 'postern.delivery.oldest_due.age' | 'postern.events.oldest.age', of: keyof Counts) =>
    metrics.observe(name, async () => {
      const known = await latest();
      const since = known?.[of];
      return known === null ? [] : [[age(typeof since === 'number' ? since : null), {}]];
    });
  observeAge('postern.delivery.oldest_due.age', 'oldestDue');
  observeAge('postern.events.oldest.age', 'oldestEvent');
  metrics.observe('postern.delivery.backlog.age', async () =>
    (await latest()) === null ? [] : [[(performance.now() - countedAt) / 1_000, {}]],
  );
  return {
    async close() {
      closed = true;
      await counting;
      await own?.destroy();
    },
  };
}

/** A database in memory belongs to one connection. */
function ownConnection(location: DatabaseLocation): Database | null {
  if (location.kind === 'sqlite') return location.file === ':memory:' ? null : connect(location);
  const settings = { ...(location.settings ?? postgresDefaults), connections: 1 };
  return connect({ ...location, settings });
}

async function countDeliveries(database: Database): Promise<Counts> {
  // All states are in one index, with `deliveries_ready` and `deliveries_claimed` as parts of those that are pending.
  const { rows } = await sql<{ state: string; count: number }>`
    select state, count(*) as count from deliveries group by state`.execute(database);
  const ready = await sql<{ count: number; oldest: number | null }>`
    select count(*) as count, min(created_at) as oldest from deliveries where state = 'pending' and next_at = 0`.execute(
    database,
  );
  const claimed = await sql<{ count: number }>`
    select count(*) as count from deliveries where claim_token is not null`.execute(database);
  const events = await database
    .selectFrom('events')
    .select(({ fn }) => fn.min('created_at').as('oldest'))
    .executeTakeFirst();
  const count = Object.fromEntries(rows.map((row) => [row.state, Number(row.count)]));
  const due = Number(ready.rows[0]?.count ?? 0);
  const sending = Number(claimed.rows[0]?.count ?? 0);
  return {
    states: {
      due,
      sending,
      // The counts are of different moments.
      waiting: Math.max(0, (count.pending ?? 0) - due - sending),
      held: count.held ?? 0,
      succeeded: count.succeeded ?? 0,
      failed: count.failed ?? 0,
    },
    oldestDue: ready.rows[0]?.oldest ?? null,
    oldestEvent: events?.oldest ?? null,
  };
}
