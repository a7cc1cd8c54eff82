/**
 * Counts of deliveries and the ages of what waits, by the reason, for metrics, on a connection (on SQLite a thread) of their own: a
 * million takes a tenth of a second and more. At most every ten seconds, and for a twentieth of the time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { Troubles } from '../kernel/troubles.ts';
import { type Database, type DatabaseLocation, openUnmigrated } from '../store/database.ts';
import { postgresDefaults } from '../store/postgres-settings.ts';
import type { Metrics } from '../telemetry/telemetry.ts';

const minAgeMs = 10_000;
/** Multiple of a count's length. */
const rest = 20;
/** Milliseconds that metrics wait for a count; then they show the last one. */
const patienceMs = 250;

/**
 * Why a delivery has not arrived:
 * - `due`: for no reason of its destination; it could be sent now
 * - `behind`: it is due, behind requests to its destination, or that one fails
 * - `sending`: a process has claimed it
 * - `retrying`: its last attempt failed, and the next one has its time
 * - `paused`: its destination asked for a pause
 * - `held`: its webhook is disabled, or left its account
 */
const reasons = ['due', 'behind', 'sending', 'retrying', 'paused', 'held'] as const;
type Reason = (typeof reasons)[number];

interface BacklogCounts {
  readonly states: Readonly<Record<string, number>>;
  /** Epoch milliseconds; none where nothing waits for the reason. */
  readonly oldest: ReadonlyMap<Reason, number>;
  readonly oldestEvent: number | null;
}

export function startBacklog(
  database: Database,
  location: DatabaseLocation,
  {
    metrics,
    now,
    troubles,
    clock = () => performance.now(),
  }: {
    readonly metrics: Metrics | null;
    readonly now: () => Date;
    readonly troubles: Troubles;
    readonly clock?: Clock;
  },
) {
  if (metrics === null) return { close: async () => undefined };
  const trouble = troubles.of('the deliveries could not be counted', { level: 'warn', onDemand: true });
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
      counts = await countByState(own ?? database, now().getTime());
      countedAt = clock();
      trouble.worked();
    } catch (error) {
      // Former counts would say that all is well.
      counts = null;
      trouble.failed(error);
    }
    nextAt = clock() + Math.max(minAgeMs, rest * (clock() - began));
    counting = null;
  }

  async function latest(): Promise<BacklogCounts | null> {
    if (!closed && counting === null && clock() >= nextAt) counting = count();
    if (counting !== null) await Promise.race([counting, sleep(patienceMs, undefined, { ref: false })]);
    return counts;
  }

  const age = (since: number | null | undefined) =>
    since === null || since === undefined ? 0 : Math.max(0, (now().getTime() - since) / 1_000);
  metrics.observe('postern.deliveries', async () =>
    Object.entries((await latest())?.states ?? {}).map(([state, value]) => [value, { state }]),
  );
  metrics.observe('postern.delivery.oldest_due.age', async () => {
    const known = await latest();
    return known === null ? [] : [[age(known.oldest.get('due')), {}]];
  });
  metrics.observe('postern.delivery.oldest.age', async () => {
    const known = await latest();
    return known === null ? [] : reasons.map((reason) => [age(known.oldest.get(reason)), { reason }]);
  });
  metrics.observe('postern.events.oldest.age', async () => {
    const known = await latest();
    return known === null ? [] : [[age(known.oldestEvent), {}]];
  });
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

async function countByState(database: Database, now: number): Promise<BacklogCounts> {
  // All states are in one index.
  const { rows } = await sql<{ state: string; count: number; oldest: number }>`
    select state, count(*) as count, min(created_at) as oldest from deliveries group by state`.execute(database);
  const waiting = await countByReason(database, now);
  const events = await database
    .selectFrom('events')
    .select(({ fn }) => fn.min('created_at').as('oldest'))
    .executeTakeFirst();
  const count = Object.fromEntries(rows.map((row) => [row.state, Number(row.count)]));
  const sum = (counted: readonly ReasonRow[]) => counted.reduce((total, row) => total + Number(row.count), 0);
  const due = sum(waiting.filter(({ is_ready }) => is_ready === 1));
  const sending = sum(waiting.filter(({ reason }) => reason === 'sending'));
  const held = rows.filter(({ state }) => state === 'held').map(({ oldest }) => ({ reason: 'held' as const, oldest }));
  const oldest = new Map<Reason, number>();
  for (const each of [...waiting, ...held]) {
    oldest.set(each.reason, Math.min(Number(each.oldest), oldest.get(each.reason) ?? Number.POSITIVE_INFINITY));
  }
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
    oldest,
    oldestEvent: events?.oldest ?? null,
  };
}

interface ReasonRow {
  readonly reason: Reason;
  /** Whether claims find it: 0 or 1. */
  readonly is_ready: number;
  readonly count: number;
  readonly oldest: number;
}

/** Counts pending ones. Those that are ready, of which there may be a million, are first counted in their index alone. */
async function countByReason(database: Database, now: number): Promise<readonly ReasonRow[]> {
  const { rows } = await sql<ReasonRow>`
    with ready as (
      select webhook_id, count(*) as count, min(created_at) as oldest
      from deliveries where state = 'pending' and next_at = 0 group by webhook_id
    ), pending as (
      select webhook_id, 1 as is_ready, 1 as is_due, 0 as is_claimed, count, oldest from ready
      union all
      select webhook_id, 0, is_due, is_claimed, count(*), min(created_at) from (
        select webhook_id, created_at, case when next_at <= ${now} then 1 else 0 end as is_due,
          case when claim_token is null then 0 else 1 end as is_claimed
        from deliveries where state = 'pending' and next_at > 0
      ) later
      group by webhook_id, is_due, is_claimed
    ), busy as (
      select distinct webhook_id from deliveries
      where state = 'pending' and claim_token is not null and next_at > ${now}
    )
    select reason, is_ready, sum(count) as count, min(oldest) as oldest from (
      select is_ready, count, oldest, case
        when is_claimed = 1 and is_due = 0 then 'sending'
        when webhooks.enabled = 0 then 'held'
        when destination.paused_until > ${now} then 'paused'
        when is_due = 0 then 'retrying'
        when busy.webhook_id is not null or destination.failing_since is not null then 'behind'
        else 'due' end as reason
      from pending
      join webhooks on webhooks.id = pending.webhook_id
      join webhook_destinations destination on destination.webhook_id = pending.webhook_id
      left join busy on busy.webhook_id = pending.webhook_id
    ) judged
    group by reason, is_ready`.execute(database);
  return rows;
}
