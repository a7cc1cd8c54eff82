/**
 * Deletes webhooks with their deliveries, of which there may be millions. A webhook that is deleted goes to a workspace of its
 * own at once, where no caller finds it. Its deliveries are deleted there step by step, and the webhook with the last.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import type { DatabaseKind } from '../store/json-rows.ts';
import type { Tables } from '../store/schema.ts';
import { inTransaction } from '../store/transaction.ts';
import type { ManageableWebhook } from './manageable.ts';

/** The workspace of the webhooks that are being deleted. No API key is ever for it. */
const removedWorkspace = { id: 'removed-webhooks', name: 'Webhooks that are being deleted', created_at: 0 };

/** Deliveries of one step. */
const deliveriesOfStep = 500;

/**
 * Deletes a webhook with its deliveries, unless its accounts have changed since it was checked. If it has more of them than a
 * step deletes, the rest is left to {@link removeStep}.
 * @returns whether it was deleted; if not, check the webhook again
 */
export function removeWebhook(
  database: Database,
  kind: DatabaseKind,
  { id, account_ids }: ManageableWebhook,
): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    await transaction
      .insertInto('workspaces')
      .values(removedWorkspace)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { numUpdatedRows } = await transaction
      .updateTable('webhooks')
      .set({ workspace_id: removedWorkspace.id, enabled: 0 })
      .where('id', '=', id)
      .where('account_ids', '=', account_ids)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await deleteSome(transaction, kind, id);
    return true;
  });
}

/**
 * Goes on with one of the webhooks that are being deleted.
 * @returns whether there may be more to do
 */
export async function removeStep(database: Database, kind: DatabaseKind): Promise<boolean> {
  const webhook = await database
    .selectFrom('webhooks')
    .select('id')
    .where('workspace_id', '=', removedWorkspace.id)
    .limit(1)
    .executeTakeFirst();
  if (webhook === undefined) return false;
  await inTransaction(database, (transaction) => deleteSome(transaction, kind, webhook.id));
  return true;
}

async function deleteSome(transaction: Kysely<Tables>, kind: DatabaseKind, webhookId: string): Promise<void> {
  const ofWebhook = transaction.selectFrom('deliveries').select('id').where('webhook_id', '=', webhookId);
  const deliveries = await ofWebhook
    .limit(deliveriesOfStep)
    // Those that are being settled are left to a later step: to wait for them would be a deadlock now and then.
    .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked())
    .execute();
  const ids = deliveries.map(({ id }) => id);
  if (ids.length > 0) await transaction.deleteFrom('deliveries').where('id', 'in', ids).execute();
  const left = await ofWebhook.limit(1).executeTakeFirst();
  if (left === undefined) await transaction.deleteFrom('webhooks').where('id', '=', webhookId).execute();
}
