import { WebhookDataKeyEnum, WebhookEventEnum, WebhookSourceEnum } from '../../../events/graphql/enums.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { toSnakeCase } from '../../../graphql/kit/contract-mapping.ts';
import { idempotencyKeyOfCreation } from '../../../graphql/kit/idempotent-mutation.ts';
import type { Issue } from '../../../kernel/errors.ts';
import { invalidParameters } from '../../../kernel/issues.ts';
import { TriggerContextEnum, TriggerIconEnum, WebhookFormatEnum } from './enums.ts';

const WebhookDataMappingInput = builder.inputType('WebhookDataMappingInput', {
  description: 'Name of a payload field, and the event field that it is read from.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of the payload field.' }),
    key: t.field({
      type: WebhookDataKeyEnum,
      required: true,
      description: 'Event field that the value is read from.',
    }),
  }),
});

const WebhookHeaderInput = builder.inputType('WebhookHeaderInput', {
  description: 'An extra HTTP header of deliveries.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Name of the header.' }),
    value: t.string({ required: true, description: 'Value of the header.' }),
  }),
});

const webhookId = { required: true, description: 'Id of the webhook.' } as const;
const requestUrl = 'URL that deliveries are sent to, `http` or `https`.';

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

/** Of a source. A pair that does not fit is refused at its path. */
const subscription = (t: InputFields) => ({
  events: t.field({
    type: [WebhookEventEnum],
    description: 'Events of the source to subscribe to. Null for all of them.',
  }),
  data: t.field({
    type: [WebhookDataMappingInput],
    description: 'Fields of the payload. Null for all keys of the source, each under its own name.',
  }),
});

const newSettings = (t: InputFields) => ({
  requestUrl: t.string({ required: true, description: requestUrl }),
  format: t.field({ type: WebhookFormatEnum, description: 'Encoding of payloads. Defaults to `JSON`.' }),
  accountIds: t.idList({
    description: 'Ids of the accounts to listen to. Null for all current and future accounts of the workspace.',
  }),
  idempotencyKey: t.string(idempotencyKeyOfCreation),
  name: t.string({ description: 'Display name.' }),
  headers: t.field({ type: [WebhookHeaderInput], description: 'Extra headers of deliveries.' }),
});

export const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'The webhook to create.',
  fields: (t) => ({
    ...newSettings(t),
    source: t.field({
      type: WebhookSourceEnum,
      required: true,
      description: 'Source of the events. It cannot change.',
    }),
    ...subscription(t),
    isEnabled: t.boolean({ description: 'Whether events are delivered to the webhook. Defaults to true.' }),
  }),
});

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'How clients present a TRIGGER webhook to people.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Label of the trigger.' }),
    icon: t.field({ type: TriggerIconEnum, required: true, description: 'Icon of the trigger.' }),
    context: t.field({
      type: TriggerContextEnum,
      required: true,
      description: 'Whether people fire it from a message or from a chat.',
    }),
  }),
});

export const CreateTriggerWebhookInput = builder.inputType('CreateTriggerWebhookInput', {
  description: 'The TRIGGER webhook to create.',
  fields: (t) => ({
    ...newSettings(t),
    trigger: t.field({
      type: TriggerInput,
      required: true,
      description: 'How clients present the webhook to people.',
    }),
    isEnabled: t.boolean({ description: 'Whether the webhook can be fired. Defaults to true.' }),
  }),
});

export const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description:
    'The webhook to update. Fields left out keep their values; lists are replaced as a whole. Null is an error, but where it stands for all.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    requestUrl: t.string({ description: requestUrl }),
    ...subscription(t),
    isEnabled: t.boolean({
      description: 'Whether to deliver events to the webhook. While false, its deliveries are held.',
    }),
    receivesNotices: t.boolean({
      description:
        'Whether the webhook, of all accounts, is notified when the gateway disables another one of the workspace.',
    }),
    format: t.field({ type: WebhookFormatEnum, description: 'Encoding of payloads.' }),
    accountIds: t.idList({
      description: 'Ids of the accounts to listen to. Null for all current and future accounts of the workspace.',
    }),
    name: t.string({ description: 'Display name. To clear it, send an empty string.' }),
    headers: t.field({
      type: [WebhookHeaderInput],
      description: 'Extra headers of deliveries. To clear them, send an empty list.',
    }),
  }),
});

const ofWebhook = (name: string, description: string) =>
  builder.inputType(name, { description, fields: (t) => ({ webhookId: t.id(webhookId) }) });

export const DeleteWebhookInput = ofWebhook('DeleteWebhookInput', 'The webhook to delete.');

export const RotateWebhookSecretInput = ofWebhook('RotateWebhookSecretInput', 'The webhook whose secret to replace.');

export const RevealWebhookSecretInput = ofWebhook('RevealWebhookSecretInput', 'The webhook whose secret to reveal.');

/** Lists of which the contract's empty one stands for all. */
const allIfEmpty = ['accountIds', 'events'] as const;

type Settings = Partial<typeof UpdateWebhookInput.$inferInput | typeof CreateTriggerWebhookInput.$inferInput>;

/** In the contract's terms. @throws ServiceError `invalid_parameters` for an empty list: here null stands for all */
export function webhookRequest({ isEnabled, ...input }: Settings): object {
  const lists: Record<string, unknown> = { ...input };
  const issues = allIfEmpty.flatMap((name): Issue[] => {
    const list = lists[name];
    if (list === null) lists[name] = [];
    if (!Array.isArray(list) || list.length > 0) return [];
    return [{ path: [name], code: 'too_few', limit: 1, message: 'must have at least 1 entry: null stands for all' }];
  });
  if (issues.length > 0) throw invalidParameters(issues);
  return { ...toSnakeCase(lists), ...(isEnabled === undefined ? {} : { enabled: isEnabled }) };
}
