/** Where the deliveries of a webhook go: its signing secrets, and whether it is disabled. Each webhook has one destination. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { amongAccounts } from '../auth/among-accounts.ts';
import type { RandomBytes } from '../ids.ts';
import type { Vault } from '../security/vault.ts';
import type { Database } from '../store/database.ts';
import { readJsonColumn } from '../store/json.ts';
import { maxChangedIds, type NotifyingTransaction } from '../store/notifications.ts';
import type { Tables, WebhookDestinationTable, WebhookTable } from '../store/schema.ts';
import { inTransaction } from '../store/transaction.ts';
import type { ManageableWebhook } from './manageable.ts';
import type { DisabledReason } from './shapes.ts';
import { newSecret, type SigningSecret } from './signing-secret.ts';

/** What a new signing secret is created and sealed with. */
export interface SecretContext {
  readonly vault: Vault;
  readonly randomBytes: RandomBytes;
}

const secretsPlace = (webhookId: string): string => `webhook-secrets:${webhookId}`;

export const sealSecrets = (vault: Vault, webhookId: string, secrets: readonly SigningSecret[]): string =>
  vault.seal(secretsPlace(webhookId), JSON.stringify(secrets));

/**
 * The signing secrets of a webhook, the current one first.
 * @throws Error when they were sealed with another SECRET, or changed
 */
export const openSecrets = (
  vault: Vault,
  { webhook_id, secrets }: Pick<WebhookDestinationTable, 'webhook_id' | 'secrets'>,
): SigningSecret[] => readJsonColumn(vault.open(secretsPlace(webhook_id), secrets));

/**
 * The signing secrets sealed with the current SECRET; null if they are already.
 * @throws Error as {@link openSecrets}
 */
export const resealSecrets = (
  vault: Vault,
  { webhook_id, secrets }: Pick<WebhookDestinationTable, 'webhook_id' | 'secrets'>,
): string | null => vault.reseal(secretsPlace(webhook_id), secrets);

/** The destination of a new webhook, with a new secret. */
export const newDestination = ({ vault, randomBytes }: SecretContext, webhookId: string): WebhookDestinationTable => ({
  webhook_id: webhookId,
  secrets: sealSecrets(vault, webhookId, [newSecret(randomBytes)]),
  secret_shown: 0,
  failing_since: null,
  paused_until: 0,
  disabled_reason: null,
  disabled_at: null,
});

/** Destinations are inserted this many at a time: each takes seven of the parameters that a statement can have. */
const destinationsOfStatement = 500;

/**
 * Creates the destinations that webhooks lack: those of databases from before migration 004, and of the demo workspace.
 * Called at every start. Processes that start together agree on one secret, the one that was stored first.
 */
export async function createMissingSecrets(database: Database, context: SecretContext): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const missing = await transaction
      .selectFrom('webhooks')
      .leftJoin('webhook_destinations', 'webhook_destinations.webhook_id', 'webhooks.id')
      .select('webhooks.id')
      .where('webhook_destinations.webhook_id', 'is', null)
      // In one order for all processes, so that two of them never wait for each other.
      .orderBy('webhooks.id')
      .execute();
    for (let at = 0; at < missing.length; at += destinationsOfStatement) {
      await transaction
        .insertInto('webhook_destinations')
        .values(missing.slice(at, at + destinationsOfStatement).map(({ id }) => newDestination(context, id)))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
}

/**
 * Disables a webhook, holds its pending deliveries, and has its owner told. A request in flight is not interrupted.
 * @param now epoch milliseconds
 * @returns the deliveries that are held from now on: up to {@link maxChangedIds} of them. The others are held when a claim
 *   meets them.
 */
export const disableWebhook = (
  transaction: Kysely<Tables>,
  webhookId: string,
  reason: Exclude<DisabledReason, 'caller'>,
  now: number,
): Promise<string[]> => disable(transaction, webhookId, reason, now);

