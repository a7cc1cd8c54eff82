/** How the destinations of webhooks are doing, as callers see it. */
import type { WebhooksPort } from './port.ts';
import type { RegistryContext } from './repository.ts';
import type { DisabledReason, WebhookHealth } from './shapes.ts';

export const webhookHealth =
  ({ database, now }: RegistryContext): WebhooksPort['health'] =>
  async ({ caller }, webhookIds) => {
    const rows = await database
      .selectFrom('webhooks')
      .innerJoin('webhook_destinations', 'webhook_destinations.webhook_id', 'webhooks.id')
      .select(['webhooks.id', 'disabled_reason', 'disabled_at', 'failing_since', 'paused_until'])
      .where('webhooks.workspace_id', '=', caller.workspaceId)
      .where('webhooks.id', 'in', webhookIds)
      .execute();
    const time = now().getTime();
    const byId = new Map(
      rows.map((row): [string, WebhookHealth] => [
        row.id,
        {
          disabled_reason: row.disabled_reason as DisabledReason | null,
          disabled_at: isoOrNull(row.disabled_at),
          failing_since: isoOrNull(row.failing_since),
          paused_until: row.paused_until > time ? isoOrNull(row.paused_until) : null,
        },
      ]),
    );
    return webhookIds.map((id) => byId.get(id) ?? null);
  };

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());
