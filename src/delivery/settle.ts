/** Settles deliveries: stores their attempts, their new states, and what the attempts say of the destinations' health. */
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Sample } from '../capabilities/deliveries/attempt-counts.ts';
import { disableWebhook } from '../capabilities/webhooks/destinations.ts';
import type { DisabledReason } from '../capabilities/webhooks/shapes.ts';
import { type DatabaseKind, type RowsText, rowsTable, rowsText } from '../store/json-rows.ts';
import { lockDestinations } from '../store/locks.ts';
import type { DeliveryAttemptTable, Tables } from '../store/schema.ts';
import { failingLimit, type RetryDecision } from './retry-policy.ts';

/** How an attempt ended. */
export interface Outcome {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly webhookId: string;
  readonly attempt: DeliveryAttemptTable;
  readonly decision: RetryDecision;
  /** Whether the destination was known to be failing when the delivery was claimed. */
  readonly wasFailing: boolean;
}

/** Outcomes as plain data, to be settled in another thread. */
export interface Settlement {
  /** For each outcome the attempt, and the new state of its delivery. */
  readonly results: RowsText<ResultColumn>;
  /**
   * The outcomes that say something of a destination's health: of those that fail, or did until now. An attempt that could
   * not be made says nothing.
   */
  readonly health: readonly Pick<Outcome, 'deliveryId' | 'webhookId' | 'decision'>[];
  /** What the statistics count. */
  readonly samples: readonly Sample[];
}

/** A webhook that was disabled because of its destination. */
export interface DisabledWebhook {
  readonly webhookId: string;
  readonly reason: Exclude<DisabledReason, 'caller'>;
}

/** What a settlement changed: the ids of the deliveries that were settled, and what was disabled. */
export interface Settled {
  readonly settled: ReadonlySet<string>;
  readonly disabled: readonly DisabledWebhook[];
}

/** A claim to give back unused. */
export interface Release {
  readonly deliveryId: string;
  readonly claimToken: string;
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
  claim_token: 'text',
  state: 'text',
  number: 'bigint',
  next_at: 'bigint',
  finished_at: 'bigint',
} as const;

type ResultColumn = keyof typeof attemptColumns | keyof typeof deliveryColumns;

/** @param now epoch milliseconds */
export function settlementOf(outcomes: readonly Outcome[], now: number): Settlement {
  const made = outcomes.filter(({ attempt: { status, failure } }) => status !== null || failure !== null);
  const troubled = new Set(
    made.flatMap(({ webhookId, decision, wasFailing }) =>
      decision.outcome !== 'succeeded' || wasFailing ? webhookId : [],
    ),
  );
  const results = outcomes.map(({ claimToken, attempt, decision: { outcome, delayMs } }) => ({
    ...attempt,
    claim_token: claimToken,
    state: outcome === 'retry' ? 'pending' : outcome,
    next_at: outcome === 'retry' ? now + delayMs : 0,
    finished_at: outcome === 'retry' ? null : now,
  }));
  return {
    results: rowsText(results),
    health: made.filter(({ webhookId }) => troubled.has(webhookId)),
    samples: outcomes.map(({ deliveryId, webhookId, attempt, decision }) => ({
      deliveryId,
      webhookId,
      startedAt: attempt.started_at,
      durationMs: attempt.duration_ms,
      succeeded: decision.outcome === 'succeeded',
    })),
  };
}

/**
 * Settles the deliveries whose claim has not passed to another worker.
 * @param transaction has locked the deliveries
 * @param now epoch milliseconds
 */
export async function settle(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  { results, health }: Settlement,
  now: number,
): Promise<Settled> {
  const rows = await storeResults[kind](transaction, results);
  const settled = new Set(rows.map(({ id }) => id));
  const ours = health.filter(({ deliveryId }) => settled.has(deliveryId));
  return { settled, disabled: await storeHealth(transaction, kind, ours, now) };
}

type StoreResults = (transaction: Kysely<Tables>, results: Settlement['results']) => Promise<{ readonly id: string }[]>;

const attemptFields = sql.join(Object.keys(attemptColumns).map((column) => sql.ref(column)));

/**
 * Compares the tokens in a way that no index serves. With `=` Postgres may take the index of claims, and read all that one claim
 * has taken for each of its deliveries.
 */
