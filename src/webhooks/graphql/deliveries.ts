/** Deliveries as they are read and watched. */
import { builder } from '../../graphql/builder.ts';
import { connect, connectionArgs, connectionComplexity, connectionType } from '../../graphql/connection.ts';
import type { Context } from '../../graphql/context.ts';
import { vocabulary } from '../../graphql/enums.ts';
import { findable, globalId, Node } from '../../graphql/node.ts';
import { requireScope } from '../../operation.ts';
import {
  type Delivery,
  type DeliveryAttempt,
  deliveryLimits,
  deliveryStates,
  disabledReasons,
  failureReasons,
  triggerEvent,
  type WebhookHealth,
} from '../deliveries.ts';
import { listAttempts, listDeliveries, watchDeliveries } from '../deliveries-operations.ts';
import { samplesOf } from '../samples.ts';
import { type WebhookEvent, webhookSourceNames } from '../sources.ts';
import { findWebhook, WebhookInterface } from './queries.ts';
import { WebhookEventEnum, WebhookSourceEnum } from './vocabularies.ts';

const DeliveryStateEnum = vocabulary('DeliveryState', 'How far a delivery has come.', deliveryStates);

const FailureReasonEnum = vocabulary(
  'DeliveryFailureReason',
  'Why an attempt got no answer that could be read.',
  failureReasons,
);

const DisabledReasonEnum = vocabulary('WebhookDisabledReason', 'Why a webhook is disabled.', disabledReasons);

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
      resolve: ({ webhook_id }, _args, context) => findWebhook(webhook_id, context),
    }),
    attempts: t.field({
      type: AttemptConnection,
      description: 'The requests that were made for it, the first one first.',
      args: connectionArgs(deliveryLimits, 'attempts'),
      complexity: connectionComplexity,
      resolve: ({ delivery_id }, { first, after }, context) =>
        connect(context, {
          operation: listAttempts,
          limits: deliveryLimits,
          first,
          after,
          list: ['attempts', delivery_id],
          load: (cursor, limit) => listAttempts(context, { delivery_id, ...(cursor && { cursor }), limit }),
        }),
    }),
  }),
});

const DeliveryConnection = connectionType('Delivery', DeliveryType, 'deliveries');

const WebhookHealthType = builder.objectRef<WebhookHealth>('WebhookHealth').implement({
  description: 'How the endpoint of a webhook is doing.',
  fields: (t) => ({
    disabledReason: t.expose('disabled_reason', {
      type: DisabledReasonEnum,
      nullable: true,
      description: 'Why it is disabled; null where it is not, or was made so.',
    }),
    disabledAt: t.expose('disabled_at', { type: 'DateTime', nullable: true, description: 'Since when.' }),
    failingSince: t.expose('failing_since', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it has answered nothing but failures. After five days it is disabled.',
    }),
    pausedUntil: t.expose('paused_until', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when nothing is sent to it, as it asked for less.',
    }),
  }),
});

builder.interfaceFields(WebhookInterface, (t) => ({
  health: t.field({
    type: WebhookHealthType,
    nullable: true,
    description: 'How its endpoint is doing. Embedded backend only.',
    resolve: ({ id }, _args, context) => context.loaders.webhookHealth.load(id),
  }),
  deliveries: t.field({
    type: DeliveryConnection,
    description: 'What was and is to be delivered to it, the newest first. Embedded backend only.',
    args: {
      ...connectionArgs(deliveryLimits, 'deliveries'),
      state: t.arg({ type: [DeliveryStateEnum], description: 'The states to show; all of them when left out.' }),
    },
    complexity: connectionComplexity,
    resolve: ({ id }, { first, after, state }, context) =>
      connect(context, {
        operation: listDeliveries,
        limits: deliveryLimits,
        first,
        after,
        list: ['deliveries', id, [...(state ?? [])].sort().join()],
        load: (cursor, limit) =>
          listDeliveries(context, { webhook_id: id, ...(cursor && { cursor }), ...(state && { state }), limit }),
      }),
  }),
}));

/** The delivery with this id; null where the key cannot see one. */
export function findDelivery(deliveryId: string, context: Context): Promise<Delivery | null> {
  requireScope(context.caller, listDeliveries.scope);
  return context.loaders.deliveries.load(deliveryId);
}

findable('Delivery', async (deliveryId, context) => findDelivery(deliveryId, context));

const EventSample = builder.objectRef<ReturnType<typeof samplesOf>[number]>('EventSample').implement({
  description: 'What an event looks like.',
  fields: (t) => ({
    source: t.expose('source', { type: WebhookSourceEnum, description: 'Its family.' }),
    event: t.expose('event', { type: WebhookEventEnum, description: 'The event.' }),
    payload: t.expose('payload', {
      type: 'JSON',
      description: 'The body of a delivery to a webhook that chooses no fields and has the format JSON.',
    }),
  }),
});

/** Samples are documentation: they are the same at any time. */
const sampleTime = new Date('2026-11-20T10:15:00Z');

builder.queryFields((t) => ({
  delivery: t.field({
    type: DeliveryType,
    nullable: true,
    description: 'The delivery with this id; null where the key cannot see one. Scope: `webhooks:read`.',
    args: { deliveryId: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: (_root, { deliveryId }, context) => findDelivery(deliveryId, context),
  }),
  eventSamples: t.field({
    type: [EventSample],
    description: 'A realistic payload for every event of a source, or of all sources. It needs no scope.',
    args: { source: t.arg({ type: WebhookSourceEnum, description: 'The source; all of them when left out.' }) },
    resolve: (_root, { source }) =>
      (source ? [source] : webhookSourceNames).flatMap((name) => samplesOf(name, sampleTime)),
  }),
}));

builder.subscriptionFields((t) => ({
  deliveryUpdated: t.field({
    type: DeliveryType,
    description:
      'Deliveries as they are made and whenever something comes of them, from now on. It begins without the past: read that from `webhook.deliveries`. Scope: `webhooks:read`.',
    args: { webhookId: t.arg.id({ description: 'The webhook to watch; all of the workspace when left out.' }) },
    subscribe: (_root, { webhookId }, context) =>
      watchDeliveries(context, webhookId ? { webhook_id: webhookId } : {}) as never,
    resolve: (delivery) => delivery as Delivery,
  }),
}));
