/** Webhooks with notices of disabled ones, no event to subscribe to: the contract's closed list has no such source. */
import type { Transaction } from 'kysely';
import { ServiceError } from '../../kernel/errors.ts';
import { invalidParameters } from '../../kernel/issues.ts';
import type { NoticeReceiverTable, Tables } from '../../store/schema.ts';
import { maxNoticeReceivers } from './shapes.ts';

/** A notice may be of any webhook of the workspace, and a limited key may manage one of some accounts. */
export function requireAllAccounts(accountIds: readonly string[]): void {
  if (accountIds.length === 0) return;
  const message = 'must be false: the webhook does not listen to all accounts of the workspace';
  throw invalidParameters([{ path: ['receives_notices'], code: 'conflicting', message }]);
}

export async function removeReceiver(transaction: Transaction<Tables>, webhookId: string): Promise<void> {
  await transaction.deleteFrom('notice_receivers').where('webhook_id', '=', webhookId).execute();
}

/** Adds a receiver to a locked workspace. @throws ServiceError `limit_too_high` for one too many */
export async function addReceiver(transaction: Transaction<Tables>, receiver: NoticeReceiverTable): Promise<void> {
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
