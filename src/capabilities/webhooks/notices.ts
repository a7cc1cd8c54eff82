/** Webhooks with notices of disabled ones, no event to subscribe to: the contract's closed list has no such source. */
import type { Transaction } from 'kysely';
import { ServiceError } from '../../kernel/errors.ts';
import { invalidParameters } from '../../kernel/issues.ts';
import { lockWorkspace } from '../../store/locks.ts';
import type { NoticeReceiverTable, Tables } from '../../store/schema.ts';
import { inTransaction } from '../../store/transaction.ts';
import { accountIdsOf, requireManageableWebhook } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import type { RegistryContext } from './repository.ts';
import { maxNoticeReceivers } from './shapes.ts';

export const setNotices =
  ({ database }: Pick<RegistryContext, 'database'>): WebhooksPort['setNotices'] =>
  async ({ caller }, { webhook_id, receives }) => {
    const { workspace_id, ...webhook } = await requireManageableWebhook(database, caller, webhook_id);
    if (receives) {
      // A notice may be of any webhook of the workspace, and a limited key may manage this one.
      if (accountIdsOf(webhook).length > 0) {
        const message = 'must be that of a webhook that listens to all accounts of the workspace';
        throw invalidParameters([{ path: ['webhook_id'], code: 'not_applicable', message }]);
      }
      await inTransaction(database, (transaction) => addReceiver(transaction, { workspace_id, webhook_id }));
    } else {
      await database.deleteFrom('notice_receivers').where('webhook_id', '=', webhook_id).execute();
    }
    return { object: 'WebhookUpdated', webhook_id };
  };

async function addReceiver(transaction: Transaction<Tables>, receiver: NoticeReceiverTable): Promise<void> {
  await lockWorkspace(transaction, receiver.workspace_id);
  const others = await transaction
    .selectFrom('notice_receivers')
    .select('webhook_id')
    .where('workspace_id', '=', receiver.workspace_id)
    .where('webhook_id', '!=', receiver.webhook_id)
    .execute();
  if (others.length >= maxNoticeReceivers) {
    throw new ServiceError('limit_too_high', {
      detail: `A workspace can have ${maxNoticeReceivers} webhooks that receive notices: turn the notices of one of them off first.`,
    });
  }
  await transaction
    .insertInto('notice_receivers')
    .values(receiver)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
