import { WebhookEventEnum } from '../../events/graphql/enums.ts';
import { builder } from '../../graphql/builder.ts';
import { toSnakeCase, withoutNulls } from '../../graphql/contract-mapping.ts';

const webhookId = { required: true, description: 'Id of the webhook.' } as const;
const idempotencyKey = {
  description: 'Makes it safe to send the same again: a second one under the same key is the first one.',
} as const;

export const EmitEventInput = builder.inputType('EmitEventInput', {
  description: 'An event of an account.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'The account that it happened to.' }),
    event: t.field({ type: WebhookEventEnum, required: true, description: 'What happened.' }),
    data: t.field({
      type: 'JSON',
      description:
        'An object by the keys of the source of the event, spelt as in `eventSamples`; the data of the sample when left out. `account_id`, `account_type` and `webhook_name` are not part of it.',
    }),
    idempotencyKey: t.string(idempotencyKey),
  }),
});

/** Data is spelt as the contract does: its keys stay as they are. */
export function emitRequest({ data, ...input }: typeof EmitEventInput.$inferInput): object {
  return { ...toSnakeCase(withoutNulls(input)), ...(data === null || data === undefined ? {} : { data }) };
}

const MessageContextInput = builder.inputType('MessageContextInput', {
  description: 'The message that a webhook is fired from.',
  fields: (t) => ({
    messageId: t.id({ required: true, description: 'Id of the message.' }),
    chatId: t.id({ required: true, description: 'Id of the chat that it is in.' }),
  }),
});

const ChatContextInput = builder.inputType('ChatContextInput', {
  description: 'The chat that a webhook is fired from.',
  fields: (t) => ({ chatId: t.id({ required: true, description: 'Id of the chat.' }) }),
});

const FireContextInput = builder.inputType('FireContextInput', {
  description: 'Where a webhook is fired from: a message or a chat, as the webhook says.',
  isOneOf: true,
  fields: (t) => ({
    message: t.field({ type: MessageContextInput, description: 'A message.' }),
    chat: t.field({ type: ChatContextInput, description: 'A chat.' }),
  }),
});

export const FireTriggerWebhookInput = builder.inputType('FireTriggerWebhookInput', {
  description: 'A TRIGGER webhook to fire.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    accountId: t.id({ required: true, description: 'The account that the message or chat is of.' }),
    context: t.field({ type: FireContextInput, required: true, description: 'Where it is fired from.' }),
    idempotencyKey: t.string(idempotencyKey),
  }),
});

export function fireRequest({ context, ...input }: typeof FireTriggerWebhookInput.$inferInput): object {
  const place = context.message
    ? { context: 'MESSAGE', ...toSnakeCase(context.message) }
    : { context: 'CHAT', ...toSnakeCase(context.chat ?? {}) };
  return { ...toSnakeCase(withoutNulls(input)), ...place };
}

export const SendTestEventInput = builder.inputType('SendTestEventInput', {
  description: 'A sample event for one webhook.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    event: t.field({ type: WebhookEventEnum, description: 'The event; the first that it listens to when left out.' }),
  }),
});

export const RedeliverInput = builder.inputType('RedeliverInput', {
  description: 'A delivery to send once more.',
  fields: (t) => ({ deliveryId: t.id({ required: true, description: 'Id of the delivery.' }) }),
});

const RedeliverableStateEnum = builder.enumType('RedeliverableState', {
  description: 'What can be replayed.',
  values: {
    HELD: { value: 'held', description: 'What came while the webhook was disabled.' },
    FAILED: { value: 'failed', description: 'What failed for good.' },
    SUCCEEDED: { value: 'succeeded', description: 'What has arrived: it arrives once more.' },
  } as const,
});

export const RedeliverAllInput = builder.inputType('RedeliverAllInput', {
  description: 'Deliveries of a webhook to send once more.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    state: t.field({ type: RedeliverableStateEnum, required: true, description: 'Which of them.' }),
    since: t.field({ type: 'DateTime', description: 'Only those made then or later.' }),
    until: t.field({ type: 'DateTime', description: 'Only those made earlier.' }),
  }),
});
