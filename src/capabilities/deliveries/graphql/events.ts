/** Events of accounts: those that are kept, and each as it is stored. */
import { WebhookEventEnum, WebhookSourceEnum } from '../../../events/graphql/enums.ts';
import { readsById } from '../../../graphql/cost/weights.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, connectionType, readConnection } from '../../../graphql/kit/connection.ts';
import { requestFor } from '../../../graphql/kit/counted-connection.ts';
import { foundById, Node, registerNode } from '../../../graphql/kit/node.ts';
import { globalIdAt, isOf } from '../../../graphql/kit/wire.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { AccountObject, accountItem } from '../../accounts/graphql/account.ts';
import { listEvents, readDataOfEvents, watchEvents } from '../operations.ts';
import { type AccountEvent, deliveryLimits, eventListScope, maxReplayedEvents } from '../shapes.ts';

export const accountOfEvent = {
  type: AccountObject,
  ...foundById('Account of the event; null if the key cannot see one.', accountItem, {
    ids: { accountId: 'account_id' },
    unless: 'account_id',
  }),
  resolve: (
    { account_id }: { readonly account_id: string | null },
    _args: object,
    { loaders }: Pick<GraphQLContext, 'loaders'>,
  ) => (account_id === null ? null : loaders.accounts.load(account_id)),
};

const AccountEventObject = builder.objectRef<AccountEvent>('AccountEvent').implement({
  description: 'An event of an account, kept whether or not a webhook receives it.',
  interfaces: [Node],
  isTypeOf: isOf<AccountEvent>('AccountEvent'),
  fields: (t) => ({
    id: t.id(globalIdAt('AccountEvent', 'event_id')),
    eventId: t.exposeID('event_id', { description: 'Id of the event, in its deliveries.' }),
    source: t.expose('source', { type: WebhookSourceEnum, description: 'Source of the event.' }),
    event: t.expose('event', { type: WebhookEventEnum, description: 'Type of the event.' }),
    accountId: t.exposeID('account_id', {
      nullable: true,
      description: 'Account of the event; null if it has none.',
    }),
    account: t.field(accountOfEvent),
    data: t.field({
      type: 'JSON',
      description: 'Data with the keys of the source, as in `eventSamples`.',
      runs: readDataOfEvents,
      extensions: readsById,
      resolve: async ({ event_id }, _args, { loaders }) => (await loaders.dataOfEvents.load(event_id)) ?? gone(),
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the gateway received it.' }),
  }),
});

function gone(): never {
  throw new ServiceError('resource_not_found', { detail: 'The event is no longer kept.' });
}

registerNode('AccountEvent', ([eventId], { loaders }) => loaders.accountEvents.load(eventId));

const AccountEventConnection = connectionType<AccountEvent>('AccountEvent', AccountEventObject, 'events');

const filterArgs = builder.args((t) => ({
  accountIds: t.idList({
    description: `1 to ${maxWatched} accounts. Defaults to all of the key.`,
  }),
  sources: t.field({ type: [WebhookSourceEnum], description: 'Sources of the events.' }),
  events: t.field({ type: [WebhookEventEnum], description: 'Types of the events.' }),
}));

const requestOf = requestFor({
  operation: listEvents,
  limits: deliveryLimits,
  name: 'events',
  scope: eventListScope,
});

builder.queryField('events', (t) =>
  t.field({
    type: AccountEventConnection,
    nullable: true,
    description: 'Kept events of accounts, newest first.',
    args: { ...filterArgs, ...connectionArgs(deliveryLimits) },
    runs: listEvents,
    resolve: (_root, args, context) => readConnection(context, requestOf(args, context)),
  }),
);

builder.subscriptionField('eventReceived', (t) =>
  t.field({
    type: AccountEventObject,
    description: 'Emits events of accounts. One may come twice: compare its `id`.',
    args: {
      ...filterArgs,
      since: t.arg({
        type: 'DateTime',
        description: `Emits first the kept events since this time, up to ${maxReplayedEvents}.`,
      }),
    },
    runs: watchEvents,
    extensions: readsById,
    subscribe: (_root, { accountIds, sources, events, since }, context) =>
      run(watchEvents, context.ports, context, {
        account_ids: accountIds ?? undefined,
        sources: sources ?? undefined,
        events: events ?? undefined,
        since: since ?? undefined,
      }),
    resolve: (event) => event,
  }),
);
