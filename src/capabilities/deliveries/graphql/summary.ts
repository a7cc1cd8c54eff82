/** A field of the workspace: figures of all its webhooks. */
import { readsCounts } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { run } from '../../../kernel/operation.ts';
import { WorkspaceObject } from '../../accounts/graphql/viewer.ts';
import { readWebhookSummary } from '../operations.ts';
import type { WebhookSummary } from '../shapes.ts';
import { statisticsArgs, WebhookBacklogObject, WebhookStatisticsObject } from './statistics.ts';

const WebhookSummaryObject = builder.objectRef<WebhookSummary>('WebhookSummary').implement({
  description: 'Figures of all webhooks of a workspace.',
  fields: (t) => ({
    count: t.int({
      description: 'Number of webhooks.',
      resolve: ({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0),
    }),
    healthyCount: t.int({
      description: 'Number of webhooks that are enabled and not failing.',
      resolve: ({ counts }) => counts.healthy,
    }),
    failingCount: t.int({
      description: 'Number of webhooks that are failing. To list them: `webhooks(health: FAILING)`.',
      resolve: ({ counts }) => counts.failing,
    }),
    disabledCount: t.int({
      description: 'Number of webhooks that are disabled, by whomever.',
      resolve: ({ counts }) => counts.disabled_by_gateway + counts.disabled_by_caller,
    }),
    disabledByGatewayCount: t.int({
      description:
        'Number of webhooks that the gateway has disabled, as their endpoints are gone or failed for five days.',
      resolve: ({ counts }) => counts.disabled_by_gateway,
    }),
    statistics: t.expose('statistics', {
      type: WebhookStatisticsObject,
      description:
        'How the delivery attempts to all webhooks ended, those to webhooks that were deleted since among them.',
    }),
    backlog: t.expose('backlog', {
      type: WebhookBacklogObject,
      description: 'The deliveries of all webhooks that are pending or held.',
    }),
  }),
});

builder.objectField(WorkspaceObject, 'webhookSummary', (t) =>
  t.field({
    type: WebhookSummaryObject,
    nullable: true,
    description:
      'Figures of all webhooks of the workspace; null for an API key that is limited to accounts. Embedded mode only. Scope: `webhooks:read`.',
    args: statisticsArgs,
    extensions: readsCounts,
    resolve: (_workspace, { period }, context) => run(readWebhookSummary, context.ports, context, { period }),
  }),
);
