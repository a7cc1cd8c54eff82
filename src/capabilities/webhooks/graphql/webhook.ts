import { WebhookDataKeyEnum, WebhookEventEnum, WebhookSourceEnum } from '../../../events/graphql/enums.ts';
import { sourceByEvent, type WebhookSource } from '../../../events/sources.ts';
import { listOf, readsPart } from '../../../graphql/cost/weights.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { optional, required } from '../../../graphql/kit/network-values.ts';
import { foundById, Node, registerNode } from '../../../graphql/kit/node.ts';
import type { ItemSource } from '../../../graphql/kit/source.ts';
import { globalIdAt, isOf, namedBy, readAt, standsAt } from '../../../graphql/kit/wire.ts';
import type { Scope } from '../../../kernel/caller.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { AccountObject, AccountTypeEnum, accountItem } from '../../accounts/graphql/account.ts';
import { hiddenValue } from '../headers.ts';
import { findWebhookHealth, findWebhooks } from '../operations.ts';
import type { ListedWebhook, Webhook, WebhookHealth, WebhookTrigger } from '../shapes.ts';
import {
  DisabledReasonEnum,
  TriggerContextEnum,
  TriggerIconEnum,
  WebhookFormatEnum,
  WebhookHealthStateEnum,
  WebhookTypeEnum,
} from './enums.ts';

const WebhookAccountObject = builder.objectRef<Webhook['account_ids'][number]>('WebhookAccount').implement({
  description: 'An account that a webhook listens to.',
  fields: (t) => ({
    accountId: t.exposeID('id', { description: 'Id of the account.' }),
    name: t.exposeString('name', optional('Display name.')),
    type: t.expose('type', { type: AccountTypeEnum, description: 'Type.' }),
    account: t.field({
      type: AccountObject,
      ...foundById('The account; null if the key cannot see it.', accountItem.operation),
      resolve: ({ id }, _args, { loaders }) => loaders.accounts.load(id),
    }),
  }),
});

const scopeOfValues: Scope = 'webhooks:write';

export const WebhookHeaderObject = builder.objectRef<Webhook['headers'][number]>('WebhookHeader').implement({
  description: 'An HTTP header.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Name.' }),
    value: t.string({
      description: `Value; \`${hiddenValue}\` if the key may not read it.`,
      extensions: standsAt({ exposed: 'value', scope: scopeOfValues }),
      resolve: ({ value }, _args, { caller }) => (caller.scopes.has(scopeOfValues) ? value : hiddenValue),
    }),
  }),
});

const WebhookDataMappingObject = builder.objectRef<Webhook['data'][number]>('WebhookDataMapping').implement({
  description: 'A payload field, and the event field that it shows.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name in the payload.' }),
    key: t.expose('key', { type: WebhookDataKeyEnum, description: 'Event field.' }),
  }),
});

type LargePart = 'account_ids' | 'headers' | 'data';

async function readPart<Part extends LargePart>(
  part: Part,
  webhook: ListedWebhook,
  { loaders }: GraphQLContext,
): Promise<Webhook[Part]> {
  // A service that omits the part is reported as for every required field.
  if (part in webhook) return webhook[part] as Webhook[Part];
  const whole = await loaders.wholeWebhooks.load(webhook.id);
  if (whole === null) throw new ServiceError('resource_not_found', { detail: 'The webhook no longer exists.' });
  return whole[part];
}

/** Options of a field with a part that may have to be read by itself. */
const largePart = <Part extends LargePart>(part: Part, assumedSize: number) => ({
  extensions: { ...readsPart(assumedSize), ...standsAt({ exposed: part }) },
  resolve: (webhook: ListedWebhook, _args: object, context: GraphQLContext) => readPart(part, webhook, context),
});

/** The contract's list of none stands for all of them. */
async function namedAccounts(webhook: ListedWebhook, context: GraphQLContext): Promise<Webhook['account_ids'] | null> {
  const accounts = await readPart('account_ids', webhook, context);
  if (Array.isArray(accounts)) return accounts.length === 0 ? null : accounts;
  throw new ServiceError('provider_error', { detail: 'The service did not send the accounts of the webhook.' });
}

const WebhookTriggerObject = builder.objectRef<WebhookTrigger>('WebhookTrigger').implement({
  description: 'How people see a TRIGGER webhook.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Label.' }),
    icon: t.expose('icon', { type: TriggerIconEnum, description: 'Icon.' }),
    context: t.expose('context', {
      type: TriggerContextEnum,
      description: 'Where people fire it from.',
    }),
  }),
});

const webhookObject: Webhook['object'] = 'Webhook';

