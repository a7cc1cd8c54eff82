import { WebhookEventEnum } from '../../../events/graphql/enums.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { flattenOneOf, toSnakeCase } from '../../../graphql/kit/contract-mapping.ts';
import { RedeliverableStateEnum } from './enums.ts';

const webhookId = { required: true, description: 'Id of the webhook.' } as const;
const idempotencyField = {
  description:
    'Unique key, up to 255 characters, that makes retries safe. A request with a key that is known for the account creates nothing new, whichever API key it is made with.',
} as const;

export const EmitEventInput = builder.inputType('EmitEventInput', {
  description: 'The event to emit.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Id of the account that the event belongs to.' }),
    event: t.field({ type: WebhookEventEnum, required: true, description: 'Type of the event.' }),
    data: t.field({
      type: 'JSON',
      description:
        "Object with the keys of the event's source, spelled as in `eventSamples`, except `account_id`, `account_type` and `webhook_name`, which the gateway sets. Defaults to the data of the sample.",
    }),
    idempotencyKey: t.string(idempotencyField),
  }),
});

/** Keys of `data` are the contract's already. */
export function emitRequest({ data, ...input }: typeof EmitEventInput.$inferInput): object {
  return { ...toSnakeCase(input), ...(data === undefined ? {} : { data }) };
}

const MessageContextInput = builder.inputType('MessageContextInput', {
  description: 'The message to fire a webhook from.',
  fields: (t) => ({
    messageId: t.id({ required: true, description: 'Id of the message.' }),
    chatId: t.id({ required: true, description: 'Id of the chat that contains the message.' }),
  }),
});

const ChatContextInput = builder.inputType('ChatContextInput', {
  description: 'The chat to fire a webhook from.',
  fields: (t) => ({ chatId: t.id({ required: true, description: 'Id of the chat.' }) }),
});

const FireContextInput = builder.inputType('FireContextInput', {
  description: "The context to fire a webhook from. Set the field that matches the `context` of the webhook's trigger.",
  isOneOf: true,
  fields: (t) => ({
    message: t.field({ type: MessageContextInput, description: 'Fires from a message.' }),
    chat: t.field({ type: ChatContextInput, description: 'Fires from a chat.' }),
  }),
});

export const FireTriggerWebhookInput = builder.inputType('FireTriggerWebhookInput', {
  description: 'The TRIGGER webhook to fire, and the context to fire it from.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    accountId: t.id({ required: true, description: 'Id of the account that the message or chat belongs to.' }),
    context: t.field({
      type: FireContextInput,
      required: true,
      description: 'The message or chat to fire the webhook from.',
    }),
    idempotencyKey: t.string(idempotencyField),
  }),
});

/** The contract's tag `context` stands beside the ids. */
export function fireRequest({ context, ...input }: typeof FireTriggerWebhookInput.$inferInput): object {
  return flattenOneOf('context', context, toSnakeCase(input), (name) => name.toUpperCase());
}

export const SendTestEventInput = builder.inputType('SendTestEventInput', {
  description: 'The webhook to test, and the event to send.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    event: t.field({
      type: WebhookEventEnum,
      description: 'Type of the event. Defaults to the first event that the webhook is subscribed to.',
    }),
  }),
});

export const RedeliverInput = builder.inputType('RedeliverInput', {
  description: 'The delivery to redeliver.',
  fields: (t) => ({ deliveryId: t.id({ required: true, description: 'Id of the delivery.' }) }),
});

export const RedeliverAllInput = builder.inputType('RedeliverAllInput', {
  description: 'The deliveries to redeliver.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    state: t.field({
      type: RedeliverableStateEnum,
      required: true,
      description: 'State of the deliveries to redeliver.',
    }),
    since: t.field({ type: 'DateTime', description: 'Only redeliver deliveries created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Only redeliver deliveries created before this time.' }),
  }),
});
