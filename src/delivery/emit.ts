/** The way in: an event is acknowledged once it is stored with its deliveries, in one transaction. */
import { hash } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { DeliveryEvent } from '../events/event.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newTimedId, type RandomBytes } from '../kernel/ids.ts';
import { parts } from '../kernel/lib/parts.ts';
import { DatabaseFault } from '../store/faults.ts';
import { rowsTable, rowsText } from '../store/json.ts';
import { keyLock, lockKey } from '../store/locks.ts';
import type { ChangeRecorder, NotifyingStatement, NotifyingTransaction } from '../store/notifications.ts';
import type { DeliveryTable, EventTable, Tables } from '../store/schema.ts';
import type { MarkedQuery } from '../store/short-reads.ts';
import { rowBytes, type StoredBytes } from '../store/stored-bytes.ts';
import type { InLine } from '../store/workspace-lines.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { type Receiver, readReceivers, receiversOf } from './receivers.ts';

export interface Emission extends Omit<DeliveryEvent, 'id'> {
  /**
   * A second emission under an account's key returns the first. Keys belong to the account and not to the API key: a
   * producer may change API keys before it repeats, and a key limited to accounts must not meet others' idempotency
   * keys.
   */
  readonly idempotencyKey?: string | undefined;
  /** The emitter's own input, where `data` was completed with values that differ from call to call. */
  readonly given?: unknown;
  /** Why there is nothing to emit now: thrown, unless the key is known and the first emission answers. */
  readonly refusal?: ServiceError | undefined;
  /** The only receiver, whatever its subscriptions: for triggers and test events. */
  readonly webhookId?: string | undefined;
}

interface Emitted {
  readonly eventId: string;
  /** Held ones included. */
  readonly deliveries: readonly string[];
  /** Whether the key was known: nothing was created. */
  readonly repeated: boolean;
  /** Time of the event, in epoch milliseconds. */
  readonly createdAt: number;
}

interface Stored extends Emitted {
  readonly bytes: number;
}

/** Survives the process once it resolves. @throws ServiceError `invalid_parameters` for another event's key */
export type Emit = (emission: Emission) => Promise<Emitted>;

interface EmitContext {
  readonly transaction: NotifyingTransaction;
  /** Where one statement can store an event with its deliveries. */
  readonly statement?: NotifyingStatement | null;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly telemetry?: Pick<Telemetry, 'metrics' | 'tracer'>;
  readonly storedBytes: Pick<StoredBytes, 'add'>;
  /** Lines for transactions, which may wait for locks; by default none. */
  readonly inLine?: InLine | undefined;
}

export function createEmit(context: EmitContext): Emit {
  const { inLine = (_, work) => work() } = context;
  let together: StoreTogether | undefined;
  return async (emission) => {
    const { workspaceId, webhookId, accountId } = emission;
    const { bytes, ...emitted } =
      (await context.statement?.((database, changed) => {
        together ??= storingTogether(database);
        return storeAtOnce(together, database, changed, context, emission);
      })) ??
      (await inLine({ workspaceId, subject: webhookId ?? accountId ?? undefined }, () =>
        context.transaction((transaction, changed) => store(transaction, changed, context, emission)),
      ));
    const metrics = context.telemetry?.metrics;
    if (!emitted.repeated) {
      context.storedBytes.add(emission.workspaceId, bytes);
      metrics?.count('postern.events', {});
      metrics?.count('postern.deliveries.created', {}, emitted.deliveries.length);
    }
    return emitted;
  };
}

async function store(
  transaction: Transaction<Tables>,
  changed: ChangeRecorder,
  { now, randomBytes, telemetry = noTelemetry }: EmitContext,
  emission: Emission,
): Promise<Stored> {
  const created_at = now().getTime();
  const { refusal } = emission;
  if (refusal !== undefined) {
    const first = await repeated(transaction, emission, fingerprintOf(emission));
    if (first === null) throw refusal;
    return { ...first, bytes: 0 };
  }
  if (emission.idempotencyKey !== undefined) await lockKey(transaction, emission, emission.idempotencyKey);
  const stored = eventRow(emission, newTimedId(randomBytes, created_at), created_at);
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('events')
    .values({ ...stored, traceparent: telemetry.tracer?.headers().traceparent ?? null })
    .onConflict((conflict) =>
      conflict.expression(sql`workspace_id, idempotency_key, coalesce(account_id, '')`).doNothing(),
    )
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) {
    const first = await repeated(transaction, emission, stored.fingerprint);
    if (first === null) throw new Error('The event under the key was deleted a moment ago');
    return { ...first, bytes: 0 };
  }

  const ids: string[] = [];
  for await (const receivers of receiversOf(transaction, emission)) {
    const deliveries = receivers.map((receiver) => deliveryTo(receiver, stored, randomBytes));
    ids.push(...(await insertDeliveries(transaction, deliveries)));
  }
  return announced(stored, ids, changed);
}

