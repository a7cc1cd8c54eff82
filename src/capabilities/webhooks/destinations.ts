/** Where the deliveries of a webhook go: its signing secrets, and whether it is disabled. Each webhook has one destination. */
import type { Transaction } from 'kysely';
import type { RandomBytes } from '../../kernel/ids.ts';
import type { Vault } from '../../kernel/secrets/vault.ts';
import type { Database } from '../../store/database.ts';
import { readJsonColumn } from '../../store/json.ts';
import type { DatabaseKind } from '../../store/json-rows.ts';
import { lockDestinations, lockStatistics } from '../../store/locks.ts';
import type { Tables, WebhookDestinationTable } from '../../store/schema.ts';
import { inTransaction } from '../../store/transaction.ts';
import { holdPending } from './holds.ts';
import { changeWebhook, type ManageableWebhook } from './manageable.ts';
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
 * Disables a webhook because of its destination, and has its owner told. Its pending deliveries are no longer claimed; they are
 * held behind it (holds.ts). A request in flight is not interrupted.
 * @param webhookId of a destination that is locked
 * @param now epoch milliseconds
 */
export async function disableWebhook(
  transaction: Transaction<Tables>,
  webhookId: string,
  reason: Exclude<DisabledReason, 'caller'>,
  now: number,
): Promise<void> {
  await transaction.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', webhookId).execute();
  await storeDisabled(transaction, webhookId, reason, now);
  await transaction
    .insertInto('pending_notices')
    .values({ webhook_id: webhookId, disabled_at: now, reason })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Disables a webhook for a caller, as {@link disableWebhook} does for its destination.
 * @returns whether it was disabled; if not, check the webhook again
 */
export async function disableForCaller(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  webhook: ManageableWebhook,
  now: number,
): Promise<boolean> {
  await lockDestinations(transaction, kind, [webhook.id]);
  if (!(await changeWebhook(transaction, webhook, { enabled: 0 }))) return false;
  await storeDisabled(transaction, webhook.id, 'caller', now);
  return true;
}

async function storeDisabled(
  transaction: Transaction<Tables>,
  webhookId: string,
  reason: DisabledReason,
  now: number,
): Promise<void> {
  await transaction
    .updateTable('webhook_destinations')
    .set({ disabled_reason: reason, disabled_at: now })
    .where('webhook_id', '=', webhookId)
    .execute();
  await holdPending(transaction, webhookId, []);
}

/** Forgets what became of the attempts to a webhook: its statistics begin anew. */
export async function forgetStatistics(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  { id }: ManageableWebhook,
): Promise<void> {
  await lockStatistics(transaction, kind, id);
  await transaction.deleteFrom('webhook_statistics').where('webhook_id', '=', id).execute();
}

/**
 * Enables a webhook that is disabled, with a clean record. What it had pending when it was disabled stays held until it is
 * redelivered. One that is enabled stays as it is: who enables it every day must not keep a destination that fails for years.
 * @returns whether it is enabled; if not, check the webhook again
 */
export async function enableWebhook(
  transaction: Transaction<Tables>,
  kind: DatabaseKind,
  webhook: ManageableWebhook,
): Promise<boolean> {
  if (webhook.enabled === 1) return true;
  await lockDestinations(transaction, kind, [webhook.id]);
  if (!(await changeWebhook(transaction, webhook, { enabled: 1 }))) return false;
  await transaction
    .updateTable('webhook_destinations')
    .set({ disabled_reason: null, disabled_at: null, failing_since: null, paused_until: 0 })
    .where('webhook_id', '=', webhook.id)
    .execute();
  return true;
}
