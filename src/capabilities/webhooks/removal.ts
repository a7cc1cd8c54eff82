/**
 * Deletes webhooks with their deliveries, of which there may be millions. A webhook that is deleted goes to a workspace of its
 * own at once, where no caller finds it. Its deliveries are deleted there step by step, and the webhook with the last.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../../store/database.ts';
import { type DatabaseKind, isOneOf } from '../../store/json-rows.ts';
import { pageQuery } from '../../store/keyset.ts';
import { lockDestinations } from '../../store/locks.ts';
import type { NotifyingTransaction } from '../../store/notifications.ts';
import type { Tables } from '../../store/schema.ts';
import { inTransaction } from '../../store/transaction.ts';
import { changeWebhook, type ManageableWebhook } from './manageable.ts';

/** The workspace of the webhooks that are being deleted. No API key is ever for it. */
const removedWorkspace = { id: 'removed-webhooks', name: 'Webhooks that are being deleted', created_at: 0 };

/** Deliveries of one step. */
const deliveriesOfStep = 500;

/**
 * Deletes a webhook with its deliveries, unless its accounts have changed, or it was deleted, since it was checked. If it has
 * more of them than a step deletes, the rest is left to {@link removalSteps}.
 * @returns whether it was deleted; if not, check the webhook again
 */
export function removeWebhook(
  inNotifying: NotifyingTransaction,
  kind: DatabaseKind,
  webhook: ManageableWebhook,
): Promise<boolean> {
  return inNotifying(async (transaction, changed) => {
    await transaction
      .insertInto('workspaces')
      .values(removedWorkspace)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await lockDestinations(transaction, kind, [webhook.id]);
    if (!(await changeWebhook(transaction, webhook, { workspace_id: removedWorkspace.id, enabled: 0 }))) return false;
    await deleteSome(transaction, kind, webhook.id, null);
    changed.withdrawn(webhook.id);
    return true;
  });
}

/** The values of the index in which a delivery stands. */
type Place = readonly [state: string, createdAt: number, id: string];

/**
 * Goes on with the webhooks that are being deleted, in steps, each of which begins where the one before has ended: it does not
 * read what is deleted already.
 * @returns takes the next step, and says whether there may be more to do
 */
export function removalSteps(database: Database, kind: DatabaseKind): () => Promise<boolean> {
  let under: { readonly webhookId: string; readonly last: Place } | null = null;
  return async () => {
    const webhookId = under?.webhookId ?? (await findRemoved(database));
    if (webhookId === undefined) return false;
    const from = under?.last ?? null;
    under = null;
    const last = await inTransaction(database, async (transaction) => {
      await lockDestinations(transaction, kind, [webhookId]);
      return deleteSome(transaction, kind, webhookId, from);
    });
    if (last !== null) under = { webhookId, last };
    return true;
  };
}

async function findRemoved(database: Database): Promise<string | undefined> {
  const webhooks = database.selectFrom('webhooks').select('id').where('workspace_id', '=', removedWorkspace.id);
  return (await webhooks.limit(1).executeTakeFirst())?.id;
}

const stateOrder = { table: 'deliveries', columns: ['state', 'created_at', 'id'], order: 'asc' } as const;

/**
 * Deletes the next deliveries of a webhook, and the webhook after the last.
 * @returns the last of them; null if there are no more behind it
 */
async function deleteSome(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  webhookId: string,
  after: Place | null,
): Promise<Place | null> {
  const ofWebhook = transaction
    .selectFrom('deliveries')
    .select(['state', 'created_at', 'id'])
    .where('webhook_id', '=', webhookId);
  const deliveries = await pageQuery(ofWebhook, stateOrder, after, deliveriesOfStep)
    // Those that are being settled are left to a later step: see store/locks.ts.
    .$if(kind === 'postgres', (query) => query.forUpdate().skipLocked())
    .execute();
  const ids = deliveries.map(({ id }) => id);
  if (ids.length > 0)
    await transaction
      .deleteFrom('deliveries')
      .where(isOneOf(kind, 'id', ids))
      .execute();
  const last = deliveries.length < deliveriesOfStep ? undefined : deliveries.at(-1);
  if (last !== undefined) return [last.state, last.created_at, last.id];
  const left = await ofWebhook.limit(1).executeTakeFirst();
  if (left === undefined) await transaction.deleteFrom('webhooks').where('id', '=', webhookId).execute();
  return null;
}
