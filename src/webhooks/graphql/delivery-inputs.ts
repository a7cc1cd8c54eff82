import { builder } from '../../graphql/builder.ts';
import { toContract, withoutNulls } from '../../graphql/words.ts';
import { WebhookHeaderInput, WebhookSourceInput } from './inputs.ts';
import { TriggerContextEnum, TriggerIconEnum, WebhookEventEnum, WebhookFormatEnum } from './vocabularies.ts';

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
  return { ...(toContract(withoutNulls(input)) as object), ...(data === null || data === undefined ? {} : { data }) };
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
    ? { context: 'MESSAGE', ...(toContract(context.message) as object) }
    : { context: 'CHAT', ...(toContract(context.chat) as object) };
  return { ...(toContract(withoutNulls(input)) as object), ...place };
}

const common = (t: Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]) => ({
  name: t.string({ description: 'Display name.' }),
  format: t.field({ type: WebhookFormatEnum, description: 'How payloads are encoded.' }),
  accountIds: t.idList({ description: 'Accounts to listen on; an empty list for all of the workspace.' }),
  headers: t.field({ type: [WebhookHeaderInput], description: 'Extra headers for deliveries.' }),
});

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'How a TRIGGER webhook is offered to people.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What it is called.' }),
    icon: t.field({ type: TriggerIconEnum, required: true, description: 'Its icon.' }),
    context: t.field({ type: TriggerContextEnum, required: true, description: 'Where it is offered.' }),
  }),
});

export const CreateTriggerWebhookInput = builder.inputType('CreateTriggerWebhookInput', {
  description: 'A new TRIGGER webhook.',
  fields: (t) => ({
    requestUrl: t.string({ required: true, description: 'Where deliveries are to go: http or https.' }),
    trigger: t.field({ type: TriggerInput, required: true, description: 'How it is offered to people.' }),
    enabled: t.boolean({ description: 'Whether it can be fired from now on; true when left out.' }),
    ...common(t),
  }),
});

export const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'A change of a webhook: what is left out stays as it is.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    requestUrl: t.string({ description: 'Where deliveries are to go: http or https.' }),
    source: t.field({
      type: WebhookSourceInput,
      description: 'Events and payload keys of the source that the webhook has: it cannot be given another one.',
    }),
    ...common(t),
  }),
});

export const SetWebhookEnabledInput = builder.inputType('SetWebhookEnabledInput', {
  description: 'Whether a webhook is delivered to.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    enabled: t.boolean({ required: true, description: 'False holds its deliveries, true lets new ones through.' }),
  }),
});

export const WebhookSecretInput = builder.inputType('WebhookSecretInput', {
  description: 'The webhook whose secret it is about.',
  fields: (t) => ({ webhookId: t.id(webhookId) }),
});

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

const ReplayStateEnum = builder.enumType('ReplayState', {
  description: 'What can be replayed.',
  values: {
    HELD: { value: 'held', description: 'What came while the webhook was disabled.' },
    FAILED: { value: 'failed', description: 'What failed for good.' },
    SUCCEEDED: { value: 'succeeded', description: 'What has arrived: it arrives once more.' },
  } as const,
});

export const ReplayDeliveriesInput = builder.inputType('ReplayDeliveriesInput', {
  description: 'Deliveries of a webhook to send once more.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    state: t.field({ type: ReplayStateEnum, required: true, description: 'Which of them.' }),
    since: t.field({ type: 'DateTime', description: 'Only those made then or later.' }),
    until: t.field({ type: 'DateTime', description: 'Only those made earlier.' }),
  }),
});
