/**
 * Notices of disabled webhooks. Disabling leaves a row in its transaction, deleted once the notices' events are stored:
 * none is lost with the process, and idempotent emission sends none twice.
 *
 * Notices end: a disabled webhook stays so until it is enabled, and none is notified of itself.
 */
import type { Logger } from 'pino';
import { maxNoticeReceivers } from '../capabilities/webhooks/shapes.ts';
import { disabledEvent } from '../events/event.ts';
import type { Database } from '../store/database.ts';
import { firstWebhookBehind } from '../store/pending-webhooks.ts';
import { boundedLines } from '../telemetry/bounds.ts';
import type { Emit } from './emit.ts';
import type { WaitingWebhooks } from './repeat.ts';

/** Limit of the log. */
const noticeLinesPerMinute = 60;

interface NoticesContext {
  readonly database: Database;
  readonly emit: Emit;
  readonly logger: Logger;
  readonly now: () => Date;
}

export function notices({ database, emit, logger, now }: NoticesContext): WaitingWebhooks {
  const mayLog = boundedLines(noticeLinesPerMinute, () => now().getTime());
  return {
    next: (behind) => firstWebhookBehind(database, 'pending_notices', behind),

    async step(webhookId) {
      const notice = await database
        .selectFrom('pending_notices')
        .innerJoin('webhooks', 'webhooks.id', 'pending_notices.webhook_id')
        .select(['workspace_id', 'name', 'disabled_at', 'reason'])
        .where('webhook_id', '=', webhookId)
        .orderBy('disabled_at')
        .limit(1)
        .executeTakeFirst();
      // Another process was first.
      if (notice === undefined) return false;
      const { workspace_id, name, disabled_at, reason } = notice;
      const disabledAt = new Date(disabled_at).toISOString();
      const receivers = await findReceivers(database, workspace_id, webhookId);
      for (const receiver of receivers) {
        await emit({
          workspaceId: workspace_id,
          accountId: null,
          accountType: null,
          source: null,
          event: disabledEvent,
          data: { disabled_webhook_id: webhookId, disabled_webhook_name: name, disabled_at: disabledAt, reason },
          webhookId: receiver,
          idempotencyKey: `${disabledEvent} ${webhookId} ${disabled_at} ${receiver}`,
          given: null,
        });
      }
      const { numDeletedRows } = await database
        .deleteFrom('pending_notices')
        .where('webhook_id', '=', webhookId)
        .where('disabled_at', '=', disabled_at)
        .executeTakeFirst();
      const fields = numDeletedRows === 0n ? null : mayLog();
      if (fields !== null)
        logger.warn({ webhookId, reason, notified: receivers.length, ...fields }, 'webhook disabled');
      return true;
    },
  };
}

/** The receivers of a webhook's notice, without itself. */
async function findReceivers(database: Database, workspaceId: string, webhookId: string): Promise<string[]> {
  const rows = await database
    .selectFrom('notice_receivers')
    .innerJoin('webhooks', 'webhooks.id', 'notice_receivers.webhook_id')
    .select('webhooks.id')
    .where('notice_receivers.workspace_id', '=', workspaceId)
    .where('webhooks.workspace_id', '=', workspaceId)
    .where('webhooks.id', '!=', webhookId)
    // It may have been narrowed since.
    .where('webhooks.account_ids', '=', '[]')
    .limit(maxNoticeReceivers)
    .execute();
  return rows.map(({ id }) => id);
}
