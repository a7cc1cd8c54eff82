/** Webhooks with notices of disabled ones, no event to subscribe to: the contract's closed list has no such source. */
import { ServiceError } from '../../kernel/errors.ts';
import { invalidParameters } from '../../kernel/issues.ts';
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
      const others = await database
        .selectFrom('notice_receivers')
        .select('webhook_id')
        .where('workspace_id', '=', workspace_id)
        .where('webhook_id', '!=', webhook_id)
        .execute();
      if (others.length >= maxNoticeReceivers) {
        throw new ServiceError('limit_too_high', {
          detail: `A workspace can have ${maxNoticeReceivers} webhooks that receive notices: turn the notices of one of them off first.`,
        });
      }
      await database
        .insertInto('notice_receivers')
        .values({ workspace_id, webhook_id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    } else {
      await database.deleteFrom('notice_receivers').where('webhook_id', '=', webhook_id).execute();
    }
    return { object: 'WebhookUpdated', webhook_id };
  };
