import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Sample } from '../capabilities/deliveries/attempt-counts.ts';
import { disableWebhook } from '../capabilities/webhooks/destinations.ts';
import type { DisabledReason } from '../capabilities/webhooks/shapes.ts';
import { isPostgres } from '../store/is-postgres.ts';
import { isOneOf, type JsonRow, type RowsText, rowsTable, rowsText } from '../store/json.ts';
import { lockCounts, lockDestinations } from '../store/locks.ts';
import { byDialect } from '../store/query-compilers.ts';
import type { DeliveryAttemptTable, DeliveryTable, Tables } from '../store/schema.ts';
import { judge } from './destination-health.ts';
import type { RetryDecision } from './retry-policy.ts';

export interface AttemptOutcome {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly webhookId: string;
  readonly attempt: DeliveryAttemptTable;
  readonly decision: RetryDecision;
  /** At the claim. */
  readonly wasFailing: boolean;
}

/** As plain data, to be settled in another thread. */
export interface Settlement {
  readonly results: RowsText<ResultColumn>;
  /** Attempts to destinations that fail, or did until now. An attempt that could not be made says nothing. */
  readonly health: readonly Pick<AttemptOutcome, 'deliveryId' | 'webhookId' | 'decision'>[];
  readonly samples: readonly Sample[];
}

export interface DisabledWebhook {
  readonly webhookId: string;
  readonly reason: Exclude<DisabledReason, 'caller'>;
}

export interface Settled {
  /** The workspace of each settled delivery, by id: its webhook may have left it since, to be deleted. */
  readonly settled: ReadonlyMap<string, string>;
  readonly disabled: readonly DisabledWebhook[];
}

export interface ReleasedClaim {
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
  response_headers: 'text',
} as const satisfies Record<keyof DeliveryAttemptTable, 'text' | 'bigint'>;

const changeColumns = {
  delivery_id: 'text',
  claim_token: 'text',
  state: 'text',
  number: 'bigint',
  next_at: 'bigint',
  finished_at: 'bigint',
} as const;

const resultColumns = { ...attemptColumns, ...changeColumns } as const;
type ResultColumn = keyof typeof resultColumns;

/** Whether a request was sent, or could be refused: without one, an attempt says nothing of its destination. */
export const wasMade = ({ status, failure }: Pick<DeliveryAttemptTable, 'status' | 'failure'>): boolean =>
  status !== null || failure !== null;

