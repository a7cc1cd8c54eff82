/** Fields of a webhook, its attempts over time and its backlog, and of the workspace: the same of all its webhooks. */

import { listOf, readsCounts } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { run } from '../../../kernel/operation.ts';
import { statisticsPeriods } from '../../../kernel/periods.ts';
import { WorkspaceObject } from '../../accounts/graphql/viewer.ts';
import { WebhookObject } from '../../webhooks/graphql/webhook.ts';
import { readBacklogs, readStatistics, readWebhookSummary } from '../operations.ts';
import {
  type AttemptStatistics,
  maxCounted,
  type WebhookBacklog,
  type WebhookStatistics,
  type WebhookSummary,
} from '../shapes.ts';
import { StatisticsPeriodEnum } from './enums.ts';

const AttemptStatisticsObject = builder.objectRef<AttemptStatistics>('AttemptStatistics').implement({
  description: 'Delivery attempts that began in a span of time.',
  fields: (t) => ({
    startsAt: t.expose('starts_at', { type: 'DateTime', description: 'Start.' }),
    endsAt: t.expose('ends_at', {
      type: 'DateTime',
      description: 'End, not included; in the future for the last span and the total.',
    }),
    count: t.exposeInt('count', { description: 'Attempts.' }),
    succeededCount: t.exposeInt('succeeded_count', { description: 'Attempts that succeeded.' }),
    successRate: t.float({
      nullable: true,
      description: 'Share that succeeded, from 0 to 1; null without attempts.',
      resolve: ({ count, succeeded_count }) => (count === 0 ? null : succeeded_count / count),
    }),
    medianDurationMs: t.exposeInt('median_duration_ms', {
      nullable: true,
      description: 'Estimated median in milliseconds; null without attempts.',
    }),
    p95DurationMs: t.exposeInt('p95_duration_ms', {
      nullable: true,
      description: 'Estimated 95th percentile in milliseconds; null without attempts.',
    }),
  }),
});

const WebhookStatisticsObject = builder.objectRef<WebhookStatistics>('WebhookStatistics').implement({
  description: 'How delivery attempts ended over a period.',
  fields: (t) => ({
    total: t.expose('total', { type: AttemptStatisticsObject, description: 'Attempts of the whole period.' }),
    spans: t.expose('spans', {
      type: [AttemptStatisticsObject],
      description: 'Equal spans of the period, oldest first, empty ones included.',
      extensions: listOf(Math.max(...Object.values(statisticsPeriods).map(({ spans }) => spans))),
    }),
  }),
});

const WebhookBacklogObject = builder.objectRef<WebhookBacklog>('WebhookBacklog').implement({
  description: 'Deliveries that are pending or held.',
  fields: (t) => ({
    pendingCount: t.exposeInt('pending_count', {
      description: `Pending deliveries, counted up to ${maxCounted}.`,
    }),
    heldCount: t.exposeInt('held_count', {
      description: `Held deliveries, counted up to ${maxCounted}.`,
    }),
    oldestPendingAt: t.expose('oldest_pending_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the oldest pending one was created; null without any.',
    }),
  }),
});

const defaultPeriod = 'day';

const statisticsArgs = builder.args((t) => ({
  period: t.field({ type: StatisticsPeriodEnum, defaultValue: defaultPeriod, description: 'The period.' }),
}));

builder.objectFields(WebhookObject, (t) => ({
  statistics: t.field({
    type: WebhookStatisticsObject,
    nullable: true,
    description: 'How attempts ended; null if the key may not manage the webhook.',
    args: statisticsArgs,
    runs: readStatistics,
    extensions: readsCounts,
    resolve: ({ id }, { period }, { loaders }) =>
      loaders.statistics.load({ webhookId: id, period: period ?? defaultPeriod }),
  }),
  backlog: t.field({
    type: WebhookBacklogObject,
    nullable: true,
    description: 'Waiting deliveries; null if the key may not manage the webhook.',
    runs: readBacklogs,
    extensions: readsCounts,
    resolve: ({ id }, _args, { loaders }) => loaders.backlogs.load(id),
  }),
}));

const WebhookSummaryObject = builder.objectRef<WebhookSummary>('WebhookSummary').implement({
  description: 'Figures of all webhooks of a workspace.',
  fields: (t) => ({
    count: t.int({
      description: 'Webhooks.',
      resolve: ({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0),
    }),
    healthyCount: t.int({
      description: 'Webhooks that are enabled and not failing.',
      resolve: ({ counts }) => counts.healthy,
    }),
    failingCount: t.int({
      description: 'Webhooks that are failing.',
      resolve: ({ counts }) => counts.failing,
    }),
    disabledCount: t.int({
      description: 'Disabled webhooks, by whomever.',
      resolve: ({ counts }) => counts.disabled_by_gateway + counts.disabled_by_caller,
    }),
    disabledByGatewayCount: t.int({
      description: 'Webhooks that the gateway has disabled.',
      resolve: ({ counts }) => counts.disabled_by_gateway,
    }),
    statistics: t.expose('statistics', {
      type: WebhookStatisticsObject,
      description: 'How attempts ended, also to webhooks deleted since.',
    }),
    backlog: t.expose('backlog', {
      type: WebhookBacklogObject,
      description: 'Waiting deliveries.',
    }),
  }),
});

builder.objectField(WorkspaceObject, 'webhookSummary', (t) =>
  t.field({
    type: WebhookSummaryObject,
    nullable: true,
    description: 'Figures of all webhooks; null for keys limited to accounts.',
    args: statisticsArgs,
    runs: readWebhookSummary,
    extensions: readsCounts,
    resolve: (_workspace, { period }, context) =>
      run(readWebhookSummary, context.ports, context, { period: period ?? defaultPeriod }),
  }),
);
