/** One destination per webhook: its signing secrets, and whether it is disabled. */
import type { Transaction } from 'kysely';
import type { RandomBytes } from '../../kernel/ids.ts';
import type { Vault } from '../../kernel/secrets/vault.ts';
import { readJsonColumn } from '../../store/json.ts';
import { lockStatistics } from '../../store/locks.ts';
import type { Tables, WebhookDestinationTable } from '../../store/schema.ts';
import { holdPending } from './holds.ts';
import type { ManageableWebhook } from './manageable.ts';
import type { DisabledReason } from './shapes.ts';
import { newSecret, type SigningSecret } from './signing-secret.ts';

export interface SecretContext {
  readonly vault: Vault;
  readonly randomBytes: RandomBytes;
}

const secretsPlace = (webhookId: string): string => `webhook-secrets:${webhookId}`;

export const sealSecrets = (vault: Vault, webhookId: string, secrets: readonly SigningSecret[]): string =>
  vault.seal(secretsPlace(webhookId), JSON.stringify(secrets));

/** The current one first. @throws Error for secrets that were changed, or sealed with another SECRET */
export const openSecrets = (
  vault: Vault,
  { webhook_id, secrets }: Pick<WebhookDestinationTable, 'webhook_id' | 'secrets'>,
): SigningSecret[] => readJsonColumn(vault.open(secretsPlace(webhook_id), secrets));

/** Null if sealed with the current SECRET already. @throws Error as {@link openSecrets} */
export const resealSecrets = (
  vault: Vault,
  { webhook_id, secrets }: Pick<WebhookDestinationTable, 'webhook_id' | 'secrets'>,
): string | null => vault.reseal(secretsPlace(webhook_id), secrets);

/** Columns of a destination without a run of failures. */
export const recovered = { failing_since: null, failed_attempts: 0, failing: 0, paused_until: 0 } as const;

/** With a new secret. */
export const newDestination = ({ vault, randomBytes }: SecretContext, webhookId: string): WebhookDestinationTable => ({
  webhook_id: webhookId,
  secrets: sealSecrets(vault, webhookId, [newSecret(randomBytes)]),
  secret_shown: 0,
  ...recovered,
  disabled_reason: null,
  disabled_at: null,
});

/**
 * Has the owner told. Pending deliveries are held later (holds.ts), requests in flight go on.
 * @param webhookId of a locked destination. @param now epoch milliseconds
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

/** Disables a locked destination. */
export async function storeDisabled(
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

/** A webhook's statistics begin anew. */
export async function forgetStatistics(transaction: Transaction<Tables>, { id }: ManageableWebhook): Promise<void> {
  await lockStatistics(transaction, id);
  await transaction.deleteFrom('webhook_statistics').where('webhook_id', '=', id).execute();
}

/** Gives a locked destination a clean record. Held deliveries stay held until redelivered. */
export async function storeEnabled(transaction: Transaction<Tables>, webhookId: string): Promise<void> {
  await transaction
    .updateTable('webhook_destinations')
    .set({ disabled_reason: null, disabled_at: null, ...recovered })
    .where('webhook_id', '=', webhookId)
    .execute();
}
