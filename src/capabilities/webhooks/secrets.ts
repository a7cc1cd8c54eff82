import { ServiceError } from '../../kernel/errors.ts';
import { inTransaction } from '../../store/transaction.ts';
import { openSecrets, sealSecrets } from './destinations.ts';
import { requireManageableWebhook, unknownWebhook } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import type { RegistryContext } from './repository.ts';
import { maxSecrets, rotated, secretText, validSecrets } from './signing-secret.ts';

export function webhookSecrets({
  database,
  vault,
  now,
  randomBytes,
}: RegistryContext): Pick<WebhooksPort, 'rotateSecret' | 'showSecret'> {
  return {
    async rotateSecret({ caller }, { webhook_id }) {
      const { id } = await requireManageableWebhook(database, caller, webhook_id);
      return inTransaction(database, async (transaction) => {
        const time = now().getTime();
        // The update locks: a concurrent rotation waits, and sees this one's secret.
        const destination = await transaction
          .updateTable('webhook_destinations')
          .set({ secret_shown: 1 })
          .where('webhook_id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow(unknownWebhook);
        const secrets = openSecrets(vault, destination);
        if (validSecrets(secrets, time).length >= maxSecrets) {
          throw new ServiceError('limit_too_high', {
            detail: `${maxSecrets} secrets are valid at this moment: wait until the oldest has expired.`,
          });
        }
        const next = rotated(secrets, time, randomBytes);
        await transaction
          .updateTable('webhook_destinations')
          .set({ secrets: sealSecrets(vault, id, next) })
          .where('webhook_id', '=', id)
          .execute();
        return { object: 'WebhookSecret', secret: secretText(next[0]) };
      });
    },

    async showSecret({ caller }, { webhook_id }) {
      const { id } = await requireManageableWebhook(database, caller, webhook_id);
      return inTransaction(database, async (transaction) => {
        // The update locks: one request sets `secret_shown` and may read; concurrent ones find it set.
        const destination = await transaction
          .updateTable('webhook_destinations')
          .set({ secret_shown: 1 })
          .where('webhook_id', '=', id)
          .where('secret_shown', '=', 0)
          .returningAll()
          .executeTakeFirst();
        const [secret] = destination === undefined ? [] : openSecrets(vault, destination);
        if (secret === undefined) {
          throw new ServiceError('action_already_performed', {
            detail: 'The secret has been shown before: rotate it to get a new one.',
          });
        }
        return { object: 'WebhookSecret', secret: secretText(secret) };
      });
    },
  };
}
