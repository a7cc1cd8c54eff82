/** The SQL of redelivery: makes deliveries due again, with the whole retry schedule before them. */
import type { Kysely, Transaction } from 'kysely';
import { amongAccounts } from '../../store/conditions.ts';
import { byCreation, type CreationPosition, pageQuery } from '../../store/keyset.ts';
import type { ChangeRecorder, NotifyingTransaction } from '../../store/notifications.ts';
import type { Tables } from '../../store/schema.ts';
import { type DeliveryState, deliveryStates } from './shapes.ts';

/** Times are epoch milliseconds. */
interface RequeueFilter {
  readonly webhookId: string;
  readonly state: DeliveryState;
  readonly since: number | null;
  /** Exclusive. */
  readonly until: number | null;
  /** The webhook's; empty for all of the workspace. */
  readonly accountIds: readonly string[];
}

/** With more, other requests would wait for it. */
const deliveriesOfTransaction = 1_000;

/** @param now epoch milliseconds. @returns false for a delivery that is due or being sent */
export const requeue = (transaction: NotifyingTransaction, deliveryId: string, now: number): Promise<boolean> =>
  transaction(async (open, changed) => (await requeueIds(open, changed, [deliveryId], deliveryStates, now)) > 0);

/** A failure leaves what earlier transactions, each of a thousand, have requeued. @param now epoch milliseconds */
export async function requeueAll(
  transaction: NotifyingTransaction,
  filter: RequeueFilter,
  now: number,
): Promise<number> {
  let count = 0;
  let last: CreationPosition | undefined;
  do {
    const before: CreationPosition | undefined = last;
    const step = await transaction(async (open, changed) => {
      const positions = await selectPositions(open, filter, before);
      const ids = positions.map(({ id }) => id);
      const requeued = await requeueIds(open, changed, ids, [filter.state], now);
      return { requeued, last: positions.length < deliveriesOfTransaction ? undefined : positions.at(-1) };
    });
    count += step.requeued;
    last = step.last;
  } while (last !== undefined);
  return count;
}

/** Backwards, so new and requeued ones are never met. Locked ones are being requeued, settled or deleted. */
function selectPositions(
  transaction: Transaction<Tables>,
  { webhookId, state, since, until, accountIds }: RequeueFilter,
  before: CreationPosition | undefined,
): Promise<CreationPosition[]> {
  let query = transaction
    .selectFrom('deliveries')
    .select(['created_at', 'id'])
    .where('webhook_id', '=', webhookId)
    .where('state', '=', state);
  if (since !== null) query = query.where('created_at', '>=', since);
  if (until !== null) query = query.where('created_at', '<', until);
  if (accountIds.length > 0) query = query.where(amongAccounts(accountIds, 'account_id'));
  const after = before === undefined ? null : [before.created_at, before.id];
  return pageQuery(query, byCreation('deliveries', 'desc'), after, deliveriesOfTransaction)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** A pending delivery goes on in its retry schedule, and ends the pause of its destination. @returns how many were requeued */
async function requeueIds(
  transaction: Kysely<Tables>,
  changed: ChangeRecorder,
  ids: readonly string[],
  states: readonly DeliveryState[],
  now: number,
): Promise<number> {
  if (ids.length === 0) return 0;
  const requeueThose = (among: readonly DeliveryState[]) =>
    transaction
      .updateTable('deliveries')
      .set(({ ref, eb }) => ({
        state: 'pending',
        next_at: 0,
        claim_token: null,
        finished_at: null,
        attempts_before:
          among === waiting
            ? // An attempt that its owner hastens takes none of the schedule.
              eb
                .case()
                .when('attempts', '>', ref('attempts_before'))
                .then(eb('attempts_before', '+', 1))
                .else(ref('attempts_before'))
                .end()
            : ref('attempts'),
      }))
      .where('id', 'in', ids)
      .where('state', 'in', among)
      .$if(among === waiting, (query) => query.where('next_at', '>', 0))
      // Being sent, a delivery belongs to its worker until the lease ends.
      .where(({ or, eb }) => or([eb('claim_token', 'is', null), eb('next_at', '<=', now)]))
      .returning(['id', 'webhook_id'])
      .execute();
  const hastened = states.includes('pending') ? await requeueThose(waiting) : [];
  const others = states.filter((state) => state !== 'pending');
  const requeued = others.length === 0 ? hastened : [...hastened, ...(await requeueThose(others))];
  if (hastened.length > 0) {
    await transaction
      .updateTable('webhook_destinations')
      .set({ paused_until: 0 })
      .where('webhook_id', '=', hastened[0]?.webhook_id ?? '')
      .where('paused_until', '>', 0)
      .execute();
  }
  if (requeued.length === 0) return 0;
  changed.work();
  changed.deliveries(requeued.map(({ id }) => id));
  return requeued.length;
}

const waiting: readonly DeliveryState[] = ['pending'];
