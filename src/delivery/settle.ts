/** Stores what came of claims: the attempts, the deliveries, and what they say of their endpoints. */
import { type Kysely, sql } from 'kysely';
import { type DatabaseKind, rowsTable } from '../store/rows.ts';
import type { DeliveryAttemptTable, Tables } from '../store/schema.ts';
import { disableWebhook } from './endpoints.ts';
import { failingLimit, type Verdict } from './retry.ts';
import type { Signals } from './signals.ts';

export interface SettleContext {
  readonly kind: DatabaseKind;
  readonly signals: Signals;
  readonly now: () => Date;
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

/** A claim that was not used. */
export interface Release {
  readonly deliveryId: string;
  readonly claim: string;
}

/** @returns the deliveries that were ours to settle: those whose claim had not gone to another */
export async function settle(
  transaction: Kysely<Tables>,
  context: SettleContext,
  outcomes: readonly Outcome[],
): Promise<string[]> {
  if (outcomes.length === 0) return [];
  const { kind, signals } = context;
  const now = context.now().getTime();
  const results = outcomes.map(({ deliveryId, claim, attempt, verdict }) => ({
    id: deliveryId,
    claim,
    state: verdict.outcome === 'retry' ? 'pending' : verdict.outcome,
    number: attempt.number,
    next_at: verdict.outcome === 'retry' ? now + verdict.delay : 0,
    finished_at: verdict.outcome === 'retry' ? null : now,
  }));
  const columns = {
    id: 'text',
    claim: 'text',
    state: 'text',
    number: 'bigint',
    next_at: 'bigint',
    finished_at: 'bigint',
  } as const;
  // A delivery that was held while it was on its way stays held, unless it has arrived.
  const { rows } = await sql<{ id: string }>`
    update deliveries set
      state = case when deliveries.state = 'held' and result.state = 'pending' then 'held' else result.state end,
      attempts = result.number, next_at = result.next_at, finished_at = result.finished_at, claim = null
    from ${rowsTable(kind, 'result', columns, results)}
    where deliveries.id = result.id and deliveries.claim = result.claim
    returning deliveries.id as id`.execute(transaction);
  const ids = new Set(rows.map(({ id }) => id));
  const settled = outcomes.filter(({ deliveryId }) => ids.has(deliveryId));
  await storeAttempts(transaction, context, settled);
  await storeHealth(transaction, settled, now);
  await signals.announceUpdates(transaction, [...ids]);
  return [...ids];
}

const attemptColumns = {
  delivery_id: 'text',
  number: 'bigint',
  started_at: 'bigint',
  duration_ms: 'bigint',
  status: 'bigint',
  failure: 'text',
  answer: 'text',
} as const satisfies Record<keyof DeliveryAttemptTable, 'text' | 'bigint'>;

async function storeAttempts(transaction: Kysely<Tables>, { kind }: SettleContext, settled: readonly Outcome[]) {
  if (settled.length === 0) return;
  const columns = sql.join(Object.keys(attemptColumns).map((column) => sql.ref(column)));
  const attempts = settled.map(({ attempt }) => ({ ...attempt }));
  await sql`insert into delivery_attempts (${columns})
    select ${columns} from ${rowsTable(kind, 'made', attemptColumns, attempts)}`.execute(transaction);
}

/** The last word of each endpoint counts; written only where it changes something. */
async function storeHealth(transaction: Kysely<Tables>, settled: readonly Outcome[], now: number): Promise<void> {
  const last = new Map(settled.map((outcome) => [outcome.webhookId, outcome]));
  const failedBefore = new Set(
    settled.filter(({ verdict }) => verdict.outcome !== 'succeeded').map(({ webhookId }) => webhookId),
  );
  // In one order for all processes, so that two of them never wait for each other.
  for (const [webhookId, { verdict, wasFailing }] of [...last].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (verdict.outcome === 'succeeded') {
      if (wasFailing || failedBefore.has(webhookId)) await storeRecovery(transaction, webhookId);
    } else {
      await storeFailure(transaction, webhookId, verdict, now);
    }
  }
}

async function storeRecovery(transaction: Kysely<Tables>, webhookId: string): Promise<void> {
  await transaction
    .updateTable('endpoints')
    .set({ failing_since: null, paused_until: 0 })
    .where('webhook_id', '=', webhookId)
    .execute();
}

async function storeFailure(transaction: Kysely<Tables>, webhookId: string, verdict: Verdict, now: number) {
  const { failing_since } = (await transaction
    .updateTable('endpoints')
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
  const rows = releases.map(({ deliveryId, claim }) => ({ id: deliveryId, claim }));
  await sql`
    update deliveries set claim = null, next_at = 0
    from ${rowsTable(kind, 'given', { id: 'text', claim: 'text' }, rows)}
    where deliveries.id = given.id and deliveries.claim = given.claim`.execute(transaction);
}