/** Of an event that one statement stores with others: more text takes longer to unpack than a transaction. */
const mostCharacters = 16_384;

/** What one statement stores, by {@link charactersOf}. */
const ofStatement = { items: 32, weight: 524_288 } as const;

const charactersOfDelivery = 256;

/** An event, and the deliveries to its receivers as they were read. */
interface NewEvent {
  readonly event: Required<EventTable>;
  readonly deliveries: readonly (DeliveryTable & Pick<Receiver, 'revision'>)[];
}

/** @returns the ids of the event's deliveries; null if a transaction has to store it */
type StoreTogether = (workspaceId: string, read: () => Promise<NewEvent | null>) => Promise<readonly string[] | null>;

/**
 * {@link store} with one statement, which costs half as much, and less together with others: if the event's key is new, and its
 * receivers still are as they were read. @returns null if not, with nothing stored
 */
async function storeAtOnce(
  storeTogether: StoreTogether,
  database: Kysely<Tables>,
  changed: ChangeRecorder,
  context: EmitContext,
  emission: Emission,
): Promise<Stored | null> {
  if (emission.refusal !== undefined || emission.webhookId !== undefined) return null;
  // Others read and store it.
  const traceparent = context.telemetry?.tracer?.headers().traceparent ?? null;
  const last: { read: NewEvent | null } = { read: null };
  try {
    const stored = await storeTogether(emission.workspaceId, async () => {
      last.read = await readNewEvent(database, context, emission, traceparent);
      return last.read;
    });
    return stored === null || last.read === null ? null : announced(last.read.event, stored, changed);
  } catch (error) {
    // It may be stored: workers and watchers look for it.
    if (last.read !== null && isUnknown(error)) announced(last.read.event, idsOf(last.read.deliveries), changed);
    throw error;
  }
}

const isUnknown = (error: unknown): boolean => error instanceof ServiceError && error.outcomeUnknown === true;

/** @returns null for what a transaction has to store */
async function readNewEvent(
  database: Kysely<Tables>,
  { now, randomBytes }: EmitContext,
  emission: Emission,
  traceparent: string | null,
): Promise<NewEvent | null> {
  const created_at = now().getTime();
  const row = eventRow(emission, newTimedId(randomBytes, created_at), created_at);
  const receivers = row.data.length > mostCharacters ? null : await readReceivers(database, emission);
  if (receivers === null) return null;
  const event = { ...row, webhook_id: null, traceparent };
  const deliveries = receivers.map((receiver) => ({
    ...deliveryTo(receiver, event, randomBytes),
    revision: receiver.revision,
  }));
  return { event, deliveries };
}

const charactersOf = ({ event, deliveries }: NewEvent): number =>
  event.data.length + charactersOfDelivery * deliveries.length;

const idsOf = (deliveries: readonly DeliveryTable[]): readonly string[] => deliveries.map(({ id }) => id);

interface Waiting {
  readonly read: () => Promise<NewEvent | null>;
  readonly end: PromiseWithResolvers<readonly string[] | null>;
}

interface ReadEvent extends NewEvent {
  readonly waiting: Waiting;
}

