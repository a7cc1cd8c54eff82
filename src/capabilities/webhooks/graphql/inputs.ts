import { type SourceRow, webhookSources } from '../../../events/sources.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { camelCase, flattenOneOf, pascalCase, toSnakeCase } from '../../../graphql/kit/contract-mapping.ts';
import { contractEnum } from '../../../graphql/kit/enums.ts';
import { idempotencyKeyOfCreation } from '../../../graphql/kit/idempotent-mutation.ts';
import { invalidParameters } from '../../../kernel/issues.ts';
import { KnownTriggerContextEnum, KnownTriggerIconEnum, KnownWebhookFormatEnum } from './enums.ts';

/** Each source has its own enum of events and, if it offers a choice, of payload keys. */
function sourceInput(source: string, { mapping, meanings }: SourceRow) {
  const name = pascalCase(source);
  const EventEnum = contractEnum(`${name}Event`, `An event of the source \`${source}\`.`, meanings.events);
  const DataInput = mapping === 'all' ? null : dataInput(source, meanings.keys);
  return builder.inputType(`${name}WebhookInput`, {
    description: `A subscription to the source \`${source}\`.`,
    fields: (t) => ({
      events: t.field({
        type: [EventEnum],
        description: 'Events to subscribe to. Null for all events of the source.',
      }),
      ...(DataInput === null
        ? {}
        : {
            data: t.field({
              type: [DataInput],
              description: 'Fields of the payload. Defaults to all keys of the source, each under its own name.',
            }),
          }),
    }),
  });
}

function dataInput(source: string, keys: SourceRow['meanings']['keys']) {
  const name = pascalCase(source);
  const KeyEnum = contractEnum(`${name}DataKey`, `An event field of the source \`${source}\`.`, keys);
  return builder.inputType(`${name}DataMappingInput`, {
    description: 'Name of the payload field, and the event field that it is read from.',
    fields: (t) => ({
      name: t.string({ required: true, description: 'Name of the payload field.' }),
      key: t.field({ type: KeyEnum, required: true, description: 'Event field that the value is read from.' }),
    }),
  });
}

const WebhookSourceInput = builder.inputType('WebhookSourceInput', {
  description: 'The source of the events. Set exactly one field; each source has its own events and payload keys.',
  isOneOf: true,
  fields: (t) =>
    Object.fromEntries(
      Object.entries(webhookSources).map(([source, row]) => [
        camelCase(source),
        t.field({ type: sourceInput(source, row), description: row.description }),
      ]),
    ),
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

const newSettings = (t: InputFields) => ({
  requestUrl: t.string({ required: true, description: requestUrl }),
  format: t.field({ type: KnownWebhookFormatEnum, description: 'Encoding of payloads. Defaults to `JSON`.' }),
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
    source: t.field({ type: WebhookSourceInput, required: true, description: 'Events to subscribe to.' }),
    enabled: t.boolean({ description: 'Whether events are delivered to the webhook. Defaults to true.' }),
  }),
});

const TriggerInput = builder.inputType('TriggerInput', {
  description: 'How clients present a TRIGGER webhook to people.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Label of the trigger.' }),
    icon: t.field({ type: KnownTriggerIconEnum, required: true, description: 'Icon of the trigger.' }),
    context: t.field({
      type: KnownTriggerContextEnum,
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
    enabled: t.boolean({ description: 'Whether the webhook can be fired. Defaults to true.' }),
  }),
});

export const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description:
    'The webhook to update. Fields left out keep their values; lists are replaced as a whole. Null is an error, but where it stands for all.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    requestUrl: t.string({ description: requestUrl }),
    source: t.field({
      type: WebhookSourceInput,
      description: 'Events to subscribe to, and fields of the payload. The source of a webhook cannot change.',
    }),
    format: t.field({ type: KnownWebhookFormatEnum, description: 'Encoding of payloads.' }),
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

/** An empty list, which stands for all in the contract, is none here: null says it. @throws ServiceError for one */
export function listRequest(input: { readonly accountIds?: readonly string[] | null | undefined }): object {
  const { accountIds } = input;
  if (accountIds?.length === 0) {
    const message = 'must have at least 1 entry: null stands for all accounts';
    throw invalidParameters([{ path: ['account_ids'], code: 'too_few', limit: 1, message }]);
  }
  return toSnakeCase(accountIds === null ? { ...input, accountIds: [] } : input);
}

const ofWebhook = (name: string, description: string) =>
  builder.inputType(name, { description, fields: (t) => ({ webhookId: t.id(webhookId) }) });

export const DeleteWebhookInput = ofWebhook('DeleteWebhookInput', 'The webhook to delete.');

export const SetWebhookEnabledInput = builder.inputType('SetWebhookEnabledInput', {
  description: 'The webhook, and whether to enable it.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    enabled: t.boolean({
      required: true,
      description: 'Whether to deliver events to the webhook. While false, its deliveries are held.',
    }),
  }),
});

export const SetWebhookNoticesInput = builder.inputType('SetWebhookNoticesInput', {
  description: 'The webhook, and whether it receives notices.',
  fields: (t) => ({
    webhookId: t.id(webhookId),
    receives: t.boolean({
      required: true,
      description: 'Whether the webhook is notified when the gateway disables another webhook of the workspace.',
    }),
  }),
});

export const RotateWebhookSecretInput = ofWebhook('RotateWebhookSecretInput', 'The webhook whose secret to replace.');

export const RevealWebhookSecretInput = ofWebhook('RevealWebhookSecretInput', 'The webhook whose secret to reveal.');

/** In the contract's terms: a tag `source`, with its fields beside those of every webhook. */
export function webhookRequest({
  source,
  ...common
}: typeof CreateWebhookInput.$inferInput | typeof UpdateWebhookInput.$inferInput): object {
  const fields = listRequest(common);
  if (source === undefined) return fields;
  return source === null ? { ...fields, source } : flattenOneOf('source', source, fields);
}
