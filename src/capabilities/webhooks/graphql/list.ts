/** Lists of webhooks, of the workspace and of an account. */

import { WebhookEventEnum, WebhookSourceEnum } from '../../../events/graphql/enums.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, searchDescription } from '../../../graphql/kit/connection.ts';
import { countedConnectionType, countedList, countedListSource } from '../../../graphql/kit/counted-connection.ts';
import { readsFrom } from '../../../graphql/kit/source.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { isFilter, type WebhookSearch, webhookListScope } from '../filter.ts';
import { searchWebhooks } from '../operations.ts';
import { type ListedWebhook, webhookLimits } from '../shapes.ts';
import { WebhookHealthStateEnum, WebhookOrderEnum } from './enums.ts';
import { WebhookObject } from './webhook.ts';

const WebhookConnection = countedConnectionType<ListedWebhook>('Webhook', WebhookObject, 'webhooks', {
  countsNeed: 'ownWebhooks',
});

const listArgs = builder.args((t) => ({
  sources: t.field({
    type: [WebhookSourceEnum],
    description: 'Sources to list. TRIGGER webhooks have none.',
  }),
  events: t.field({
    type: [WebhookEventEnum],
    description: 'Events that they are subscribed to.',
  }),
  isEnabled: t.boolean({ description: 'Whether they are enabled.' }),
  healthStates: t.field({
    type: [WebhookHealthStateEnum],
    needs: 'ownWebhooks',
    description: 'Health, of those that the key may manage.',
  }),
  query: t.string({ description: searchDescription('the name or URL') }),
  orderBy: t.field({
    type: WebhookOrderEnum,
    needs: 'ownWebhooks',
    description: 'Order. Defaults to the oldest first.',
  }),
  ...connectionArgs(webhookLimits),
}));

const webhooks = {
  operation: searchWebhooks,
  limits: webhookLimits,
  name: 'webhooks',
  scope: webhookListScope,
};

const connectWebhooks = countedList({
  ...webhooks,
  load: (request, context) => context.loaders.webhookPages.load(pageRequest(request, context)),
  count: (filter, { loaders }) => loaders.webhookCounts.load(filter),
});

/** A cursor counts a page's webhooks: with a filter after the read, it stays exact only for one page size. */
function pageRequest(request: WebhookSearch, { caller, ports }: GraphQLContext): WebhookSearch {
  const isFiltered = ports.webhooks.hasShortPages && (caller.accountIds !== null || isFilter(request));
  return isFiltered ? { ...request, limit: webhookLimits.limit.max } : request;
}

const webhookList = countedListSource(webhooks, (ports) => ports.webhooks.pages);

builder.queryField('webhooks', (t) =>
  t.field({
    type: WebhookConnection,
    nullable: true,
    description: 'Webhooks of the workspace that the key can see.',
    args: {
      accountId: t.arg.id({
        description: 'Account that they listen to.',
      }),
      ...listArgs,
    },
    extensions: readsFrom(webhookList),
    resolve: (_root, args, context) => connectWebhooks(context, args),
  }),
);

builder.objectField(AccountObject, 'webhooks', (t) =>
  t.field({
    type: WebhookConnection,
    nullable: true,
    description: 'Webhooks that listen to the account.',
    args: listArgs,
    extensions: readsFrom(webhookList, { ids: { accountId: 'account_id' } }),
    resolve: ({ account_id }, args, context) => connectWebhooks(context, { ...args, accountId: account_id }),
  }),
);
