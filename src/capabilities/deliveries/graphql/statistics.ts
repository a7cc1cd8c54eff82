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
  type StatisticsSpan,
  type WebhookBacklog,
  type WebhookStatistics,
  type WebhookSummary,
} from '../shapes.ts';
import { StatisticsPeriodEnum } from './enums.ts';

const AttemptStatisticsObject = builder.objectRef<AttemptStatistics>('AttemptStatistics').implement({
  description: 'How delivery attempts ended.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of attempts.' }),
    succeededCount: t.exposeInt('succeeded_count', { description: 'Number of attempts that succeeded.' }),
    successRate: t.float({
      nullable: true,
      description: 'Share of the attempts that succeeded, from 0 to 1; null if there were no attempts.',
      resolve: ({ count, succeeded_count }) => (count === 0 ? null : succeeded_count / count),
    }),
    medianDurationMs: t.exposeInt('median_duration_ms', {
      nullable: true,
      description:
        'Estimated median of the durations of the requests, in milliseconds; null if there were no attempts.',
    }),
    p95DurationMs: t.exposeInt('p95_duration_ms', {
      nullable: true,
      description:
        'Estimated duration, in milliseconds, within which 95 of 100 requests ended; null if there were no attempts.',
    }),
  }),
});

const StatisticsSpanObject = builder.objectRef<StatisticsSpan>('StatisticsSpan').implement({
  description: 'The delivery attempts that began in a span of time.',
  fields: (t) => ({
    startsAt: t.expose('starts_at', { type: 'DateTime', description: 'Start of the span.' }),
    endsAt: t.expose('ends_at', {
      type: 'DateTime',
      description: 'End of the span, which is not part of it. That of the last span is in the future.',
    }),
    attempts: t.expose('attempts', { type: AttemptStatisticsObject, description: 'The attempts of the span.' }),
  }),
});

const WebhookStatisticsObject = builder.objectRef<WebhookStatistics>('WebhookStatistics').implement({
  description: 'How delivery attempts ended over a period up to now.',
  fields: (t) => ({
    startsAt: t.expose('starts_at', { type: 'DateTime', description: 'Start of the period.' }),
    attempts: t.expose('attempts', { type: AttemptStatisticsObject, description: 'The attempts of the whole period.' }),
    spans: t.expose('spans', {
      type: [StatisticsSpanObject],
      description: 'The period in spans of equal length, the oldest first. A span without attempts is among them.',
      extensions: listOf(Math.max(...Object.values(statisticsPeriods).map(({ spans }) => spans))),
    }),
  }),
});

const WebhookBacklogObject = builder.objectRef<WebhookBacklog>('WebhookBacklog').implement({
  description: 'Deliveries that are pending or held.',
  fields: (t) => ({
    pendingCount: t.exposeInt('pending_count', {
      description: `Number of pending deliveries, including those that wait for a retry. Counting ends at ${maxCounted}.`,
    }),
    heldCount: t.exposeInt('held_count', {
      description: `Number of held deliveries, which wait until you redeliver them. Counting ends at ${maxCounted}.`,
    }),
    oldestPendingAt: t.expose('oldest_pending_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the oldest pending delivery was created; null if none is pending.',
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
    description:
      'How the delivery attempts to the webhook ended over a period up to now; null if the API key may not manage the webhook. They begin anew when the webhook stops listening to an account.',
    args: statisticsArgs,
    runs: readStatistics,
    extensions: readsCounts,
    resolve: ({ id }, { period }, { loaders }) =>
      loaders.statistics.load({ webhookId: id, period: period ?? defaultPeriod }),
  }),
  backlog: t.field({
    type: WebhookBacklogObject,
    nullable: true,
    description:
      'The deliveries of the webhook that are pending or held; null if the API key may not manage the webhook.',
    runs: readBacklogs,
    extensions: readsCounts,
    resolve: ({ id }, _args, { loaders }) => loaders.backlogs.load(id),
  }),
}));

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
    description: 'Figures of all webhooks of the workspace; null for an API key that is limited to accounts.',
    args: statisticsArgs,
    runs: readWebhookSummary,
    extensions: readsCounts,
    resolve: (_workspace, { period }, context) =>
      run(readWebhookSummary, context.ports, context, { period: period ?? defaultPeriod }),
  }),
);
