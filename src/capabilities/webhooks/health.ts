import { accessTo } from '../../kernel/caller.ts';
import { isInWorkspace } from '../../store/conditions.ts';
import { isAhead } from '../../store/statement-time.ts';
import { accountIdsOf } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import type { RegistryContext } from './repository.ts';
import type { DisabledReason, WebhookHealth, WebhookHealthState } from './shapes.ts';

export const webhookHealth =
  ({ database, now }: RegistryContext): WebhooksPort['health'] =>
  async ({ caller }, webhookIds) => {
    const rows = await database
      .selectFrom('webhooks')
      .innerJoin('webhook_destinations', 'webhook_destinations.webhook_id', 'webhooks.id')
      .leftJoin('notice_receivers', (join) =>
        join
          .onRef('notice_receivers.webhook_id', '=', 'webhooks.id')
          .onRef('notice_receivers.workspace_id', '=', 'webhooks.workspace_id'),
      )
      .select('notice_receivers.webhook_id as notified')
      .select(['webhooks.id', 'account_ids', 'health', 'disabled_reason', 'disabled_at'])
      .select(['failing_since', 'failed_attempts', 'failing', 'paused_until'])
      .where(isInWorkspace('webhooks', caller.workspaceId))
      .where('webhooks.id', 'in', webhookIds)
      .execute();
    const time = now().getTime();
    const managed = rows.filter((row) => accessTo(caller, accountIdsOf(row)) === 'manage');
    const byId = new Map(
      managed.map((row): [string, WebhookHealth] => [
        row.id,
        {
          state: row.health as WebhookHealthState,
          disabled_reason: row.disabled_reason as DisabledReason | null,
          disabled_at: row.disabled_at,
          failing_since: row.failing === 1 ? row.failing_since : null,
          failed_attempt_count: row.failing_since === null ? 0 : row.failed_attempts,
          receives_notices: row.notified !== null,
          paused_until: isAhead('webhook_destinations.paused_until', row.paused_until, time) ? row.paused_until : null,
        },
      ]),
    );
    return webhookIds.map((id) => byId.get(id) ?? null);
  };