/** While events of a workspace are stored, its next ones wait for each other. Workspaces do not wait for each other. */
function storingTogether(database: Kysely<Tables>): StoreTogether {
  const waiting = new Map<string, Waiting[]>();

  async function readAll(some: readonly Waiting[]): Promise<readonly ReadEvent[]> {
    const read = some.map(async (each) => {
      try {
        const added = await each.read();
        if (added !== null) return [{ ...added, waiting: each }];
        each.end.resolve(null);
      } catch (error) {
        each.end.reject(error);
      }
      return [];
    });
    return (await Promise.all(read)).flat();
  }

  /** @returns why they could not be stored */
  async function storePart(part: readonly ReadEvent[]): Promise<{ readonly error: unknown } | null> {
    try {
      const stored = await insertEvents(database, part);
      for (const { event, deliveries, waiting } of part)
        waiting.end.resolve(stored.has(event.id) ? idsOf(deliveries).filter((id) => stored.has(id)) : null);
      return null;
    } catch (error) {
      for (const { waiting } of part) waiting.end.reject(error);
      // Of the others nothing was sent.
      return { error: isUnknown(error) ? new DatabaseFault('unavailable', error) : error };
    }
  }

  async function storeAll(workspaceId: string, own: Waiting[]): Promise<void> {
    waiting.set(workspaceId, own);
    while (own.length > 0) {
      const read = await readAll(own.splice(0, ofStatement.items));
      const [part = [], ...rest] = parts(read, charactersOf, ofStatement);
      // Read once more in their turn: an event is no older than the statement that stores it.
      own.unshift(...rest.flat().map(({ waiting }) => waiting));
      const fault = part.length === 0 ? null : await storePart(part);
      // Each would wait as long for the same.
      if (fault !== null) for (const { end } of own.splice(0)) end.reject(fault.error);
    }
    waiting.delete(workspaceId);
  }

  return (workspaceId, read) => {
    const end: Waiting['end'] = Promise.withResolvers();
    const added = { read, end };
    const others = waiting.get(workspaceId);
    if (others === undefined) storeAll(workspaceId, [added]).catch(end.reject);
    else others.push(added);
    return end.promise;
  };
}

/**
 * Receivers are looked up one by one: Postgres expects a hundred rows of JSON, for which it would read all webhooks of a table of
 * thousands. A locked one may be changing, and what has a locked key may be known: nothing waits for either.
 * @returns the ids of the stored events and deliveries
 */
async function insertEvents(database: Kysely<Tables>, events: readonly NewEvent[]): Promise<ReadonlySet<string>> {
  const eventRows = events.map(({ event, deliveries }) => ({ ...event, receivers: deliveries.length }));
  const deliveryRows = events.flatMap(({ deliveries }) => deliveries);
  const [ofEvents, ofDeliveries] = [eventColumns, insertedColumns].map((columns) =>
    sql.join(Object.keys(columns).map((column) => sql.ref(column))),
  );
  const statement = sql<{ id: string }>`with new_event as materialized (
      select * from ${rowsTable('given', rowsText({ ...eventColumns, receivers: 'bigint' }, eventRows))}
    ),
    new_delivery as materialized (
      select * from ${rowsTable('given', rowsText({ ...insertedColumns, revision: 'bigint' }, deliveryRows))}
    ),
    receiver as (
      select sent.event_id from new_delivery as sent cross join lateral (
        select id from webhooks where id = sent.webhook_id and revision = sent.revision for key share skip locked
      ) same
    ),
    event as (
      insert into events (${ofEvents}) select ${ofEvents} from new_event
      where (select count(*) from receiver where receiver.event_id = new_event.id) = new_event.receivers
        and (idempotency_key is null or pg_try_advisory_xact_lock(${keyLock(sql`workspace_id`, sql`account_id`, sql`idempotency_key`)}))
      on conflict (workspace_id, idempotency_key, coalesce(account_id, '')) do nothing
      returning id
    ),
    delivery as (
      insert into deliveries (${ofDeliveries}) select ${ofDeliveries} from new_delivery
      where event_id in (select id from event)
      on conflict do nothing
      returning id
    )
    select id from event union all select id from delivery`;
  const change: MarkedQuery = { ...statement.compile(database), isChange: true };
  const { rows } = await database.executeQuery<{ id: string }>(change);
  return new Set(rows.map(({ id }) => id));
}

const deliveryTo = ({ webhookId, enabled }: Receiver, event: EventTable, randomBytes: RandomBytes): DeliveryTable => ({
  ...newDelivery(event, webhookId, newTimedId(randomBytes, event.created_at)),
  state: enabled ? 'pending' : 'held',
});

