/** What is kept of the endpoint of a webhook: its secrets, its health, and whether deliveries to it are held. */
import type { Kysely } from 'kysely';
import { newSecret, type SigningSecret } from '../delivery/signature.ts';
import type { RandomBytes } from '../ids.ts';
import type { Vault } from '../security/vault.ts';
import type { EndpointTable, Tables } from '../store/schema.ts';
import type { DisabledReason } from './shapes.ts';

const secretsPlace = (webhookId: string): string => `webhook-secrets:${webhookId}`;

export const sealSecrets = (vault: Vault, webhookId: string, secrets: readonly SigningSecret[]): string =>
  vault.seal(secretsPlace(webhookId), JSON.stringify(secrets));

export const openSecrets = (vault: Vault, { webhook_id, secrets }: EndpointTable): SigningSecret[] =>
  JSON.parse(vault.open(secretsPlace(webhook_id), secrets));

/** The endpoints of webhooks; one that is not there yet is made, with a secret. */
export async function ensureEndpoints(
  transaction: Kysely<Tables>,
  { vault, randomBytes }: { readonly vault: Vault; readonly randomBytes: RandomBytes },
  webhookIds: readonly string[],
): Promise<Map<string, EndpointTable>> {
  const read = async () => {
    const rows = await transaction.selectFrom('endpoints').selectAll().where('webhook_id', 'in', webhookIds).execute();
    return new Map(rows.map((row) => [row.webhook_id, row]));
  };
  if (webhookIds.length === 0) return new Map();
  const found = await read();
  const missing = webhookIds.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  await transaction
    .insertInto('endpoints')
    .values(
      missing.map((id) => ({
        webhook_id: id,
        secrets: sealSecrets(vault, id, [newSecret(randomBytes)]),
        secret_shown: 0,
        failing_since: null,
        paused_until: 0,
        disabled_reason: null,
        disabled_at: null,
      })),
    )
    // Another process may have made it at the same moment: there is one secret, the one that is stored.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return read();
}

/** Disables a webhook and holds what waits for it. What is being sent at this moment ends as it ends. */
export async function disableWebhook(
  transaction: Kysely<Tables>,
  webhookId: string,
  reason: DisabledReason,
  now: number,
): Promise<void> {
  await transaction.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', webhookId).execute();
  await transaction
    .updateTable('endpoints')
    .set({ disabled_reason: reason, disabled_at: now })
    .where('webhook_id', '=', webhookId)
    .execute();
  await transaction
    .updateTable('deliveries')
    .set({ state: 'held' })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .execute();
}
