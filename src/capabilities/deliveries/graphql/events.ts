/** Events of accounts: those that are kept, and each as it is stored. */
import { WebhookEventEnum, WebhookSourceEnum } from '../../../events/graphql/enums.ts';
import { readsById } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, connectionType, readConnection } from '../../../graphql/kit/connection.ts';
import { requestFor } from '../../../graphql/kit/counted-connection.ts';
import { globalId } from '../../../graphql/kit/global-ids.ts';
import { foundById, Node, registerNode } from '../../../graphql/kit/node.ts';
import { isOf, standsAt } from '../../../graphql/kit/wire.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { AccountObject, accountItem } from '../../accounts/graphql/account.ts';
import { listEvents, readDataOfEvents, watchEvents } from '../operations.ts';
import { type AccountEvent, deliveryLimits, eventListScope, maxReplayedEvents } from '../shapes.ts';

const AccountEventObject = builder.objectRef<AccountEvent>('AccountEvent').implement({
  description: 'An event of a connected account, which the gateway keeps whether or not a webhook receives it.',
  interfaces: [Node],
  isTypeOf: isOf<AccountEvent>('AccountEvent'),
  fields: (t) => ({
    id: t.id({
      description: 'Global id of the event.',
      extensions: standsAt({ globalId: 'AccountEvent', key: 'event_id' }),
      resolve: ({ event_id }) => globalId('AccountEvent', event_id),
    }),
    eventId: t.exposeID('event_id', { description: 'Id of the event, as its deliveries have it.' }),
    source: t.expose('source', { type: WebhookSourceEnum, description: 'Source of the event.' }),
    event: t.expose('event', { type: WebhookEventEnum, description: 'Type of the event.' }),
    accountId: t.exposeID('account_id', {
      nullable: true,
      description: 'Id of the account that the event belongs to; null if it belongs to none.',
    }),
    account: t.field({
      type: AccountObject,
      ...foundById(
        'The account that the event belongs to; null if it belongs to none, or the API key cannot see it.',
        accountItem,
        { ids: { accountId: 'account_id' }, unless: 'account_id' },
      ),
      resolve: ({ account_id }, _args, { loaders }) => (account_id === null ? null : loaders.accounts.load(account_id)),
    }),
    data: t.field({
      type: 'JSON',
      description: 'Data of the event, with the keys of its source, as `eventSamples` shows them.',
      runs: readDataOfEvents,
      extensions: readsById,
      resolve: async ({ event_id }, _args, { loaders }) => (await loaders.dataOfEvents.load(event_id)) ?? gone(),
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the gateway received the event.' }),
  }),
});

function gone(): never {
  throw new ServiceError('resource_not_found', { detail: 'The event is no longer kept.' });
}

registerNode('AccountEvent', ([eventId], { loaders }) => loaders.accountEvents.load(eventId));

const AccountEventConnection = connectionType<AccountEvent>('AccountEvent', AccountEventObject, 'events');

const filterArgs = builder.args((t) => ({
  accountIds: t.idList({
    description: `Ids of 1 to ${maxWatched} accounts. Defaults to all that the API key may act for.`,
  }),
  source: t.field({ type: [WebhookSourceEnum], description: 'Sources of the events. Defaults to all.' }),
  event: t.field({ type: [WebhookEventEnum], description: 'Types of the events. Defaults to all.' }),
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
    description:
      'Lists the events of accounts that are kept, newest first, as `eventReceived` emits them; without test events, fired triggers and notices, which are for one webhook each.',
    args: { ...filterArgs, ...connectionArgs(deliveryLimits, 'events') },
    runs: listEvents,
    resolve: (_root, args, context) => readConnection(context, requestOf(args, context)),
  }),
);

builder.subscriptionField('eventReceived', (t) =>
  t.field({
    type: AccountEventObject,
    description:
      'Emits each event of an account once it is stored. With `since`, first those that are kept since then, so that nothing is lost between a list and the subscription. An event may come twice: compare its `id`.',
    args: {
      ...filterArgs,
      since: t.arg({
        type: 'DateTime',
        description: `Emits first the events that are kept since this time, and those of the ten seconds before it, oldest first: ${maxReplayedEvents} at most. Give \`createdAt\` of the newest event that you have.`,
      }),
    },
    runs: watchEvents,
    extensions: readsById,
    subscribe: (_root, { accountIds, source, event, since }, context) =>
      run(watchEvents, context.ports, context, {
        account_ids: accountIds ?? undefined,
        source: source ?? undefined,
        event: event ?? undefined,
        since: since ?? undefined,
      }),
    resolve: (event) => event,
  }),
);
