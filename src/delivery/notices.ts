/**
 * Notices of webhooks that the gateway has disabled. The transaction that disables a webhook leaves a row, which is deleted
 * when the events for all who are to be notified are stored: so no notice is lost with the process. Emitting is idempotent, so
 * none is sent twice.
 *
 * Notices end: each is of one disabling, a disabled webhook stays so until somebody enables it, and none is notified of itself.
 */
import type { Logger } from 'pino';
import { maxNoticeReceivers } from '../capabilities/webhooks/shapes.ts';
import { disabledEvent } from '../events/event.ts';
import type { Database } from '../store/database.ts';
import { boundedLines } from '../telemetry/bounded-lines.ts';
import type { Emit } from './emit.ts';
import { type Repeated, repeat } from './repeat.ts';
import type { After } from './worker.ts';

/** How often to look for webhooks that were disabled. */
const lookMs = 1_000;
/** Webhooks that are looked at together. */
const atOnce = 100;
/** Lines of the log in a minute. */
const linesPerMinute = 60;

export interface NoticesContext {
  readonly database: Database;
  readonly emit: Emit;
  readonly logger: Logger;
}

export function startNotices({
  after,
  now,
  ...context
}: NoticesContext & { readonly after: After; readonly now: () => Date }): Repeated {
  const mayLog = boundedLines(linesPerMinute, () => now().getTime());
  return repeat(after, async () => {
    await sendNotices(context, mayLog).catch((error: unknown) => {
      context.logger.error({ err: error }, 'the owners of disabled webhooks could not be notified');
    });
    return lookMs;
  });
}

/** Tells those who want to know of the webhooks that were disabled. */
export async function sendNotices(
  { database, emit, logger }: NoticesContext,
  mayLog: ReturnType<typeof boundedLines> = () => ({}),
): Promise<void> {
  const notices = await database
    .selectFrom('pending_notices')
    .innerJoin('webhooks', 'webhooks.id', 'pending_notices.webhook_id')
    .select(['webhook_id', 'workspace_id', 'name', 'disabled_at', 'reason'])
    .limit(atOnce)
    .execute();
  for (const { webhook_id, workspace_id, name, disabled_at, reason } of notices) {
    const disabledAt = new Date(disabled_at).toISOString();
    const receivers = await findReceivers(database, workspace_id, webhook_id);
    for (const receiver of receivers) {
      await emit({
        workspaceId: workspace_id,
        accountId: null,
        accountType: null,
        source: null,
        event: disabledEvent,
        data: { disabled_webhook_id: webhook_id, disabled_webhook_name: name, disabled_at: disabledAt, reason },
        webhookId: receiver,
        idempotencyKey: `${disabledEvent} ${webhook_id} ${disabled_at} ${receiver}`,
        given: null,
      });
    }
    const { numDeletedRows } = await database
      .deleteFrom('pending_notices')
      .where('webhook_id', '=', webhook_id)
      .where('disabled_at', '=', disabled_at)
      .executeTakeFirst();
    // Of several processes that look, one has deleted it.
    if (numDeletedRows === 0n) continue;
    const fields = mayLog();
    if (fields !== null)
      logger.warn({ webhookId: webhook_id, reason, notified: receivers.length, ...fields }, 'webhook disabled');
  }
}

/** The webhooks that are notified when this one is disabled. It is not among them. */
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
