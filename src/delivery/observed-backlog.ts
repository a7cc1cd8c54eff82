/**
 * Counts of deliveries and the age of what is due, for metrics, on a connection (on SQLite a thread) of their own: a
 * million takes a tenth of a second and more. At most every ten seconds, and for a twentieth of the time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../kernel/lib/time-units.ts';
import { type Database, type DatabaseLocation, openUnmigrated } from '../store/database.ts';
import { postgresDefaults } from '../store/postgres-settings.ts';
import type { Metrics } from '../telemetry/telemetry.ts';

const minAgeMs = 10_000;
/** Of a count's length. */
const rest = 20;
/** Milliseconds that metrics wait for a count; then they show the last one. */
const patienceMs = 250;

interface Backlog {
  close(): Promise<void>;
}

interface BacklogCounts {
  readonly states: Readonly<Record<string, number>>;
  /** Epoch milliseconds; null if nothing is due. */
  readonly oldestDue: number | null;
  readonly oldestEvent: number | null;
}

export function startBacklog(
  database: Database,
  location: DatabaseLocation,
  {
    metrics,
    now,
    logger,
    clock = () => performance.now(),
  }: {
    readonly metrics: Metrics | null;
    readonly now: () => Date;
    readonly logger: Logger;
    readonly clock?: Clock;
  },
): Backlog {
  if (metrics === null) return { close: async () => undefined };
  let own: Database | null = null;
  let counts: BacklogCounts | null = null;
  let countedAt = Number.NEGATIVE_INFINITY;
  let nextAt = 0;
  let counting: Promise<void> | null = null;
  let closed = false;

  async function count(): Promise<void> {
    const began = clock();
    try {
      own ??= await ownConnection(location);
      counts = await countByState(own ?? database);
      countedAt = clock();
    } catch (error) {
      // Former counts would say that all is well.
      counts = null;
      logger.warn({ err: error }, 'the deliveries could not be counted');
    }
    nextAt = clock() + Math.max(minAgeMs, rest * (clock() - began));
    counting = null;
  }

  async function latest(): Promise<BacklogCounts | null> {
    if (!closed && counting === null && clock() >= nextAt) counting = count();
    if (counting !== null) await Promise.race([counting, sleep(patienceMs, undefined, { ref: false })]);
    return counts;
  }

  const age = (since: number | null) => (since === null ? 0 : Math.max(0, (now().getTime() - since) / 1_000));
  metrics.observe('postern.deliveries', async () =>
    Object.entries((await latest())?.states ?? {}).map(([state, value]) => [value, { state }]),
  );
  const observeAge = (name: 'postern.delivery.oldest_due.age' | 'postern.events.oldest.age', of: keyof BacklogCounts) =>
    metrics.observe(name, async () => {
      const known = await latest();
      const since = known?.[of];
      return known === null ? [] : [[age(typeof since === 'number' ? since : null), {}]];
    });
  observeAge('postern.delivery.oldest_due.age', 'oldestDue');
  observeAge('postern.events.oldest.age', 'oldestEvent');
  metrics.observe('postern.delivery.backlog.age', async () =>
    (await latest()) === null ? [] : [[(clock() - countedAt) / 1_000, {}]],
  );
  return {
    async close() {
      closed = true;
      await counting;
      await own?.destroy();
    },
  };
}

/** A database in memory has one connection. */
async function ownConnection(location: DatabaseLocation): Promise<Database | null> {
  if (location.kind === 'sqlite') return location.file === ':memory:' ? null : openUnmigrated(location);
  const settings = { ...(location.settings ?? postgresDefaults), connections: 1 };
  return openUnmigrated({ ...location, settings });
}

async function countByState(database: Database): Promise<BacklogCounts> {
  // All states are in one index; `deliveries_ready` and `deliveries_claimed` are parts of the pending ones.
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
