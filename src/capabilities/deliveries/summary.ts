/** Figures of all webhooks of a workspace, by counters and ranges of indexes: one row, or a hundred thousand webhooks. */
import type { Database } from '../../store/database.ts';
import { type BacklogContext, workspaceBacklog } from './backlog.ts';
import type { DeliveriesPort } from './port.ts';
import type { WebhookSummary } from './shapes.ts';
import { type StatisticsContext, workspaceStatistics } from './statistics.ts';

export const webhookSummary =
  (context: StatisticsContext & BacklogContext): DeliveriesPort['summary'] =>
  async (request, { period }) => {
    const { workspaceId, accountIds } = request.caller;
    // They tell of webhooks beyond the key.
    if (accountIds !== null) return null;
    const [counts, statistics, backlog] = await Promise.all([
      webhookCounts(context.database, workspaceId),
      workspaceStatistics(context, workspaceId, period),
      context.budget.scan(request, () => workspaceBacklog(context.database, workspaceId)),
    ]);
    return { counts, statistics, backlog };
  };

const noWebhooks: WebhookSummary['counts'] = { healthy: 0, failing: 0, disabled_by_gateway: 0, disabled_by_caller: 0 };

async function webhookCounts(database: Database, workspaceId: string): Promise<WebhookSummary['counts']> {
  const row = await database
    .selectFrom('webhook_counts')
    .select(['healthy', 'failing', 'disabled_by_gateway', 'disabled_by_caller'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row ?? noWebhooks;
}
