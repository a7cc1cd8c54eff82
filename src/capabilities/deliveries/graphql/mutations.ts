import { WebhookEventEnum } from '../../../events/graphql/enums.ts';
import { readsList } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { toSnakeCase } from '../../../graphql/kit/contract-mapping.ts';
import { mutationField, mutationResult } from '../../../graphql/kit/mutation.ts';
import { foundById } from '../../../graphql/kit/node.ts';
import { emitEvent, findDeliveries, fireTrigger, redeliver, redeliverAll, sendTestEvent } from '../operations.ts';
import type { DeliveriesRedelivered, DeliveryScheduled, EventEmitted } from '../shapes.ts';
import { DeliveryObject } from './delivery.ts';
import { DeliveryStateEnum } from './enums.ts';

const webhookId = { required: true, description: 'Id of the webhook.' } as const;
const idempotencyField = {
  description: 'Key for safe retries, up to 255 characters, unique for the account.',
} as const;

const EmitEventInput = builder.inputType('EmitEventInput', {
  description: 'The event to emit.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Account of the event.' }),
    event: t.field({ type: WebhookEventEnum, required: true, description: 'Type of the event.' }),
    data: t.field({
      type: 'JSON',
      description: 'Data as in `eventSamples`. Defaults to the sample.',
    }),
    idempotencyKey: t.string(idempotencyField),
  }),
});

/** Keys of `data` are the contract's already. */
function emitRequest({ data, ...input }: typeof EmitEventInput.$inferInput): object {
  return { ...toSnakeCase(input), ...(data === undefined ? {} : { data }) };
}

const FireTriggerWebhookInput = builder.inputType('FireTriggerWebhookInput', {
  description: 'A webhook to fire, and where from.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    accountId: t.id({ required: true, description: 'Account of the message or chat.' }),
    chatId: t.id({ required: true, description: 'Id of the chat, or of the chat of the message.' }),
    messageId: t.id({ description: 'Id of the message, if the context of the trigger is `MESSAGE`.' }),
    idempotencyKey: t.string(idempotencyField),
  }),
});

const SendTestEventInput = builder.inputType('SendTestEventInput', {
  description: 'A webhook to test.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    event: t.field({
      type: WebhookEventEnum,
      description: 'Type of the event. Defaults to the first of the webhook.',
    }),
  }),
});

const RedeliverDeliveryInput = builder.inputType('RedeliverDeliveryInput', {
  description: 'A delivery to redeliver.',
  fields: (t) => ({ deliveryId: t.id({ required: true, description: 'Id of the delivery.' }) }),
});

const RedeliverWebhookDeliveriesInput = builder.inputType('RedeliverWebhookDeliveriesInput', {
  description: 'Deliveries to redeliver.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    state: t.field({
      type: DeliveryStateEnum,
      required: true,
      description: 'Deliveries to send again. Pending ones are sent now.',
    }),
    since: t.field({ type: 'DateTime', description: 'Created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Created before this time.' }),
  }),
});

const EventEmittedObject = builder.objectRef<EventEmitted>('EventEmitted').implement({
  description: 'An event is stored, and will be delivered.',
  fields: (t) => ({
    eventId: t.exposeID('event_id', { description: 'Id of the event.' }),
    isRepeated: t.exposeBoolean('repeated', {
      description: 'Whether an earlier request with the idempotency key emitted it.',
    }),
    deliveries: t.field({
      type: [DeliveryObject],
      nullable: { list: false, items: true },
      description: 'Deliveries, one for each webhook.',
      runs: findDeliveries,
      extensions: readsList(50),
      resolve: ({ delivery_ids }, _args, { loaders }) => delivery_ids.map((id) => loaders.deliveries.load(id)),
    }),
  }),
});

const DeliveryScheduledObject = builder.objectRef<DeliveryScheduled>('DeliveryScheduled').implement({
  description: 'A delivery is scheduled again.',
  fields: (t) => ({
    deliveryId: t.exposeID('delivery_id', { description: 'Id of the delivery.' }),
    delivery: t.field({
      type: DeliveryObject,
      ...foundById('The delivery.', findDeliveries),
      resolve: ({ delivery_id }, _args, { loaders }) => loaders.deliveries.load(delivery_id),
    }),
  }),
});

const DeliveriesRedeliveredObject = builder.objectRef<DeliveriesRedelivered>('DeliveriesRedelivered').implement({
  description: 'Deliveries are scheduled again.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of deliveries.' }),
  }),
});

const emitResult = mutationResult<EventEmitted>('EmitEventResult', 'The event, or an error.', [EventEmittedObject]);
const deliveryResult = mutationResult<DeliveryScheduled>('RedeliverDeliveryResult', 'The delivery, or an error.', [
  DeliveryScheduledObject,
]);
const deliveriesResult = mutationResult<DeliveriesRedelivered>(
  'RedeliverWebhookDeliveriesResult',
  'The number of deliveries, or an error.',
  [DeliveriesRedeliveredObject],
);

mutationField('emitEvent', {
  description: 'Emits an event to every webhook that is subscribed to it.',
  input: EmitEventInput,
  inputDescription: 'The event to emit.',
  result: emitResult,
  operation: emitEvent,
  toRequest: emitRequest,
});

mutationField('fireTriggerWebhook', {
  description: 'Fires a TRIGGER webhook.',
  input: FireTriggerWebhookInput,
  inputDescription: 'The webhook, and where to fire it from.',
  result: emitResult,
  operation: fireTrigger,
});

mutationField('sendTestEvent', {
  description: 'Sends a sample event to one webhook only.',
  input: SendTestEventInput,
  inputDescription: 'The webhook to test.',
  result: emitResult,
  operation: sendTestEvent,
});

mutationField('redeliverDelivery', {
  description: 'Sends a delivery again, or now if it waits.',
  input: RedeliverDeliveryInput,
  inputDescription: 'A delivery to redeliver.',
  result: deliveryResult,
  operation: redeliver,
});

mutationField('redeliverWebhookDeliveries', {
  description: 'Sends deliveries of a webhook again, or now if they wait.',
  input: RedeliverWebhookDeliveriesInput,
  inputDescription: 'Deliveries to redeliver.',
  result: deliveriesResult,
  operation: redeliverAll,
  refusesNull: true,
});
