import { eventDescriptions, keyDescriptions, sourceDescriptions } from '../../events/descriptions.ts';
import { type WebhookSource, webhookSources } from '../../events/sources.ts';
import { builder } from '../../graphql/builder.ts';
import { flattenOneOf, toSnakeCase, withoutNulls } from '../../graphql/contract-mapping.ts';
import { contractEnum } from '../../graphql/enums.ts';
import { TriggerContextEnum, TriggerIconEnum, WebhookFormatEnum } from './enums.ts';

const pick = <Word extends string>(words: readonly Word[], descriptions: Readonly<Record<Word, string>>) =>
  Object.fromEntries(words.map((word) => [word, descriptions[word]])) as Record<Word, string>;

/** The input of one source: its own enum of events and, unless it has no keys, its own enum of payload keys. */
function sourceInput(source: WebhookSource, name: string) {
  const { events, keys } = webhookSources[source];
  const what = sourceDescriptions[source];
  const EventEnum = contractEnum(
    `${name}Event`,
    `An event of the source \`${source}\`.`,
    pick(events, eventDescriptions),
  );
  const mapping = keys.length === 0 ? null : dataInput(name, source, keys);
  return builder.inputType(`${name}WebhookInput`, {
    description: `A webhook for the source \`${source}\`. ${what}`,
    fields: (t) => ({
      events: t.field({ type: [EventEnum], description: 'Events to subscribe to; all of the source when left out.' }),
      ...(mapping === null
        ? {}
        : {
            data: t.field({
              type: [mapping],
              description: 'What payloads are made of; every key under its own name when left out.',
            }),
          }),
    }),
  });
}

function dataInput(name: string, source: WebhookSource, keys: (typeof webhookSources)[WebhookSource]['keys']) {
  const KeyEnum = contractEnum(
    `${name}DataKey`,
    `A field of events of the source \`${source}\`.`,
    pick(keys, keyDescriptions),
  );
  return builder.inputType(`${name}DataMappingInput`, {
    description: 'A field of the payload, and the field of the event that it is made of.',
    fields: (t) => ({
      name: t.string({ required: true, description: 'Name in the payload.' }),
      key: t.field({ type: KeyEnum, required: true, description: 'Field of the event.' }),
    }),
  });
}

const sourceInputs = {
  messaging: sourceInput('messaging', 'Messaging'),
  users: sourceInput('users', 'Users'),
  accountStatus: sourceInput('account_status', 'AccountStatus'),
  email: sourceInput('email', 'Email'),
  emailTracking: sourceInput('email_tracking', 'EmailTracking'),
  calendarEvent: sourceInput('calendar_event', 'CalendarEvent'),
};

export const WebhookSourceInput = builder.inputType('WebhookSourceInput', {
  description: 'What to listen to: exactly one source, with events and payload keys of its own.',
  isOneOf: true,
  fields: (t) => ({
    messaging: t.field({ type: sourceInputs.messaging, description: sourceDescriptions.messaging }),
    users: t.field({ type: sourceInputs.users, description: sourceDescriptions.users }),
    accountStatus: t.field({ type: sourceInputs.accountStatus, description: sourceDescriptions.account_status }),
    email: t.field({ type: sourceInputs.email, description: sourceDescriptions.email }),
    emailTracking: t.field({ type: sourceInputs.emailTracking, description: sourceDescriptions.email_tracking }),
    calendarEvent: t.field({ type: sourceInputs.calendarEvent, description: sourceDescriptions.calendar_event }),
  }),
});

export const WebhookHeaderInput = builder.inputType('WebhookHeaderInput', {
  description: 'An extra HTTP header for deliveries.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Name of the header.' }),
    value: t.string({ required: true, description: 'Value of the header.' }),
  }),
});

export const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A new webhook.',
  fields: (t) => ({
    requestUrl: t.string({ required: true, description: 'Where deliveries are to go: http or https.' }),
    source: t.field({ type: WebhookSourceInput, required: true, description: 'What to listen to.' }),
    name: t.string({ description: 'Display name.' }),
    format: t.field({ type: WebhookFormatEnum, description: 'How payloads are encoded; JSON when left out.' }),
    enabled: t.boolean({ description: 'Whether events are delivered from now on; true when left out.' }),
    accountIds: t.idList({
      description: 'Accounts to listen on; all of the workspace, future ones included, when left out.',
    }),
    headers: t.field({ type: [WebhookHeaderInput], description: 'Extra headers for deliveries.' }),
  }),
});

export const DeleteWebhookInput = builder.inputType('DeleteWebhookInput', {
  description: 'The webhook to delete.',
  fields: (t) => ({ webhookId: t.id({ required: true, description: 'Id of the webhook.' }) }),
});

const webhookId = { required: true, description: 'Id of the webhook.' } as const;

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

/**
 * A creation or an update in the contract's terms, where the source stands beside the fields that all sources have. Null
 * means "not given".
 */
export function webhookRequest({
  source,
  ...common
}: typeof CreateWebhookInput.$inferInput | typeof UpdateWebhookInput.$inferInput): object {
  const fields = toSnakeCase(withoutNulls(common));
  return source === null || source === undefined ? fields : flattenOneOf('source', withoutNulls(source), fields);
}
