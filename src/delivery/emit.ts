/** The way in: an event and its deliveries are stored in one transaction, and only then acknowledged. */
import { createHash } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { DeliveryEvent } from '../events/event.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newTimedId, type RandomBytes } from '../kernel/ids.ts';
import { type DatabaseKind, rowsTable, rowsText } from '../store/json-rows.ts';
import type { ChangeRecorder, NotifyingTransaction } from '../store/notifications.ts';
import type { DeliveryTable, Tables } from '../store/schema.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { receiversOf } from './receivers.ts';

/** Something that happened to an account, as a provider adapter or a caller reports it. */
export interface Emission extends Omit<DeliveryEvent, 'id'> {
  /**
   * A second emission for the account under the same key returns the first one. Keys are those of an account, whichever API
   * key emits: a producer may change its API key between a request and its repetition, and one that is limited to accounts
   * must not meet the idempotency keys of others.
   */
  readonly idempotencyKey?: string | undefined;
  /** The emitter's own input, if `data` was completed with values that differ from call to call. */
  readonly given?: unknown;
  /** The only webhook that receives the event, whatever it is subscribed to: for triggers and test events. */
  readonly webhookId?: string | undefined;
}

export interface Emitted {
  readonly eventId: string;
  /** Its deliveries, held ones included. */
  readonly deliveries: readonly string[];
  /** Whether the event had been emitted before, under the same key: then nothing was created. */
  readonly repeated: boolean;
}

/**
 * Stores an event and its deliveries. When it resolves, both survive whatever happens to the process.
 * @throws ServiceError `invalid_parameters` when the idempotency key was used for another event of the account
 */
export type Emit = (emission: Emission) => Promise<Emitted>;

export interface EmitContext {
  readonly transaction: NotifyingTransaction;
  readonly kind: DatabaseKind;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly telemetry?: Pick<Telemetry, 'metrics' | 'tracer'>;
}

export const createEmit =
  (context: EmitContext): Emit =>
  async (emission) => {
    const emitted = await context.transaction((transaction, changed) => store(transaction, changed, context, emission));
    const metrics = context.telemetry?.metrics;
    if (!emitted.repeated) {
      metrics?.count('postern.events', {});
      metrics?.count('postern.deliveries.created', {}, emitted.deliveries.length);
    }
    return emitted;
  };

async function store(
  transaction: Transaction<Tables>,
  changed: ChangeRecorder,
  { kind, now, randomBytes, telemetry = noTelemetry }: EmitContext,
  emission: Emission,
): Promise<Emitted> {
  const { workspaceId, accountId, accountType, source, event, data, idempotencyKey = null } = emission;
  const fingerprint = fingerprintOf(emission);
  const created_at = now().getTime();
  const id = newTimedId(randomBytes, created_at);
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('events')
    .values({
      id,
      workspace_id: workspaceId,
      account_id: accountId,
      account_type: accountType,
      source,
      event,
      data: JSON.stringify(data),
      idempotency_key: idempotencyKey,
      fingerprint,
      traceparent: telemetry.tracer?.headers().traceparent ?? null,
      created_at,
    })
    .onConflict((conflict) =>
      conflict.expression(sql`workspace_id, idempotency_key, coalesce(account_id, '')`).doNothing(),
    )
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) return repeated(transaction, emission, fingerprint);

  const ids: string[] = [];
  for await (const receivers of receiversOf(transaction, kind, emission)) {
    const deliveries = receivers.map(
      ({ webhookId, enabled }): DeliveryTable => ({
        id: newTimedId(randomBytes, created_at),
        workspace_id: workspaceId,
        webhook_id: webhookId,
        event_id: id,
        account_id: accountId,
        event,
        state: enabled ? 'pending' : 'held',
        attempts: 0,
        attempts_before: 0,
        next_at: 0,
        claim_token: null,
        created_at,
        finished_at: null,
      }),
    );
    await insertDeliveries(transaction, kind, deliveries);
    for (const delivery of deliveries) ids.push(delivery.id);
  }
  if (ids.length > 0) {
    changed.work();
    changed.deliveries(ids);
  }
  return { eventId: id, deliveries: ids, repeated: false };
}

const deliveryColumns = {
  id: 'text',
  workspace_id: 'text',
  webhook_id: 'text',
  event_id: 'text',
  account_id: 'text',
  event: 'text',
  state: 'text',
  attempts: 'bigint',
  attempts_before: 'bigint',
  next_at: 'bigint',
  claim_token: 'text',
  created_at: 'bigint',
  finished_at: 'bigint',
} as const satisfies Record<keyof DeliveryTable, 'text' | 'bigint'>;

async function insertDeliveries(
  transaction: Kysely<Tables>,
  kind: DatabaseKind,
  deliveries: readonly DeliveryTable[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const columns = sql.join(Object.keys(deliveryColumns).map((column) => sql.ref(column)));
  const rows = rowsTable(kind, 'new_delivery', deliveryColumns, rowsText(deliveries));
  await sql`insert into deliveries (${columns}) select ${columns} from ${rows}`.execute(transaction);
}

async function repeated(transaction: Kysely<Tables>, emission: Emission, fingerprint: string): Promise<Emitted> {
  const first = await transaction
    .selectFrom('events')
    .select(['id', 'fingerprint'])
    .where('workspace_id', '=', emission.workspaceId)
    .where('idempotency_key', '=', emission.idempotencyKey ?? null)
    .where('account_id', emission.accountId === null ? 'is' : '=', emission.accountId)
    .executeTakeFirstOrThrow();
  if (first.fingerprint !== fingerprint) {
    throw new ServiceError('invalid_parameters', {
      detail: 'idempotency_key was used for another event of the account',
      issues: [{ path: ['idempotency_key'], message: 'was used for another event of the account' }],
    });
  }
  const deliveries = await transaction.selectFrom('deliveries').select('id').where('event_id', '=', first.id).execute();
  return { eventId: first.id, deliveries: deliveries.map(({ id }) => id), repeated: true };
}

const fingerprintOf = ({ accountId, source, event, data, given = data, webhookId }: Emission): string =>
  createHash('sha256')
    .update(JSON.stringify([accountId, source, event, given, webhookId]))
    .digest('base64url');
