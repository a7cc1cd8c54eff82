/**
 * Holds pending deliveries of webhooks that are disabled or narrowed. There may be millions: the webhook's transaction
 * leaves a row, and steps hold deliveries behind it, each from the end of the last. Meanwhile nothing of them is
 * claimed, even after the webhook is enabled again.
 */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';
import { isOneOf, readJsonColumn } from '../../store/json.ts';
import { byCreation, pageQuery } from '../../store/keyset.ts';
import { lockFreeDeliveries } from '../../store/locks.ts';
import { maxChangedIds, type NotifyingTransaction } from '../../store/notifications.ts';
import { firstWebhookBehind } from '../../store/pending-webhooks.ts';
import type { PendingHoldTable, Tables } from '../../store/schema.ts';

/** Watchers are told of all of them. */
const deliveriesOfStep = maxChangedIds;

const pendingOf = (transaction: Kysely<Tables>, webhookId: string) =>
  transaction
    .selectFrom('deliveries')
    .select(['id', 'created_at', 'account_id'])
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending');

/** Leaves pending deliveries to {@link holdStep}. @param exceptFor accounts to leave out; empty to hold all */
export async function holdPending(
  transaction: Transaction<Tables>,
  webhookId: string,
  exceptFor: readonly string[],
): Promise<void> {
  const newest = pageQuery(pendingOf(transaction, webhookId), byCreation('deliveries', 'desc'), null, 1);
  const last = await newest.executeTakeFirst();
  if (last === undefined) return;
  await transaction
    .insertInto('pending_holds')
    .values({
      webhook_id: webhookId,
      through_created_at: last.created_at,
      through_id: last.id,
      account_ids: JSON.stringify(exceptFor),
      held_created_at: 0,
      held_id: '',
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Holds of webhooks, one after the other. */
export const holds = (database: Database, transaction: NotifyingTransaction) => ({
  next: (behind: string) => firstWebhookBehind(database, 'pending_holds', behind),
  step: (webhookId: string) => holdStep(transaction, webhookId),
});

/** @returns whether there may be more to do for the webhook, or that others have locked what is next */
export const holdStep = (transaction: NotifyingTransaction, webhookId: string): Promise<boolean | 'locked'> =>
  transaction(async (open, changed) => {
    const hold = await open
      .selectFrom('pending_holds')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      // The newest of those that hold all: a command that disables waits for one step.
      .orderBy('account_ids', 'desc')
      .orderBy('through_created_at', 'desc')
      .orderBy('through_id', 'desc')
      .limit(1)
      .forUpdate()
      .executeTakeFirst();
    if (hold === undefined) return false;
    const looked = (await isWithdrawn(open, hold)) ? [] : await nextPending(open, hold);
    const exceptFor: string[] = readJsonColumn(hold.account_ids);
    const ids = looked.flatMap(({ id, account_id }) =>
      account_id !== null && exceptFor.includes(account_id) ? [] : id,
    );
    const free = await lockFreeDeliveries(open, ids);
    changed.deliveries(await holdThose(open, free));
    // Locked ones are being claimed or settled, and may stay pending: the next step begins with the first.
    const locked = new Set(ids);
    for (const id of free) locked.delete(id);
    const firstLocked = looked.findIndex(({ id }) => locked.has(id));
    const done = firstLocked === -1 ? looked : looked.slice(0, firstLocked);
    const last = done.at(-1);
    if (done.length < looked.length || looked.length === deliveriesOfStep) {
      if (last === undefined) return free.length === 0 ? 'locked' : true;
      const place = { held_created_at: last.created_at, held_id: last.id };
      await open.updateTable('pending_holds').set(place).where(isHold(hold)).execute();
    } else {
      await open.deleteFrom('pending_holds').where(isHold(hold)).execute();
      // Later deliveries are of a webhook enabled again.
      changed.work();
    }
    return true;
  });

const isHold = ({ webhook_id, through_created_at, through_id, account_ids }: PendingHoldTable) =>
  sql<boolean>`(webhook_id, through_created_at, through_id, account_ids) =
    (${webhook_id}, ${through_created_at}, ${through_id}, ${account_ids})`;

/** Whether the webhook listens to other accounts by now: another hold covers those lost since. */
async function isWithdrawn(
  transaction: Transaction<Tables>,
  { webhook_id, account_ids }: PendingHoldTable,
): Promise<boolean> {
  if (account_ids === '[]') return false;
  const webhook = await transaction
    .selectFrom('webhooks')
    .select('id')
    .where('id', '=', webhook_id)
    .where('account_ids', '=', account_ids)
    .executeTakeFirst();
  return webhook === undefined;
}

function nextPending(transaction: Transaction<Tables>, hold: PendingHoldTable) {
  const { webhook_id, through_created_at, through_id, held_created_at, held_id } = hold;
  const within = pendingOf(transaction, webhook_id).where(
    sql<boolean>`(created_at, id) <= (${through_created_at}, ${through_id})`,
  );
  return pageQuery(within, byCreation('deliveries', 'asc'), [held_created_at, held_id], deliveriesOfStep).execute();
}

/** @returns those held from now on: some may have been sent meanwhile */
async function holdThose(transaction: Transaction<Tables>, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const held = await transaction
    .updateTable('deliveries')
    .set({ state: 'held' })
    .where(isOneOf('id', ids))
    .where('state', '=', 'pending')
    .returning('id')
    .execute();
  return held.map(({ id }) => id);
}
