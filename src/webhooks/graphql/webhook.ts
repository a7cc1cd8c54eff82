import { AccountObject, AccountTypeEnum } from '../../accounts/graphql/account.ts';
import { WebhookDataKeyEnum, WebhookEventEnum, WebhookSourceEnum } from '../../events/graphql/enums.ts';
import { sourceOfEvents } from '../../events/sources.ts';
import { builder } from '../../graphql/builder.ts';
import { connect, connectionArgs, connectionComplexity, connectionType } from '../../graphql/connection.ts';
import { globalId, Node, registerNode } from '../../graphql/node.ts';
import { listWebhooks } from '../operations.ts';
import { type TriggerWebhook, type Webhook, type WebhookTrigger, webhookLimits } from '../shapes.ts';
import { TriggerContextEnum, TriggerIconEnum, WebhookFormatEnum } from './enums.ts';

const WebhookAccount = builder.objectRef<Webhook['account_ids'][number]>('WebhookAccount').implement({
  description: 'An account that a webhook listens on.',
  fields: (t) => ({
    accountId: t.exposeID('id', { description: 'Id of the account.' }),
    name: t.exposeString('name', { nullable: true, description: 'Display name of the account.' }),
    type: t.expose('type', { type: AccountTypeEnum, description: 'The kind of service it is an account of.' }),
    account: t.field({
      type: AccountObject,
      nullable: true,
      description: 'The account itself; null where the key cannot see it. Scope: `accounts:read`.',
      resolve: ({ id }, _args, { loaders }) => loaders.accounts.load(id),
    }),
  }),
});

const WebhookHeader = builder.objectRef<Webhook['headers'][number]>('WebhookHeader').implement({
  description: 'An extra HTTP header that deliveries carry.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Name of the header.' }),
    value: t.string({
      nullable: true,
      description: 'Value of the header; null for keys without the scope `webhooks:write`.',
      resolve: ({ value }, _args, { caller }) => (caller.scopes.has('webhooks:write') ? value : null),
    }),
  }),
});

const WebhookDataMapping = builder.objectRef<Webhook['data'][number]>('WebhookDataMapping').implement({
  description: 'A field of the payload, and the field of the event that it is made of.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name in the payload.' }),
    key: t.expose('key', { type: WebhookDataKeyEnum, description: 'Field of the event.' }),
  }),
});

export const WebhookInterface = builder.interfaceRef<Webhook>('Webhook').implement({
  description: 'An address that account events are delivered to, as HTTP POST requests.',
  interfaces: [Node],
  resolveType: ({ type }) => (type === 'TRIGGER' ? 'TriggerWebhook' : 'AutoWebhook'),
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: ({ id }) => globalId('Webhook', id) }),
    webhookId: t.exposeID('id', { description: 'What arguments named `webhookId` take.' }),
    name: t.exposeString('name', { nullable: true, description: 'Display name.' }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether events are delivered to it.' }),
    requestUrl: t.exposeString('request_url', { description: 'Where deliveries go.' }),
    format: t.expose('format', { type: WebhookFormatEnum, description: 'How payloads are encoded.' }),
    accounts: t.expose('account_ids', {
      type: [WebhookAccount],
      description: 'The accounts that it listens on; none means all of the workspace, future ones included.',
    }),
    headers: t.expose('headers', { type: [WebhookHeader], description: 'Extra headers that deliveries carry.' }),
    data: t.expose('data', {
      type: [WebhookDataMapping],
      description: 'What payloads are made of. They always have `event` too.',
    }),
    events: t.field({
      type: [WebhookEventEnum],
      description: 'The events that it is subscribed to; none for a TRIGGER webhook.',
      resolve: ({ events }) => events ?? [],
    }),
  }),
});

builder.objectRef<Extract<Webhook, { type: 'AUTO' }>>('AutoWebhook').implement({
  description: 'A webhook that is wired to account events.',
  // The last interface with a field gives its resolver: `id` is the one of Webhook.
  interfaces: [Node, WebhookInterface],
  isTypeOf: (value) => (value as Partial<Webhook>).object === 'Webhook' && (value as Webhook).type !== 'TRIGGER',
  fields: (t) => ({
    source: t.field({
      type: WebhookSourceEnum,
      nullable: true,
      description: 'The family of its events; null where they are of none that this gateway knows.',
      resolve: ({ events }) => sourceOfEvents(events ?? []),
    }),
  }),
});

const WebhookTriggerType = builder.objectRef<WebhookTrigger>('WebhookTrigger').implement({
  description: 'How a TRIGGER webhook is offered to people.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called.' }),
    icon: t.expose('icon', { type: TriggerIconEnum, description: 'Its icon.' }),
    context: t.expose('context', { type: TriggerContextEnum, description: 'Where it is offered.' }),
  }),
});

builder.objectRef<TriggerWebhook>('TriggerWebhook').implement({
  description: 'A webhook that is fired by hand, from a message or a chat.',
  // The last interface with a field gives its resolver: `id` is the one of Webhook.
  interfaces: [Node, WebhookInterface],
  isTypeOf: (value) => (value as Partial<Webhook>).object === 'Webhook' && (value as Webhook).type === 'TRIGGER',
  fields: (t) => ({
    trigger: t.expose('trigger', { type: WebhookTriggerType, description: 'How it is offered to people.' }),
  }),
});

const WebhookConnection = connectionType('Webhook', WebhookInterface, 'webhooks');

registerNode('Webhook', (webhookId, { loaders }) => loaders.webhooks.load(webhookId));

builder.queryFields((t) => ({
  webhook: t.field({
    type: WebhookInterface,
    nullable: true,
    description: 'The webhook with this id; null where the key cannot see one. Scope: `webhooks:read`.',
    args: { webhookId: t.arg.id({ required: true, description: 'Id of the webhook.' }) },
    resolve: (_root, { webhookId }, { loaders }) => loaders.webhooks.load(webhookId),
  }),
  webhooks: t.field({
    type: WebhookConnection,
    description: 'The webhooks of the workspace, AUTO and TRIGGER, oldest first. Scope: `webhooks:read`.',
    args: connectionArgs(webhookLimits, 'webhooks'),
    complexity: connectionComplexity,
    resolve: (_root, page, context) =>
      connect(context, { operation: listWebhooks, request: {}, limits: webhookLimits, list: ['webhooks'], ...page }),
  }),
}));