export const WebhookObject = builder.objectRef<ListedWebhook>('Webhook').implement({
  description: 'A URL that receives events of accounts.',
  interfaces: [Node],
  extensions: namedBy(webhookObject),
  isTypeOf: isOf<ListedWebhook>(webhookObject),
  fields: (t) => ({
    id: t.id(globalIdAt('Webhook', 'id')),
    webhookId: t.exposeID('id', { description: 'Id for arguments named `webhookId`.' }),
    type: t.expose('type', { type: WebhookTypeEnum, ...required('What fires it.') }),
    name: t.exposeString('name', optional('Display name.')),
    isEnabled: t.exposeBoolean('enabled', {
      description: 'Whether events are delivered. If not, deliveries are held.',
    }),
    requestUrl: t.exposeString('request_url', {
      description: 'URL of deliveries; `********` after the host if the key may not see it.',
    }),
    format: t.expose('format', { type: WebhookFormatEnum, description: 'Encoding of payloads.' }),
    accounts: t.field({
      type: [WebhookAccountObject],
      nullable: true,
      description: 'Accounts that it listens to, as the key sees them; null for all.',
      extensions: { ...readsPart(20), ...standsAt({ exposed: 'account_ids', emptyIsNull: true }) },
      resolve: (webhook, _args, context) => namedAccounts(webhook, context),
    }),
    headers: t.field({
      type: [WebhookHeaderObject],
      description: 'Extra headers of deliveries.',
      ...largePart('headers', 10),
    }),
    data: t.field({
      type: [WebhookDataMappingObject],
      description: 'Fields of the payload, besides `event`.',
      ...largePart('data', 20),
    }),
    events: t.expose('events', {
      type: [WebhookEventEnum],
      ...optional('Events that it is subscribed to; null if the service does not say.', listOf(10)),
    }),
    source: t.field({
      type: WebhookSourceEnum,
      ...readAt<WebhookSource>(
        { firstOf: 'events', words: sourceByEvent },
        optional('Source of the events; null if `events` tells none.'),
      ),
    }),
    trigger: t.field({
      type: WebhookTriggerObject,
      ...readAt<WebhookTrigger>(
        { exposed: 'trigger' },
        optional('How people see it; null if it is no TRIGGER webhook.'),
      ),
    }),
  }),
});

registerNode('Webhook', ([webhookId], { loaders }) => loaders.webhooks.load(webhookId));

/** By the argument `webhookId`. */
export const webhookItem: ItemSource<{ readonly webhookId: string }> = {
  operation: findWebhooks,
  id: ({ webhookId }) => webhookId,
  pages: ({ webhooks }) => webhooks.found,
};

builder.queryField('webhook', (t) =>
  t.field({
    type: WebhookObject,
    ...foundById('A webhook; null if the key cannot see it.', webhookItem),
    args: { webhookId: t.arg.id({ required: true, description: 'Id of the webhook.' }) },
    resolve: (_root, { webhookId }, { loaders }) => loaders.webhooks.load(webhookId),
  }),
);

const WebhookHealthObject = builder.objectRef<WebhookHealth>('WebhookHealth').implement({
  description: "Health of a webhook's endpoint.",
  fields: (t) => ({
    state: t.expose('state', { type: WebhookHealthStateEnum, description: 'How the webhook is.' }),
    disabledReason: t.expose('disabled_reason', {
      type: DisabledReasonEnum,
      nullable: true,
      description: 'Why; null if `disabledAt` is.',
    }),
    disabledAt: t.expose('disabled_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was disabled; null if it is enabled or was created disabled.',
    }),
    failingSince: t.expose('failing_since', {
      type: 'DateTime',
      nullable: true,
      description: 'When attempts began to fail; null if they do not.',
    }),
    failedAttemptCount: t.exposeInt('failed_attempt_count', {
      description: 'Failed attempts in a row.',
    }),
    pausedUntil: t.expose('paused_until', {
      type: 'DateTime',
      nullable: true,
      description: 'When deliveries resume after an overload; null if not paused.',
    }),
  }),
});

builder.objectField(WebhookObject, 'receivesNotices', (t) =>
  t.boolean({
    ...foundById('Whether it gets notices; null if the key may not manage it.', findWebhookHealth),
    resolve: async ({ id }, _args, { loaders }) => (await loaders.webhookHealth.load(id))?.receives_notices,
  }),
);

builder.objectField(WebhookObject, 'health', (t) =>
  t.field({
    type: WebhookHealthObject,
    ...foundById('Health of the endpoint; null if the key may not manage the webhook.', findWebhookHealth),
    resolve: ({ id }, _args, { loaders }) => loaders.webhookHealth.load(id),
  }),
);
