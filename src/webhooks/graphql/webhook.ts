import { AccountObject, AccountTypeEnum } from '../../accounts/graphql/account.ts';
import { WebhookDataKeyEnum, WebhookEventEnum, WebhookSourceEnum } from '../../events/graphql/enums.ts';
import { sourceOfEvents } from '../../events/sources.ts';
import { builder } from '../../graphql/builder.ts';
import { connect, connectionArgs, connectionType } from '../../graphql/connection.ts';
import { listOf, readsById } from '../../graphql/cost/weights.ts';
import { globalId, Node, registerNode } from '../../graphql/node.ts';
import { listWebhooks } from '../operations.ts';
import { type TriggerWebhook, type Webhook, type WebhookTrigger, webhookLimits } from '../shapes.ts';
import { TriggerContextEnum, TriggerIconEnum, WebhookFormatEnum } from './enums.ts';

const WebhookAccountObject = builder.objectRef<Webhook['account_ids'][number]>('WebhookAccount').implement({
  description: 'An account that a webhook listens to.',
  fields: (t) => ({
    accountId: t.exposeID('id', { description: 'Id of the account.' }),
    name: t.exposeString('name', { nullable: true, description: 'Display name of the account.' }),
    type: t.expose('type', { type: AccountTypeEnum, description: 'Type of the account.' }),
    account: t.field({
      type: AccountObject,
      nullable: true,
      description: 'The full account; null if the API key cannot see it. Scope: `accounts:read`.',
      extensions: readsById,
      resolve: ({ id }, _args, { loaders }) => loaders.accounts.load(id),
    }),
  }),
});

const WebhookHeaderObject = builder.objectRef<Webhook['headers'][number]>('WebhookHeader').implement({
  description: 'An extra HTTP header of deliveries.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Name of the header.' }),
    value: t.string({
      nullable: true,
      description: 'Value of the header; null for API keys without the scope `webhooks:write`.',
      resolve: ({ value }, _args, { caller }) => (caller.scopes.has('webhooks:write') ? value : null),
    }),
  }),
});

const WebhookDataMappingObject = builder.objectRef<Webhook['data'][number]>('WebhookDataMapping').implement({
  description: 'Name of a payload field, and the event field that it is read from.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the payload field.' }),
    key: t.expose('key', { type: WebhookDataKeyEnum, description: 'Event field that the value is read from.' }),
  }),
});

export const WebhookInterface = builder.interfaceRef<Webhook>('Webhook').implement({
  description: 'A URL that receives account events as HTTP POST requests.',
  interfaces: [Node],
  resolveType: ({ type }) => (type === 'TRIGGER' ? 'TriggerWebhook' : 'AutoWebhook'),
  fields: (t) => ({
    id: t.id({ description: 'Global id of the webhook.', resolve: ({ id }) => globalId('Webhook', id) }),
    webhookId: t.exposeID('id', { description: 'Id of the webhook. Pass it as `webhookId`.' }),
    name: t.exposeString('name', { nullable: true, description: 'Display name.' }),
    enabled: t.exposeBoolean('enabled', {
      description: 'Whether events are delivered to the webhook. If not, its deliveries are held.',
    }),
    requestUrl: t.exposeString('request_url', { description: 'URL that deliveries are sent to.' }),
    format: t.expose('format', { type: WebhookFormatEnum, description: 'Encoding of payloads.' }),
    accounts: t.expose('account_ids', {
      type: [WebhookAccountObject],
      extensions: listOf(20),
      description: 'Accounts that the webhook listens to; empty for all current and future accounts of the workspace.',
    }),
    headers: t.expose('headers', {
      type: [WebhookHeaderObject],
      description: 'Extra headers of deliveries.',
      extensions: listOf(10),
    }),
    data: t.expose('data', {
      type: [WebhookDataMappingObject],
      extensions: listOf(20),
      description: 'Fields of the payload. Every payload also has the field `event`.',
    }),
    events: t.field({
      type: [WebhookEventEnum],
      extensions: listOf(10),
      description: 'Events that the webhook is subscribed to; empty for a TRIGGER webhook.',
      resolve: ({ events }) => events ?? [],
    }),
  }),
});

const isWebhook = (value: unknown): value is Webhook =>
  typeof value === 'object' && value !== null && 'object' in value && value.object === 'Webhook';

builder.objectRef<Extract<Webhook, { type: 'AUTO' }>>('AutoWebhook').implement({
  description: 'A webhook that receives account events as they happen.',
  // Pothos takes a resolver from the last interface that has the field: `id` is resolved by Webhook.
  interfaces: [Node, WebhookInterface],
  isTypeOf: (value) => isWebhook(value) && value.type !== 'TRIGGER',
  fields: (t) => ({
    source: t.field({
      type: WebhookSourceEnum,
      nullable: true,
      description: 'Source of the events; null if this gateway does not know it.',
      resolve: ({ events }) => sourceOfEvents(events ?? []),
    }),
  }),
});

const WebhookTriggerObject = builder.objectRef<WebhookTrigger>('WebhookTrigger').implement({
  description: 'How clients present a TRIGGER webhook to people.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Label of the trigger.' }),
    icon: t.expose('icon', { type: TriggerIconEnum, description: 'Icon of the trigger.' }),
    context: t.expose('context', {
      type: TriggerContextEnum,
      description: 'Whether people fire it from a message or from a chat.',
    }),
  }),
});

builder.objectRef<TriggerWebhook>('TriggerWebhook').implement({
  description: 'A webhook that people fire from a message or a chat.',
  // Pothos takes a resolver from the last interface that has the field: `id` is resolved by Webhook.
  interfaces: [Node, WebhookInterface],
  isTypeOf: (value) => isWebhook(value) && value.type === 'TRIGGER',
  fields: (t) => ({
    trigger: t.expose('trigger', {
      type: WebhookTriggerObject,
      description: 'How clients present the webhook to people.',
    }),
  }),
});

const WebhookConnection = connectionType('Webhook', WebhookInterface, 'webhooks');

registerNode('Webhook', (webhookId, { loaders }) => loaders.webhooks.load(webhookId));

builder.queryFields((t) => ({
  webhook: t.field({
    type: WebhookInterface,
    nullable: true,
    description: 'Retrieves a webhook. Null if no webhook visible to the API key has this id. Scope: `webhooks:read`.',
    args: { webhookId: t.arg.id({ required: true, description: 'Id of the webhook.' }) },
    extensions: readsById,
    resolve: (_root, { webhookId }, { loaders }) => loaders.webhooks.load(webhookId),
  }),
  webhooks: t.field({
    type: WebhookConnection,
    description: 'Lists the AUTO and TRIGGER webhooks of the workspace, oldest first. Scope: `webhooks:read`.',
    args: connectionArgs(webhookLimits, 'webhooks'),
    resolve: (_root, page, context) =>
      connect(context, { operation: listWebhooks, request: {}, limits: webhookLimits, list: ['webhooks'], ...page }),
  }),
}));
