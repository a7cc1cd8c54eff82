/** Stores what came of claims: the attempts, the deliveries, and what they say of their endpoints. */
import { type Kysely, sql } from 'kysely';
import { type DatabaseKind, type RowsText, rowsTable, rowsText } from '../store/json-rows.ts';
import type { DeliveryAttemptTable, Tables } from '../store/schema.ts';
import { disableWebhook } from '../webhooks/destinations.ts';
import type { Announcements } from './notifications.ts';
import { failingLimit, type Verdict } from './retry-policy.ts';

export interface SettleContext {
  readonly kind: DatabaseKind;
  readonly signals: Announcements;
}

/** What came of an attempt. */
export interface Outcome {
  readonly deliveryId: string;
  readonly claim: string;
  readonly webhookId: string;
  readonly attempt: DeliveryAttemptTable;
  readonly verdict: Verdict;
  /** Whether the endpoint was known to be failing when the delivery was claimed. */
  readonly wasFailing: boolean;
}

/** What is to be stored of outcomes, as plain data. */
export interface Settlement {
  /** Of each outcome the attempt, and what becomes of its delivery. */
  readonly results: RowsText<ResultColumn>;
  /** The outcomes at endpoints that fail, or did until now: those that say something of their health. */
  readonly health: readonly Pick<Outcome, 'deliveryId' | 'webhookId' | 'verdict'>[];
}

/** A claim that was not used. */
export interface Release {
  readonly deliveryId: string;
  readonly claim: string;
}

const attemptColumns = {
  delivery_id: 'text',
  number: 'bigint',
  started_at: 'bigint',
  duration_ms: 'bigint',
  status: 'bigint',
  failure: 'text',
  response_body: 'text',
} as const satisfies Record<keyof DeliveryAttemptTable, 'text' | 'bigint'>;

const deliveryColumns = {
  delivery_id: 'text',
  claim: 'text',
  state: 'text',
  number: 'bigint',
  next_at: 'bigint',
  finished_at: 'bigint',
} as const;

type ResultColumn = keyof typeof attemptColumns | keyof typeof deliveryColumns;

/** @param now epoch milliseconds */
export function settlementOf(outcomes: readonly Outcome[], now: number): Settlement {
  const troubled = new Set(
    outcomes.flatMap(({ webhookId, verdict, wasFailing }) =>
      verdict.outcome !== 'succeeded' || wasFailing ? webhookId : [],
    ),
  );
  const results = outcomes.map(({ claim, attempt, verdict: { outcome, delay } }) => ({
    ...attempt,
    claim,
    state: outcome === 'retry' ? 'pending' : outcome,
    next_at: outcome === 'retry' ? now + delay : 0,
    finished_at: outcome === 'retry' ? null : now,
  }));
  return { results: rowsText(results), health: outcomes.filter(({ webhookId }) => troubled.has(webhookId)) };
}

/**
 * @param now epoch milliseconds
 * @returns the deliveries that were ours to settle: those whose claim had not gone to another
 */
export async function settle(
  transaction: Kysely<Tables>,
  { kind, signals }: SettleContext,
  { results, health }: Settlement,
  now: number,
): Promise<string[]> {
  // The attempts first: once a delivery is settled, nothing tells any more that it was ours.
  const columns = Object.keys(attemptColumns);
  await sql`
    insert into delivery_attempts (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(columns.map((column) => sql.ref(`result.${column}`)))}
    from ${rowsTable(kind, 'result', { ...attemptColumns, claim: 'text' }, results)}
    join deliveries on deliveries.id = result.delivery_id and deliveries.claim_token = result.claim`.execute(
    transaction,
  );
  // A delivery that was held while it was on its way stays held, unless it has arrived.
  const { rows } = await sql<{ id: string }>`
    update deliveries set
      state = case when deliveries.state = 'held' and result.state = 'pending' then 'held' else result.state end,
      attempts = result.number, next_at = result.next_at, finished_at = result.finished_at, claim_token = null
    from ${rowsTable(kind, 'result', deliveryColumns, results)}
    where deliveries.id = result.delivery_id and deliveries.claim_token = result.claim
    returning deliveries.id as id`.execute(transaction);
  const ids = new Set(rows.map(({ id }) => id));
  await storeHealth(
    transaction,
    health.filter(({ deliveryId }) => ids.has(deliveryId)),
    now,
  );
  await signals.announceUpdates(transaction, [...ids]);
  return [...ids];
}

/** The last word of each endpoint counts. */
async function storeHealth(transaction: Kysely<Tables>, health: Settlement['health'], now: number): Promise<void> {
  const last = new Map(health.map((outcome) => [outcome.webhookId, outcome.verdict]));
  // In one order for all processes, so that two of them never wait for each other.
  for (const [webhookId, verdict] of [...last].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (verdict.outcome === 'succeeded') await storeRecovery(transaction, webhookId);
    else await storeFailure(transaction, webhookId, verdict, now);
  }
}

async function storeRecovery(transaction: Kysely<Tables>, webhookId: string): Promise<void> {
  await transaction
    .updateTable('webhook_destinations')
    .set({ failing_since: null, paused_until: 0 })
    .where('webhook_id', '=', webhookId)
    .execute();
}

async function storeFailure(transaction: Kysely<Tables>, webhookId: string, verdict: Verdict, now: number) {
  const { failing_since } = (await transaction
    .updateTable('webhook_destinations')
    .set(({ fn, ref, val }) => ({
      failing_since: fn.coalesce(ref('failing_since'), sql<number>`cast(${val(now)} as bigint)`),
      ...(verdict.pause === 0 ? {} : { paused_until: now + verdict.pause }),
    }))
    .where('webhook_id', '=', webhookId)
    .returning('failing_since')
    .executeTakeFirst()) ?? { failing_since: null };
  if (verdict.gone) await disableWebhook(transaction, webhookId, 'gone', now);
  else if (failing_since !== null && now - failing_since >= failingLimit) {
    await disableWebhook(transaction, webhookId, 'failing', now);
  }
}

/** Gives claims back: they are due at once. */
export async function release(
  transaction: Kysely<Tables>,
  { kind }: SettleContext,
  releases: readonly Release[],
): Promise<void> {
  if (releases.length === 0) return;
  const rows = rowsText(releases.map(({ deliveryId, claim }) => ({ id: deliveryId, claim })));
  await sql`
    update deliveries set claim_token = null, next_at = 0
    from ${rowsTable(kind, 'given', { id: 'text', claim: 'text' }, rows)}
    where deliveries.id = given.id and deliveries.claim_token = given.claim`.execute(transaction);
}
