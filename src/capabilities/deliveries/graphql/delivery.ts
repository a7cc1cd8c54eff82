import { WebhookEventEnum } from '../../../events/graphql/enums.ts';
import { listOf, readsById } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, connectionType, readConnection } from '../../../graphql/kit/connection.ts';
import { foundById, Node, registerNode } from '../../../graphql/kit/node.ts';
import { globalIdAt, isOf } from '../../../graphql/kit/wire.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { WebhookHeaderObject, WebhookObject, webhookItem } from '../../webhooks/graphql/webhook.ts';
import { findDeliveries, findLastAttempts, listAttempts, readEventData, watchDeliveries } from '../operations.ts';
import { type Delivery, type DeliveryAttempt, deliveryLimits } from '../shapes.ts';
import { DeliveryStateEnum, FailureReasonEnum, NoticeEnum } from './enums.ts';
import { accountOfEvent } from './events.ts';

const DeliveryAttemptObject = builder.objectRef<DeliveryAttempt>('DeliveryAttempt').implement({
  description: 'One HTTP request of a delivery.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Number of the attempt, from 1.' }),
    startedAt: t.expose('started_at', { type: 'DateTime', description: 'When the request was sent.' }),
    durationMs: t.exposeInt('duration_ms', { description: 'Duration in milliseconds.' }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'HTTP status; null without a response.',
    }),
    failure: t.expose('failure', {
      type: FailureReasonEnum,
      nullable: true,
      description: 'Why there was no complete response; null if there was.',
    }),
    responseBody: t.exposeString('response_body', {
      description: 'First KiB of the body; `********` if the key may not see it.',
    }),
    responseHeaders: t.expose('response_headers', {
      type: [WebhookHeaderObject],
      description: 'Headers up to 1 KiB, unless it succeeded.',
      extensions: listOf(10),
    }),
  }),
});

const AttemptConnection = connectionType<DeliveryAttempt>('DeliveryAttempt', DeliveryAttemptObject, 'attempts');

export const DeliveryObject = builder.objectRef<Delivery>('Delivery').implement({
  description: 'The delivery of one event to one webhook.',
  interfaces: [Node],
  isTypeOf: isOf<Delivery>('Delivery'),
  fields: (t) => ({
    id: t.id(globalIdAt('Delivery', 'delivery_id')),
    deliveryId: t.exposeID('delivery_id', {
      description: 'Id for arguments named `deliveryId`, sent as `webhook-id`.',
    }),
    eventId: t.exposeID('event_id', { description: 'Id of the event, the same in all its deliveries.' }),
    event: t.expose('event', {
      type: WebhookEventEnum,
      nullable: true,
      description: 'Type of the event; null for notices and fired webhooks.',
    }),
    notice: t.expose('notice', {
      type: NoticeEnum,
      nullable: true,
      description: 'What it is a notice of; null if it is none.',
    }),
    accountId: t.exposeID('account_id', {
      nullable: true,
      description: 'Account of the event; null if it has none.',
    }),
    account: t.field(accountOfEvent),
    data: t.field({
      type: 'JSON',
      description: 'Data with the keys of the source, as in `eventSamples`.',
      runs: readEventData,
      extensions: readsById,
      resolve: async ({ delivery_id }, _args, { loaders }) => (await loaders.eventData.load(delivery_id)) ?? gone(),
    }),
    state: t.expose('state', { type: DeliveryStateEnum, description: 'State.' }),
    attemptCount: t.exposeInt('attempt_count', { description: 'Attempts so far.' }),
    nextAttemptAt: t.expose('next_attempt_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next attempt is due; null if none is to come or one is due.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
    finishedAt: t.expose('finished_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it succeeded or failed for good; null before.',
    }),
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    webhook: t.field({
      type: WebhookObject,
      ...foundById('The webhook.', webhookItem, { ids: { webhookId: 'webhook_id' } }),
      resolve: ({ webhook_id }, _args, { loaders }) => loaders.webhooks.load(webhook_id),
    }),
    lastAttempt: t.field({
      type: DeliveryAttemptObject,
      ...foundById('Last attempt; null before the first has ended.', findLastAttempts),
      resolve: ({ delivery_id }, _args, { loaders }) => loaders.lastAttempts.load(delivery_id),
    }),
    attempts: t.field({
      type: AttemptConnection,
      nullable: true,
      description: 'Attempts, oldest first.',
      args: connectionArgs(deliveryLimits),
      runs: listAttempts,
      resolve: ({ delivery_id }, page, context) => {
        const list = ['attempts', delivery_id];
        return readConnection(context, {
          operation: listAttempts,
          request: { delivery_id },
          limits: deliveryLimits,
          list,
          ...page,
        });
      },
    }),
  }),
});

function gone(): never {
  throw new ServiceError('resource_not_found', { detail: 'The delivery no longer exists.' });
}

registerNode('Delivery', ([deliveryId], { loaders }) => loaders.deliveries.load(deliveryId));

builder.queryFields((t) => ({
  delivery: t.field({
    type: DeliveryObject,
    ...foundById('A delivery; null if the key cannot see it.', {
      operation: findDeliveries,
      id: ({ deliveryId }: { readonly deliveryId: string }) => deliveryId,
      pages: ({ deliveries }) => deliveries.found,
    }),
    args: { deliveryId: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: (_root, { deliveryId }, { loaders }) => loaders.deliveries.load(deliveryId),
  }),
}));

builder.subscriptionFields((t) => ({
  deliveryUpdated: t.field({
    type: DeliveryObject,
    description: 'Emits new and changed deliveries; states may be skipped.',
    args: {
      webhookIds: t.arg.idList({
        description: `1 to ${maxWatched} webhooks. Defaults to all.`,
      }),
    },
    runs: watchDeliveries,
    extensions: readsById,
    subscribe: (_root, { webhookIds }, context) =>
      run(watchDeliveries, context.ports, context, { webhook_ids: webhookIds ?? undefined }),
    resolve: (delivery) => delivery,
  }),
}));
