import { run } from '../../operation.ts';
/** Deliveries as they are read and watched. */

import { triggerEvent } from '../../events/event.ts';
import { WebhookEventEnum } from '../../events/graphql/enums.ts';
import type { WebhookEvent } from '../../events/sources.ts';
import { builder } from '../../graphql/builder.ts';
import { connect, connectionArgs, connectionComplexity, connectionType } from '../../graphql/connection.ts';
import { contractEnum } from '../../graphql/enums.ts';
import { globalId, Node, registerNode } from '../../graphql/node.ts';
import { WebhookInterface } from '../../webhooks/graphql/webhook.ts';
import { listAttempts, listDeliveries, watchDeliveries } from '../operations.ts';
import { type Delivery, type DeliveryAttempt, deliveryLimits, deliveryStates, failureReasons } from '../shapes.ts';

const DeliveryStateEnum = contractEnum('DeliveryState', 'How far a delivery has come.', deliveryStates);

const FailureReasonEnum = contractEnum(
  'DeliveryFailureReason',
  'Why an attempt got no answer that could be read.',
  failureReasons,
);

const DeliveryAttemptType = builder.objectRef<DeliveryAttempt>('DeliveryAttempt').implement({
  description: 'A request that was made for a delivery.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Which attempt it was, from 1.' }),
    startedAt: t.expose('started_at', { type: 'DateTime', description: 'When it was made.' }),
    durationMs: t.exposeInt('duration_ms', { description: 'How long it took, in milliseconds.' }),
    status: t.exposeInt('status', { nullable: true, description: 'HTTP status of the answer; null where none came.' }),
    failure: t.expose('failure', {
      type: FailureReasonEnum,
      nullable: true,
      description: 'Why there was no answer, or none that could be read to its end; null where there was.',
    }),
    answer: t.exposeString('answer', { description: "The first bytes of the answer's body, up to 1 KiB, as text." }),
  }),
});

const AttemptConnection = connectionType('DeliveryAttempt', DeliveryAttemptType, 'attempts');

export const DeliveryType = builder.objectRef<Delivery>('Delivery').implement({
  description: 'An event on its way to one webhook.',
  interfaces: [Node],
  isTypeOf: (value) => (value as Partial<Delivery>).object === 'Delivery',
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: ({ delivery_id }) => globalId('Delivery', delivery_id) }),
    deliveryId: t.exposeID('delivery_id', {
      description: 'What arguments named `deliveryId` take; also the `webhook-id` header of every attempt.',
    }),
    eventId: t.exposeID('event_id', { description: 'Id of the event, the same for all the webhooks it goes to.' }),
    event: t.field({
      type: WebhookEventEnum,
      nullable: true,
      description: 'The event; null where a TRIGGER webhook was fired.',
      resolve: ({ event }) => (event === triggerEvent ? null : (event as WebhookEvent)),
    }),
    accountId: t.exposeID('account_id', { nullable: true, description: 'The account that it is of, if of one.' }),
    data: t.expose('data', { type: 'JSON', description: 'What the event says, by the keys of its source.' }),
    state: t.expose('state', { type: DeliveryStateEnum, description: 'How far it has come.' }),
    attemptCount: t.exposeInt('attempt_count', { description: 'Attempts made so far.' }),
    nextAttemptAt: t.expose('next_attempt_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried again; null where it is not, or at this moment.',
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the event came in.' }),
    finishedAt: t.expose('finished_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it succeeded or failed for good.',
    }),
    webhookId: t.exposeID('webhook_id', { description: 'Id of the webhook.' }),
    webhook: t.field({
      type: WebhookInterface,
      nullable: true,
      description: 'Where it goes.',
      resolve: ({ webhook_id }, _args, { loaders }) => loaders.webhooks.load(webhook_id),
    }),
    attempts: t.field({
      type: AttemptConnection,
      description: 'The requests that were made for it, the first one first.',
      args: connectionArgs(deliveryLimits, 'attempts'),
      complexity: connectionComplexity,
      resolve: ({ delivery_id }, page, context) =>
        connect(context, {
          operation: listAttempts,
          request: { delivery_id },
          limits: deliveryLimits,
          list: ['attempts', delivery_id],
          ...page,
        }),
    }),
  }),
});

const DeliveryConnection = connectionType('Delivery', DeliveryType, 'deliveries');

builder.interfaceFields(WebhookInterface, (t) => ({
  deliveries: t.field({
    type: DeliveryConnection,
    description: 'What was and is to be delivered to it, the newest first. Embedded backend only.',
    args: {
      ...connectionArgs(deliveryLimits, 'deliveries'),
      state: t.arg({ type: [DeliveryStateEnum], description: 'The states to show; all of them when left out.' }),
    },
    complexity: connectionComplexity,
    resolve: ({ id }, { state, ...page }, context) =>
      connect(context, {
        operation: listDeliveries,
        request: { webhook_id: id, state: state ?? undefined },
        limits: deliveryLimits,
        list: ['deliveries', id, [...(state ?? [])].sort().join()],
        ...page,
      }),
  }),
}));

registerNode('Delivery', (deliveryId, { loaders }) => loaders.deliveries.load(deliveryId));

builder.queryFields((t) => ({
  delivery: t.field({
    type: DeliveryType,
    nullable: true,
    description: 'The delivery with this id; null where the key cannot see one. Scope: `webhooks:read`.',
    args: { deliveryId: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: (_root, { deliveryId }, { loaders }) => loaders.deliveries.load(deliveryId),
  }),
}));

builder.subscriptionFields((t) => ({
  deliveryUpdated: t.field({
    type: DeliveryType,
    description:
      'Deliveries as they are made and whenever something comes of them, from now on. It begins without the past: read that from `webhook.deliveries`. Scope: `webhooks:read`.',
    args: { webhookId: t.arg.id({ description: 'The webhook to watch; all of the workspace when left out.' }) },
    subscribe: (_root, { webhookId }, context) =>
      run(watchDeliveries, context.ports, context, { webhook_id: webhookId ?? undefined }),
    resolve: (delivery) => delivery,
  }),
}));
