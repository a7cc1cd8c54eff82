/** How the destinations of webhooks are doing, as callers see it. */
import { accessTo } from '../../auth/account-access.ts';
import { accountIdsOf } from './manageable.ts';
import type { WebhooksPort } from './port.ts';
import type { RegistryContext } from './repository.ts';
import type { DisabledReason, WebhookHealth } from './shapes.ts';

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
      .select(['webhooks.id', 'account_ids', 'disabled_reason', 'disabled_at', 'failing_since', 'paused_until'])
      .where('webhooks.workspace_id', '=', caller.workspaceId)
      .where('webhooks.id', 'in', webhookIds)
      .execute();
    const time = now().getTime();
    const managed = rows.filter((row) => accessTo(caller, accountIdsOf(row)) === 'manage');
    const byId = new Map(
      managed.map((row): [string, WebhookHealth] => [
        row.id,
        {
          disabled_reason: row.disabled_reason as DisabledReason | null,
          disabled_at: isoOrNull(row.disabled_at),
          failing_since: isoOrNull(row.failing_since),
          receives_notices: row.notified !== null,
          paused_until: row.paused_until > time ? isoOrNull(row.paused_until) : null,
        },
      ]),
    );
    return webhookIds.map((id) => byId.get(id) ?? null);
  };

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());
