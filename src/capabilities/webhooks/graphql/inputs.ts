import { WebhookDataKeyEnum, WebhookEventEnum, WebhookSourceEnum } from '../../../events/graphql/enums.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { toSnakeCase } from '../../../graphql/kit/contract-mapping.ts';
import { idempotencyKeyOfCreation } from '../../../graphql/kit/idempotent-mutation.ts';
import { invalidParameters } from '../../../kernel/issues.ts';
import { TriggerContextEnum, TriggerIconEnum, WebhookFormatEnum } from './enums.ts';

const WebhookDataMappingInput = builder.inputType('WebhookDataMappingInput', {
  description: 'A payload field, and the event field that it shows.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name in the payload.' }),
    key: t.field({
      type: WebhookDataKeyEnum,
      required: true,
      description: 'Event field.',
    }),
  }),
});

const WebhookHeaderInput = builder.inputType('WebhookHeaderInput', {
  description: 'An extra header of deliveries.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Name.' }),
    value: t.string({ required: true, description: 'Value.' }),
  }),
});

const webhookId = { required: true, description: 'Id of the webhook.' } as const;
const requestUrl = 'URL to deliver to, `http` or `https`.';

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

/** Fields of a source. A pair that does not fit is refused at its path. */
const subscription = (t: InputFields) => ({
  events: t.field({
    type: [WebhookEventEnum],
    description: 'Events of the source; null for all.',
  }),
  data: t.field({
    type: [WebhookDataMappingInput],
    description: 'Fields of the payload; null for all keys under their own names.',
  }),
});

const newSettings = (t: InputFields) => ({
  requestUrl: t.string({ required: true, description: requestUrl }),
  format: t.field({ type: WebhookFormatEnum, description: 'Encoding of payloads. Defaults to `JSON`.' }),
  accountIds: t.idList({
    description: 'Accounts; null for all, future ones included.',
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
    isEnabled: t.boolean({ description: 'Whether events are delivered. Defaults to true.' }),
  }),
});

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'How people see a TRIGGER webhook.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Label.' }),
    icon: t.field({ type: TriggerIconEnum, required: true, description: 'Icon.' }),
    context: t.field({
      type: TriggerContextEnum,
      required: true,
      description: 'Where people fire it from.',
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
      description: 'How people see it.',
    }),
    isEnabled: t.boolean({ description: 'Whether it can be fired. Defaults to true.' }),
  }),
});

export const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Changes to a webhook. Omit what to keep: null is an error or means all.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    requestUrl: t.string({ description: requestUrl }),
    ...subscription(t),
    isEnabled: t.boolean({
      description: 'Whether events are delivered. If not, deliveries are held.',
    }),
    receivesNotices: t.boolean({
      description: 'Whether it gets notices. It must be of all accounts.',
    }),
    format: t.field({ type: WebhookFormatEnum, description: 'Encoding of payloads.' }),
    accountIds: t.idList({
      description: 'Accounts; null for all, future ones included.',
    }),
    name: t.string({ description: 'Display name. An empty text clears it.' }),
    headers: t.field({
      type: [WebhookHeaderInput],
      description: 'Extra headers of deliveries. An empty list clears them.',
    }),
    trigger: t.field({ type: TriggerInput, description: 'How people see it, for a TRIGGER webhook.' }),
  }),
});

const ofWebhook = (name: string, description: string) =>
  builder.inputType(name, { description, fields: (t) => ({ webhookId: t.id(webhookId) }) });

export const DeleteWebhookInput = ofWebhook('DeleteWebhookInput', 'The webhook to delete.');

export const RotateWebhookSecretInput = ofWebhook('RotateWebhookSecretInput', 'A webhook to give a new secret.');

export const RevealWebhookSecretInput = ofWebhook('RevealWebhookSecretInput', 'A webhook to show the secret of.');

/** Lists of which the contract's empty one stands for all. */
const allIfEmpty = ['accountIds', 'events'] as const;

type Settings = Partial<typeof UpdateWebhookInput.$inferInput | typeof CreateTriggerWebhookInput.$inferInput>;

/** @throws ServiceError `invalid_parameters` for an empty list: here null stands for all */
export function refuseEmptyLists(input: Settings): void {
  const lists: Readonly<Record<string, unknown>> = { ...input };
  const empty = allIfEmpty.filter((name) => Array.isArray(lists[name]) && lists[name].length === 0);
  if (empty.length === 0) return;
  const message = 'must have at least 1 entry: null stands for all';
  throw invalidParameters(empty.map((name) => ({ path: [name], code: 'too_few', limit: 1, message })));
}

/** In the contract's terms. */
export function webhookRequest({ isEnabled, ...input }: Settings): object {
  const lists: Record<string, unknown> = { ...input };
  for (const name of allIfEmpty) if (lists[name] === null) lists[name] = [];
  return { ...toSnakeCase(lists), ...(isEnabled === undefined ? {} : { enabled: isEnabled }) };
}