const isClaimedBy = (token: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`deliveries.claim_token is not distinct from ${token}`;

/** A delivery that was held while it was being sent stays held, unless it has succeeded or failed for good. */
const newState = sql`
  state = case when deliveries.state = 'held' and result.state = 'pending' then 'held' else result.state end,
  attempts = result.number, next_at = result.next_at, finished_at = result.finished_at, claim_token = null`;

/** Stores attempts and the new states of their deliveries, where the claim still holds. @returns these deliveries */
const storeResults: Readonly<Record<DatabaseKind, StoreResults>> = {
  async sqlite(transaction, results) {
    // The attempts first: settling removes the claim token that shows which deliveries are ours.
    await sql`
      insert into delivery_attempts (${attemptFields})
      select ${attemptFields}
      from ${rowsTable('sqlite', 'result', { ...attemptColumns, claim_token: 'text' }, results)}
      join deliveries on deliveries.id = result.delivery_id and deliveries.claim_token = result.claim_token`.execute(
      transaction,
    );
    const { rows } = await sql<{ id: string }>`
      update deliveries set ${newState}
      from ${rowsTable('sqlite', 'result', deliveryColumns, results)}
      where deliveries.id = result.delivery_id and deliveries.claim_token = result.claim_token
      returning deliveries.id as id`.execute(transaction);
    return rows;
  },

  /** The deliveries are locked: none of them is deleted before its attempt is stored. */
  async postgres(transaction, results) {
    const { rows } = await sql<{ id: string }>`
      with settled as (
        update deliveries set ${newState}
        from ${rowsTable('postgres', 'result', { ...attemptColumns, ...deliveryColumns }, results)}
        where deliveries.id = result.delivery_id and ${isClaimedBy(sql`result.claim_token`)}
        returning result.*
      ), attempted as (
        insert into delivery_attempts (${attemptFields}) select ${attemptFields} from settled
      )
      select delivery_id as id from settled`.execute(transaction);
    return rows;
  },
};

/** Stores what the last outcome of each destination says, or the one that says that it is gone. */
async function storeHealth(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  health: Settlement['health'],
  now: number,
): Promise<DisabledWebhook[]> {
  const last = new Map<string, RetryDecision>();
  for (const { webhookId, decision } of health) if (!last.get(webhookId)?.gone) last.set(webhookId, decision);
  const disabled: DisabledWebhook[] = [];
  for (const webhookId of await lockDestinations(transaction, kind, [...last.keys()])) {
    const decision = last.get(webhookId);
    if (decision === undefined) continue;
    if (decision.outcome === 'succeeded') await storeRecovery(transaction, webhookId);
    else {
      const reason = await storeFailure(transaction, webhookId, decision, now);
      if (reason !== null) disabled.push({ webhookId, reason });
    }
  }
  for (const { webhookId, reason } of disabled) await disableWebhook(transaction, webhookId, reason, now);
  return disabled;
}

async function storeRecovery(transaction: Kysely<Tables>, webhookId: string): Promise<void> {
  await transaction
    .updateTable('webhook_destinations')
    .set({ failing_since: null, paused_until: 0 })
    .where('webhook_id', '=', webhookId)
    .execute();
}

/** @returns why the webhook is to be disabled, or null */
async function storeFailure(
  transaction: Kysely<Tables>,
  webhookId: string,
  { gone, pauseMs }: RetryDecision,
  now: number,
): Promise<DisabledWebhook['reason'] | null> {
  const destination = await transaction
    .updateTable('webhook_destinations')
    .set(({ fn, ref, val }) => ({
      failing_since: fn.coalesce(ref('failing_since'), sql<number>`cast(${val(now)} as bigint)`),
      ...(pauseMs === 0 ? {} : { paused_until: now + pauseMs }),
    }))
    .where('webhook_id', '=', webhookId)
    .returning('failing_since')
    .executeTakeFirst();
  if (gone) return 'gone';
  const failingFor = now - (destination?.failing_since ?? now);
  return failingFor >= failingLimit ? 'failing' : null;
}

/** Gives claims back: their deliveries are due at once. */
export async function releaseClaims(
  transaction: Kysely<Tables>,
  kind: DatabaseKind,
  releases: readonly Release[],
): Promise<void> {
  if (releases.length === 0) return;
  const rows = rowsText(releases.map(({ deliveryId, claimToken }) => ({ id: deliveryId, claim_token: claimToken })));
  await sql`
    update deliveries set claim_token = null, next_at = 0
    from ${rowsTable(kind, 'released', { id: 'text', claim_token: 'text' }, rows)}
    where deliveries.id = released.id and ${isClaimedBy(sql`released.claim_token`)}`.execute(transaction);
}
