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
import { boundedLines } from '../telemetry/bounded-lines.ts';
import type { After } from './after.ts';
import type { Emit } from './emit.ts';
import { type Repeated, repeat } from './repeat.ts';

/** Milliseconds between looks. */
const lookMs = 1_000;
/** Webhooks read together. */
const atOnce = 100;
/** Of the log. */
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
    // Another process was first.
    if (numDeletedRows === 0n) continue;
    const fields = mayLog();
    if (fields !== null)
      logger.warn({ webhookId: webhook_id, reason, notified: receivers.length, ...fields }, 'webhook disabled');
  }
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
