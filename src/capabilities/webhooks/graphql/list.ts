/** The list of webhooks: of the workspace, and of an account. */

import { KnownWebhookEventEnum, KnownWebhookSourceEnum } from '../../../events/graphql/enums.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs } from '../../../graphql/kit/connection.ts';
import { connectCounted, countedConnectionType } from '../../../graphql/kit/counted-connection.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { isFilter, type WebhookFilter, type WebhookSearch, webhookListScope } from '../filter.ts';
import { searchWebhooks } from '../operations.ts';
import { type ListedWebhook, webhookLimits } from '../shapes.ts';
import { WebhookInterface } from './webhook.ts';

const WebhookConnection = countedConnectionType<ListedWebhook>('Webhook', WebhookInterface, 'webhooks');

const listArgs = builder.args((t) => ({
  source: t.field({
    type: [KnownWebhookSourceEnum],
    description: 'Sources of the webhooks to list. Defaults to all; a TRIGGER webhook has none.',
  }),
  event: t.field({
    type: [KnownWebhookEventEnum],
    description: 'Lists only the webhooks that are subscribed to one of these events.',
  }),
  enabled: t.boolean({ description: 'Whether the webhooks to list are enabled. Defaults to both.' }),
  ...connectionArgs(webhookLimits, 'webhooks'),
}));

interface ListArguments {
  readonly accountId?: string | null | undefined;
  readonly source?: WebhookFilter['source'] | null;
  readonly event?: WebhookFilter['event'] | null;
  readonly enabled?: boolean | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

function connectWebhooks(context: GraphQLContext, { accountId, source, event, enabled, ...page }: ListArguments) {
  const filter: WebhookFilter = {
    source: source ?? undefined,
    event: event ?? undefined,
    enabled: enabled ?? undefined,
    account_id: accountId ?? undefined,
  };
  return connectCounted(
    context,
    {
      operation: searchWebhooks,
      request: filter,
      limits: webhookLimits,
      list: ['webhooks', context.caller.keyId, ...webhookListScope(filter)],
      ...page,
    },
    {
      load: (request) => context.loaders.webhookPages.load(pageRequest(request, context)),
      count: () => context.loaders.webhookCounts.load(filter),
    },
  );
}

/**
 * A cursor counts the webhooks of a page. Where a page is filtered after it was read, this stays exact only if it is always
 * read in one size.
 */
function pageRequest(request: WebhookSearch, { caller, ports }: GraphQLContext): WebhookSearch {
  const isFiltered = ports.webhooks.hasShortPages && (caller.accountIds !== null || isFilter(request));
  return isFiltered ? { ...request, limit: webhookLimits.limit.max } : request;
}

builder.queryField('webhooks', (t) =>
  t.field({
    type: WebhookConnection,
    nullable: true,
    description:
      'Lists the AUTO and TRIGGER webhooks of the workspace, oldest first (in proxy mode, in the order of the service); for an API key that is limited to accounts, those that listen to one of them. Scope: `webhooks:read`.',
    args: {
      accountId: t.arg.id({
        description: 'Lists only the webhooks that listen to this account, including those of all accounts.',
      }),
      ...listArgs,
    },
    resolve: (_root, args, context) => connectWebhooks(context, args),
  }),
);

builder.objectField(AccountObject, 'webhooks', (t) =>
  t.field({
    type: WebhookConnection,
    nullable: true,
    description:
      'Lists the webhooks that listen to the account, including those of all accounts, oldest first (in proxy mode, in the order of the service). Scope: `webhooks:read`.',
    args: listArgs,
    resolve: ({ account_id }, args, context) => connectWebhooks(context, { ...args, accountId: account_id }),
  }),
);
