/**
 * Deletes webhooks with up to millions of deliveries. A deleted webhook goes at once to a workspace that no caller
 * finds; steps delete its deliveries there, and the webhook with the last.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';
import { isOneOf } from '../../store/json.ts';
import { pageQuery } from '../../store/keyset.ts';
import { lockDestinations } from '../../store/locks.ts';
import type { NotifyingTransaction } from '../../store/notifications.ts';
import type { Tables } from '../../store/schema.ts';
import { inTransaction } from '../../store/transaction.ts';
import { changeWebhook, type ManageableWebhook } from './manageable.ts';

/** No API key is ever for it. */
const removedWorkspace = { id: 'removed-webhooks', name: 'Webhooks that are being deleted', created_at: 0 };

const deliveriesPerStep = 500;

/** {@link removals} delete what one step leaves. @returns false if it was changed or deleted since the check */
export function removeWebhook(inNotifying: NotifyingTransaction, webhook: ManageableWebhook): Promise<boolean> {
  return inNotifying(async (transaction) => {
    await transaction
      .insertInto('workspaces')
      .values(removedWorkspace)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await lockDestinations(transaction, [webhook.id]);
    if (!(await changeWebhook(transaction, webhook, { workspace_id: removedWorkspace.id, enabled: 0 }))) return false;
    await deleteSome(transaction, webhook.id, null);
    return true;
  });
}

/** In the index of deliveries. */
type DeliveryPosition = readonly [state: string, createdAt: number, id: string];

/** Removals of webhooks, one after the other. Each step of a webhook begins at the end of its last. */
export function removals(database: Database) {
  const lastOf = new Map<string, DeliveryPosition>();
  return {
    async next(behind: string): Promise<string | undefined> {
      const removed = await database
        .selectFrom('webhooks')
        .select('id')
        .where('workspace_id', '=', removedWorkspace.id)
        .where('id', '>', behind)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      return removed?.id;
    },
    async step(webhookId: string): Promise<boolean | 'locked'> {
      const from = lastOf.get(webhookId) ?? null;
      lastOf.delete(webhookId);
      const last = await inTransaction(database, async (transaction) => {
        await lockDestinations(transaction, [webhookId]);
        return deleteSome(transaction, webhookId, from);
      });
      if (last === 'locked') return last;
      if (last !== null) lastOf.set(webhookId, last);
      return last !== null;
    },
  };
}

const stateOrder = { table: 'deliveries', columns: ['state', 'created_at', 'id'], order: 'asc' } as const;

/** The webhook goes after its last delivery. @returns the last deleted; null at the end, `locked` if others lock all that are left */
async function deleteSome(
  transaction: Transaction<Tables>,
  webhookId: string,
  after: DeliveryPosition | null,
): Promise<DeliveryPosition | 'locked' | null> {
  const ofWebhook = transaction
    .selectFrom('deliveries')
    .select(['state', 'created_at', 'id'])
    .where('webhook_id', '=', webhookId);
  const deliveries = await pageQuery(ofWebhook, stateOrder, after, deliveriesPerStep)
    // Those being settled are left to a later step: see store/locks.ts.
    .forUpdate()
    .skipLocked()
    .execute();
  const ids = deliveries.map(({ id }) => id);
  if (ids.length > 0) await transaction.deleteFrom('deliveries').where(isOneOf('id', ids)).execute();
  const last = deliveries.length < deliveriesPerStep ? undefined : deliveries.at(-1);
  if (last !== undefined) return [last.state, last.created_at, last.id];
  const left = await ofWebhook.limit(1).executeTakeFirst();
  if (left === undefined) await transaction.deleteFrom('webhooks').where('id', '=', webhookId).execute();
  else if (ids.length === 0 && after === null) return 'locked';
  return null;
}
