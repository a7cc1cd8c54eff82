/** Reseals webhooks after a change of the deployment's secret. */
import { ifOpened, type Vault } from '../../kernel/secrets/vault.ts';
import type { Database } from '../../store/database.ts';
import { lockDestinations } from '../../store/locks.ts';
import { inTransaction } from '../../store/transaction.ts';
import { resealSecrets } from './destinations.ts';
import { resealHeaders } from './repository.ts';

/** Webhooks of one transaction: workers and commands wait for its rows. */
const webhooksOfStep = 20;

/** In the order of ids. A concurrent change wins; unreadable values stay, for their users to report. */
export async function resealWebhooks(database: Database, vault: Vault): Promise<void> {
  let last = '';
  for (;;) {
    const ids = await inTransaction(database, async (transaction) => {
      const webhooks = await transaction
        .selectFrom('webhooks')
        .innerJoin('webhook_destinations', 'webhook_destinations.webhook_id', 'webhooks.id')
        .select(['webhooks.id', 'webhooks.headers', 'webhook_destinations.secrets'])
        .where('webhooks.id', '>', last)
        .orderBy('webhooks.id')
        .limit(webhooksOfStep)
        .execute();
      await lockDestinations(
        transaction,
        webhooks.map(({ id }) => id),
      );
      for (const { id, headers, secrets } of webhooks) {
        const sealedHeaders = ifOpened(() => resealHeaders(vault, { id, headers }));
        if (sealedHeaders !== null) {
          const update = transaction.updateTable('webhooks').set({ headers: sealedHeaders });
          await update.where('id', '=', id).where('headers', '=', headers).execute();
        }
        const sealedSecrets = ifOpened(() => resealSecrets(vault, { webhook_id: id, secrets }));
        if (sealedSecrets !== null) {
          const update = transaction.updateTable('webhook_destinations').set({ secrets: sealedSecrets });
          await update.where('webhook_id', '=', id).where('secrets', '=', secrets).execute();
        }
      }
      return webhooks.map(({ id }) => id);
    });
    if (ids.length < webhooksOfStep) return;
    last = ids.at(-1) ?? last;
  }
}

/** Whether one webhook can be opened; true without any. */
export async function opensWebhooks(database: Database, vault: Vault): Promise<boolean> {
  const some = await database.selectFrom('webhook_destinations').select(['webhook_id', 'secrets']).limit(1).execute();
  try {
    for (const destination of some) resealSecrets(vault, destination);
    return true;
  } catch {
    return false;
  }
}