/** @param ids of the stored deliveries */
function announced(event: EventTable, ids: readonly string[], changed: ChangeRecorder): Stored {
  if (event.source !== null && event.webhook_id === null) changed.event(event.id);
  if (ids.length > 0) {
    changed.work();
    changed.deliveries(ids);
  }
  const bytes = Buffer.byteLength(event.data) + rowBytes * (1 + ids.length);
  return { eventId: event.id, deliveries: ids, repeated: false, createdAt: event.created_at, bytes };
}

export const eventRow = (emission: Emission, id: string, created_at: number): EventTable => ({
  id,
  workspace_id: emission.workspaceId,
  account_id: emission.accountId,
  account_type: emission.accountType,
  source: emission.source,
  event: emission.event,
  data: JSON.stringify(emission.data),
  webhook_id: emission.webhookId ?? null,
  idempotency_key: emission.idempotencyKey ?? null,
  fingerprint: fingerprintOf(emission),
  created_at,
});

/** A delivery of which nothing was sent, created with its event. */
export const newDelivery = (
  { id: event_id, workspace_id, account_id, event, created_at }: EventTable,
  webhook_id: string,
  id: string,
): DeliveryTable => ({
  id,
  workspace_id,
  webhook_id,
  event_id,
  account_id,
  event,
  state: 'pending',
  attempts: 0,
  attempts_before: 0,
  next_at: 0,
  claim_token: null,
  created_at,
  finished_at: null,
});

const eventColumns = {
  id: 'text',
  workspace_id: 'text',
  account_id: 'text',
  account_type: 'text',
  source: 'text',
  event: 'text',
  data: 'text',
  webhook_id: 'text',
  idempotency_key: 'text',
  fingerprint: 'text',
  created_at: 'bigint',
  traceparent: 'text',
} as const satisfies Record<keyof EventTable, 'text' | 'bigint'>;

const insertedColumns = {
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

/** @returns the ids of the stored ones: the index leaves out a second one to a webhook */
async function insertDeliveries(
  transaction: Kysely<Tables>,
  deliveries: readonly DeliveryTable[],
): Promise<readonly string[]> {
  if (deliveries.length === 0) return [];
  const columns = sql.join(Object.keys(insertedColumns).map((column) => sql.ref(column)));
  const rows = rowsTable('new_delivery', rowsText(insertedColumns, deliveries));
  const { numAffectedRows } = await sql`
    insert into deliveries (${columns}) select ${columns} from ${rows} where true on conflict do nothing`.execute(
    transaction,
  );
  const ids = deliveries.map(({ id }) => id);
  if (Number(numAffectedRows) === ids.length) return ids;
  const stored = await transaction.selectFrom('deliveries').select('id').where('id', 'in', ids).execute();
  return stored.map(({ id }) => id);
}

/** Null if the key is not known. @throws ServiceError `invalid_parameters` for another event's key */
async function repeated(transaction: Kysely<Tables>, emission: Emission, fingerprint: string): Promise<Emitted | null> {
  if (emission.idempotencyKey === undefined) return null;
  const first = await transaction
    .selectFrom('events')
    .select(['id', 'fingerprint', 'created_at'])
    .where('workspace_id', '=', emission.workspaceId)
    .where('idempotency_key', '=', emission.idempotencyKey)
    .where('account_id', emission.accountId === null ? 'is' : '=', emission.accountId)
    .executeTakeFirst();
  if (first === undefined) return null;
  if (first.fingerprint !== fingerprint) {
    throw new ServiceError('invalid_parameters', {
      detail: 'idempotency_key was used for another event of the account',
      issues: [
        { path: ['idempotency_key'], code: 'conflicting', message: 'was used for another event of the account' },
      ],
    });
  }
  const deliveries = await transaction.selectFrom('deliveries').select('id').where('event_id', '=', first.id).execute();
  return {
    eventId: first.id,
    deliveries: deliveries.map(({ id }) => id),
    repeated: true,
    createdAt: Number(first.created_at),
  };
}

/** Digests an event for `events.fingerprint`. */
const fingerprintOf = ({ accountId, source, event, data, given = data, webhookId }: Emission): string =>
  hash('sha256', JSON.stringify([accountId, source, event, given, webhookId]), 'base64url');
