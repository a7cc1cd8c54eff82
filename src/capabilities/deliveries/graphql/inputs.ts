import { WebhookEventEnum } from '../../../events/graphql/enums.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { flattenOneOf, toSnakeCase } from '../../../graphql/kit/contract-mapping.ts';
import { RedeliverableStateEnum } from './enums.ts';

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

const MessageContextInput = builder.inputType('MessageContextInput', {
  description: 'A message to fire from.',
  fields: (t) => ({
    messageId: t.id({ required: true, description: 'Id of the message.' }),
    chatId: t.id({ required: true, description: 'Id of the chat of the message.' }),
  }),
});

const ChatContextInput = builder.inputType('ChatContextInput', {
  description: 'A chat to fire from.',
  fields: (t) => ({ chatId: t.id({ required: true, description: 'Id of the chat.' }) }),
});

const FireContextInput = builder.inputType('FireContextInput', {
  description: "Where to fire from: the `context` of the webhook's trigger.",
  isOneOf: true,
  fields: (t) => ({
    message: t.field({ type: MessageContextInput, description: 'A message.' }),
    chat: t.field({ type: ChatContextInput, description: 'A chat.' }),
  }),
});

export const FireTriggerWebhookInput = builder.inputType('FireTriggerWebhookInput', {
  description: 'A webhook to fire, and where from.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    accountId: t.id({ required: true, description: 'Account of the message or chat.' }),
    context: t.field({
      type: FireContextInput,
      required: true,
      description: 'Message or chat to fire from.',
    }),
    idempotencyKey: t.string(idempotencyField),
  }),
});

/** The contract's tag `context` stands beside the ids. */
export function fireRequest({ context, ...input }: typeof FireTriggerWebhookInput.$inferInput): object {
  return flattenOneOf('context', context, toSnakeCase(input), (name) => name.toUpperCase());
}

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
      type: RedeliverableStateEnum,
      required: true,
      description: 'State of deliveries to redeliver.',
    }),
    since: t.field({ type: 'DateTime', description: 'Created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Created before this time.' }),
  }),
});