/** @param now epoch milliseconds */
export function settlementOf(outcomes: readonly AttemptOutcome[], now: number): Settlement {
  const made = outcomes.filter(({ attempt }) => wasMade(attempt));
  const troubled = new Set(
    made.flatMap(({ webhookId, decision, wasFailing }) =>
      decision.outcome !== 'succeeded' || wasFailing ? webhookId : [],
    ),
  );
  const results = outcomes.map((outcome) => resultOf(outcome, now));
  return {
    results: rowsText(resultColumns, results),
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

/** Written out: V8 takes longer to spread an object than to print it. */
function resultOf({ claimToken, attempt, decision }: AttemptOutcome, now: number): JsonRow<ResultColumn> {
  const { delivery_id, number, started_at, duration_ms, status, failure, response_body, response_headers } = attempt;
  const isRetry = decision.outcome === 'retry';
  return {
    delivery_id,
    number,
    started_at,
    duration_ms,
    status,
    failure,
    response_body,
    response_headers,
    claim_token: claimToken,
    state: isRetry ? 'pending' : decision.outcome,
    next_at: isRetry ? now + decision.delayMs : 0,
    finished_at: isRetry ? null : now,
  };
}

/**
 * Settles deliveries whose claim has not passed to another worker.
 * @param now epoch milliseconds. @param believed as in {@link judge}
 */
export async function settle(
  transaction: Transaction<Tables>,
  { results, health }: Settlement,
  now: number,
  believed: number = now,
): Promise<Settled> {
  const rows = await (isPostgres(transaction) ? storeResults.postgres : storeResults.sqlite)(transaction, results);
  const settled = new Map(rows.map((row) => [row.id, row.workspace_id]));
  const ours = health.filter(({ deliveryId }) => settled.has(deliveryId));
  return { settled, disabled: await storeHealth(transaction, ours, now, believed) };
}

type SettledRow = Pick<DeliveryTable, 'id' | 'workspace_id'>;
type StoreResults = (transaction: Kysely<Tables>, results: Settlement['results']) => Promise<SettledRow[]>;

const attemptFields = sql.join(Object.keys(attemptColumns).map((column) => sql.ref(column)));

/** Serves no index: with `=` Postgres may read all that a claim has taken for each of its deliveries. */
const isClaimedBy = (token: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`deliveries.claim_token is not distinct from ${token}`;

/** A delivery held while being sent stays held, unless it has succeeded or failed for good. */
const newState = sql`
  state = case when deliveries.state = 'held' and result.state = 'pending' then 'held' else result.state end,
  attempts = result.number, next_at = result.next_at, finished_at = result.finished_at, claim_token = null`;

/** Where the claim still holds. @returns these deliveries */
const storeResults: Readonly<Record<'sqlite' | 'postgres', StoreResults>> = {
  async sqlite(transaction, results) {
    // Attempts first: settling removes the claim token that shows which deliveries are ours.
    await sql`
      insert into delivery_attempts (${attemptFields})
      select ${attemptFields}
      from ${rowsTable('result', results)}
      join deliveries on deliveries.id = result.delivery_id and deliveries.claim_token = result.claim_token`.execute(
      transaction,
    );
    const { rows } = await sql<SettledRow>`
      update deliveries set ${newState}
      from ${rowsTable('result', results)}
      where deliveries.id = result.delivery_id and deliveries.claim_token = result.claim_token
      returning deliveries.id as id, deliveries.workspace_id as workspace_id`.execute(transaction);
    return rows;
  },

  /** The update locks the deliveries: none is deleted before its attempt is stored. */
  async postgres(transaction, results) {
    const { rows } = await sql<SettledRow>`
      with settled as (
        update deliveries set ${newState}
        from ${rowsTable('result', results)}
        where deliveries.id = result.delivery_id and ${isClaimedBy(sql`result.claim_token`)}
        returning result.*, deliveries.workspace_id
      ), attempted as (
        insert into delivery_attempts (${attemptFields}) select ${attemptFields} from settled
      )
      select delivery_id as id, workspace_id from settled`.execute(transaction);
    return rows;
  },
};

async function storeHealth(
  transaction: Transaction<Tables>,
  health: Settlement['health'],
  now: number,
  believed: number,
): Promise<DisabledWebhook[]> {
  const ends = Map.groupBy(health, ({ webhookId }) => webhookId);
  const judged = (await lockRuns(transaction, [...ends.keys()])).map((stored) => {
    const decisions = ends.get(stored.webhook_id)?.map(({ decision }) => decision) ?? [];
    return { webhookId: stored.webhook_id, stored, ...judge(stored, decisions, now, believed) };
  });
  const changed = judged.filter(({ stored, changes, disabled }) => stored.failing !== changes.failing || disabled);
  await lockCounts(
    transaction,
    changed.map(({ webhookId }) => webhookId),
  );
  for (const { webhookId, changes } of judged) {
    await transaction.updateTable('webhook_destinations').set(changes).where('webhook_id', '=', webhookId).execute();
  }
  const disabled = judged.flatMap(({ webhookId, disabled: reason }) =>
    reason === null ? [] : [{ webhookId, reason }],
  );
  for (const { webhookId, reason } of disabled) await disableWebhook(transaction, webhookId, reason, now);
  return disabled;
}

/** Locks destinations, and reads their runs of failures. @returns in lock order */
async function lockRuns(transaction: Transaction<Tables>, webhookIds: readonly string[]) {
  const locked = await lockDestinations(transaction, webhookIds);
  if (locked.length === 0) return [];
  return transaction
    .selectFrom('webhook_destinations')
    .select(['webhook_id', 'failing_since', 'failed_attempts', 'failing'])
    .where(isOneOf('webhook_id', locked))
    .orderBy('webhook_id')
    .execute();
}

/** Makes their deliveries due at once. */
export async function releaseClaims(transaction: Kysely<Tables>, releases: readonly ReleasedClaim[]): Promise<void> {
  if (releases.length === 0) return;
  const ids = releases.map(({ deliveryId }) => deliveryId);
  const rows = rowsText(
    { id: 'text', claim_token: 'text' },
    releases.map(({ deliveryId, claimToken }) => ({ id: deliveryId, claim_token: claimToken })),
  );
  // Of locked ones the lease ends by itself: nobody waits for them.
  const unlessLocked = byDialect({
    sqlite: () => sql``,
    postgres: () => sql`and deliveries.id in (
      select id from deliveries where ${isOneOf('id', ids)} for no key update skip locked)`,
  });
  await sql`
    update deliveries set claim_token = null, next_at = 0
    from ${rowsTable('released', rows)}
    where deliveries.id = released.id and ${isClaimedBy(sql`released.claim_token`)} ${unlessLocked}`.execute(
    transaction,
  );
}
