import { WebhookEventEnum } from '../../../events/graphql/enums.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { toSnakeCase } from '../../../graphql/kit/contract-mapping.ts';
import { DeliveryStateEnum } from './enums.ts';

const webhookId = { required: true, description: 'Id of the webhook.' } as const;
const idempotencyField = {
  description: 'Key for safe retries, up to 255 characters, unique for the account.',
} as const;

export const EmitEventInput = builder.inputType('EmitEventInput', {
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
export function emitRequest({ data, ...input }: typeof EmitEventInput.$inferInput): object {
  return { ...toSnakeCase(input), ...(data === undefined ? {} : { data }) };
}

export const FireTriggerWebhookInput = builder.inputType('FireTriggerWebhookInput', {
  description: 'A webhook to fire, and where from.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    accountId: t.id({ required: true, description: 'Account of the message or chat.' }),
    chatId: t.id({ required: true, description: 'Id of the chat, or of the chat of the message.' }),
    messageId: t.id({ description: 'Id of the message, if the context of the trigger is `MESSAGE`.' }),
    idempotencyKey: t.string(idempotencyField),
  }),
});

export const SendTestEventInput = builder.inputType('SendTestEventInput', {
  description: 'A webhook to test.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    event: t.field({
      type: WebhookEventEnum,
      description: 'Type of the event. Defaults to the first of the webhook.',
    }),
  }),
});

export const RedeliverDeliveryInput = builder.inputType('RedeliverDeliveryInput', {
  description: 'A delivery to redeliver.',
  fields: (t) => ({ deliveryId: t.id({ required: true, description: 'Id of the delivery.' }) }),
});

export const RedeliverWebhookDeliveriesInput = builder.inputType('RedeliverWebhookDeliveriesInput', {
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
