import { WebhookEventEnum } from '../../../events/graphql/enums.ts';
import { readsById } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, readConnection } from '../../../graphql/kit/connection.ts';
import { countedConnectionType } from '../../../graphql/kit/counted-connection.ts';
import { globalId } from '../../../graphql/kit/global-ids.ts';
import { foundById, Node, registerNode } from '../../../graphql/kit/node.ts';
import { isOf, standsAt } from '../../../graphql/kit/wire.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { AccountObject, accountItem } from '../../accounts/graphql/account.ts';
import { WebhookObject, webhookItem } from '../../webhooks/graphql/webhook.ts';
import { findDeliveries, findLastAttempts, listAttempts, readEventData, watchDeliveries } from '../operations.ts';
import { type Delivery, type DeliveryAttempt, deliveryLimits } from '../shapes.ts';
import { DeliveryStateEnum, FailureReasonEnum, NoticeEnum } from './enums.ts';

const DeliveryAttemptObject = builder.objectRef<DeliveryAttempt>('DeliveryAttempt').implement({
  description: 'An HTTP request that delivers an event to a webhook.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Number of the attempt, starting at 1.' }),
    startedAt: t.expose('started_at', { type: 'DateTime', description: 'When the request was sent.' }),
    durationMs: t.exposeInt('duration_ms', { description: 'Duration of the request, in milliseconds.' }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'HTTP status of the response; null if none was received.',
    }),
    failure: t.expose('failure', {
      type: FailureReasonEnum,
      nullable: true,
      description: 'Why no complete response was received; null if one was.',
    }),
    responseBody: t.exposeString('response_body', {
      description:
        'Start of the response body as text, up to 1 KiB; `********` for API keys without `webhooks:write`, and for those that may not manage the webhook.',
    }),
  }),
});

const AttemptConnection = countedConnectionType<DeliveryAttempt>('DeliveryAttempt', DeliveryAttemptObject, 'attempts');

export const DeliveryObject = builder.objectRef<Delivery>('Delivery').implement({
  description: 'The delivery of one event to one webhook, with all of its attempts.',
  interfaces: [Node],
  isTypeOf: isOf<Delivery>('Delivery'),
  fields: (t) => ({
    id: t.id({
      description: 'Global id of the delivery.',
      extensions: standsAt({ globalId: 'Delivery', key: 'delivery_id' }),
      resolve: ({ delivery_id }) => globalId('Delivery', delivery_id),
    }),
    deliveryId: t.exposeID('delivery_id', {
      description: 'Id of the delivery. Pass it as `deliveryId`. Every attempt carries it in the `webhook-id` header.',
    }),
    eventId: t.exposeID('event_id', { description: 'Id of the event. All deliveries of the event share it.' }),
    event: t.expose('event', {
      type: WebhookEventEnum,
      nullable: true,
      description: 'Type of the event; null if a TRIGGER webhook was fired, or the delivery is a notice.',
    }),
    notice: t.expose('notice', {
      type: NoticeEnum,
      nullable: true,
      description: 'What the delivery is a notice of; null if it is none.',
    }),
    accountId: t.exposeID('account_id', {
      nullable: true,
      description: 'Id of the account that the event belongs to; null if it belongs to none.',
    }),
    account: t.field({
      type: AccountObject,
      ...foundById(
        'The account that the event belongs to; null if it belongs to none, or the API key cannot see it.',
        accountItem,
        { ids: { accountId: 'account_id' }, unless: 'account_id' },
      ),
      resolve: ({ account_id }, _args, { loaders }) => (account_id === null ? null : loaders.accounts.load(account_id)),
    }),
    data: t.field({
      type: 'JSON',
      description: 'Data of the event, with the keys of its source, as `eventSamples` shows them.',
      runs: readEventData,
      extensions: readsById,
      resolve: async ({ delivery_id }, _args, { loaders }) => (await loaders.eventData.load(delivery_id)) ?? gone(),
    }),
    state: t.expose('state', { type: DeliveryStateEnum, description: 'State of the delivery.' }),
    attemptCount: t.exposeInt('attempt_count', { description: 'Number of attempts so far.' }),
    nextAttemptAt: t.expose('next_attempt_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next attempt is due; null if none is scheduled, or one is due or in progress.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the delivery was created.' }),
    finishedAt: t.expose('finished_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the delivery succeeded or failed permanently; null until then.',
    }),
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook that receives the event.' }),
    webhook: t.field({
      type: WebhookObject,
      ...foundById('The webhook that receives the event.', webhookItem, { ids: { webhookId: 'webhook_id' } }),
      resolve: ({ webhook_id }, _args, { loaders }) => loaders.webhooks.load(webhook_id),
    }),
    lastAttempt: t.field({
      type: DeliveryAttemptObject,
      ...foundById('The last attempt; null before the first one has ended.', findLastAttempts),
      resolve: ({ delivery_id }, _args, { loaders }) => loaders.lastAttempts.load(delivery_id),
    }),
    attempts: t.field({
      type: AttemptConnection,
      nullable: true,
      description: 'Lists the attempts, oldest first.',
      args: connectionArgs(deliveryLimits, 'attempts'),
      runs: listAttempts,
      resolve: async ({ delivery_id, attempt_count }, page, context) => {
        const list = ['attempts', delivery_id];
        const request = { operation: listAttempts, request: { delivery_id }, limits: deliveryLimits, list, ...page };
        return { ...(await readConnection(context, request)), size: () => ({ count: attempt_count, isExact: true }) };
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
    ...foundById('Retrieves a delivery. Null if no delivery visible to the API key has this id.', {
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
    description:
      'Emits a delivery when it is created and when its state changes: its newest state, so that one in between may be skipped. For earlier deliveries, query `deliveries`.',
    args: {
      webhookIds: t.arg.idList({
        description: `Ids of 1 to ${maxWatched} webhooks to watch. Defaults to all webhooks of the workspace.`,
      }),
    },
    runs: watchDeliveries,
    extensions: readsById,
    subscribe: (_root, { webhookIds }, context) =>
      run(watchDeliveries, context.ports, context, { webhook_ids: webhookIds ?? undefined }),
    resolve: (delivery) => delivery,
  }),
}));