/** Disables a webhook for a caller, as {@link disableWebhook} does for its destination. The rest is for {@link holdRest}. */
export const disableForCaller = (
  transaction: Kysely<Tables>,
  { id }: ManageableWebhook,
  now: number,
): Promise<string[]> => disable(transaction, id, 'caller', now);

async function disable(
  transaction: Kysely<Tables>,
  webhookId: string,
  reason: DisabledReason,
  now: number,
): Promise<string[]> {
  await transaction.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', webhookId).execute();
  await transaction
    .updateTable('webhook_destinations')
    .set({ disabled_reason: reason, disabled_at: now })
    .where('webhook_id', '=', webhookId)
    .execute();
  if (reason !== 'caller') {
    await transaction
      .insertInto('pending_notices')
      .values({ webhook_id: webhookId, disabled_at: now, reason })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return holdPending(transaction, webhookId, []);
}

/**
 * Holds the pending deliveries of a webhook for accounts that it does not listen to, after its accounts have changed. A
 * request in flight is not interrupted.
 * @param accountIds the accounts that it listens to now; empty for all of the workspace
 * @returns the deliveries that are held from now on, up to {@link maxChangedIds} of them. The rest is for {@link holdRest}.
 */
export async function holdUnlistened(
  transaction: Kysely<Tables>,
  { id }: ManageableWebhook,
  accountIds: readonly string[],
): Promise<string[]> {
  return accountIds.length === 0 ? [] : holdPending(transaction, id, accountIds);
}

/** @param exceptFor the accounts whose deliveries stay pending */
async function holdPending(
  transaction: Kysely<Tables>,
  webhookId: string,
  exceptFor: readonly string[],
): Promise<string[]> {
  const which = sql<boolean>`(account_id is null or not ${amongAccounts(exceptFor, 'account_id')})`;
  const pending = await transaction
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .where(which)
    .limit(maxChangedIds)
    .execute();
  const ids = pending.map(({ id }) => id);
  if (ids.length === 0) return [];
  await transaction
    .updateTable('deliveries')
    .set({ state: 'held' })
    .where('id', 'in', ids)
    .where('state', '=', 'pending')
    .execute();
  return ids;
}

/**
 * Holds what {@link disableForCaller} or {@link holdUnlistened} has left, in transactions of their own: with all deliveries in
 * one, other requests would wait for it.
 * @param unchanged what the webhook must still be like
 * @param exceptFor the accounts whose deliveries stay pending
 */
export async function holdRest(
  transaction: NotifyingTransaction,
  { id }: ManageableWebhook,
  unchanged: Readonly<Partial<Pick<WebhookTable, 'enabled' | 'account_ids'>>>,
  exceptFor: readonly string[],
): Promise<void> {
  let count: number;
  do {
    count = await transaction(async (open, changed) => {
      // Locks the webhook.
      const { numUpdatedRows } = await open
        .updateTable('webhooks')
        .set(({ ref }) => ({ enabled: ref('enabled') }))
        .where('id', '=', id)
        .where(({ and }) => and(unchanged))
        .executeTakeFirst();
      const held = numUpdatedRows === 0n ? [] : await holdPending(open, id, exceptFor);
      changed.deliveries(held);
      return held.length;
    });
  } while (count === maxChangedIds);
}

/** Forgets what became of the attempts to a webhook: its statistics begin anew. */
export async function forgetStatistics(transaction: Transaction<Tables>, { id }: ManageableWebhook): Promise<void> {
  await transaction.deleteFrom('webhook_statistics').where('webhook_id', '=', id).execute();
}

/**
 * Enables a webhook that is disabled, with a clean record. Its held deliveries stay held until they are redelivered. One that is
 * enabled stays as it is: who enables it every day must not keep a destination that fails for years.
 */
export async function enableWebhook(transaction: Transaction<Tables>, { id }: ManageableWebhook): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('webhooks')
    .set({ enabled: 1 })
    .where('id', '=', id)
    .where('enabled', '=', 0)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await transaction
    .updateTable('webhook_destinations')
    .set({ disabled_reason: null, disabled_at: null, failing_since: null, paused_until: 0 })
    .where('webhook_id', '=', id)
    .execute();
}
