/** Of a webhook, and of the workspace. */
import { KnownWebhookEventEnum } from '../../../events/graphql/enums.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs } from '../../../graphql/kit/connection.ts';
import { connectCounted, countedConnectionType } from '../../../graphql/kit/counted-connection.ts';
import { WebhookInterface } from '../../webhooks/graphql/webhook.ts';
import { listDeliveries } from '../operations.ts';
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryOrder,
  deliveryLimits,
  deliveryListScope,
} from '../shapes.ts';
import { DeliveryObject } from './delivery.ts';
import { DeliveryOrderEnum, DeliveryStateEnum } from './enums.ts';

const DeliveryConnection = countedConnectionType<Delivery>('Delivery', DeliveryObject, 'deliveries');

const listArgs = builder.args((t) => ({
  state: t.field({
    type: [DeliveryStateEnum],
    description: 'States of the deliveries to list. Defaults to all states.',
  }),
  event: t.field({
    type: [KnownWebhookEventEnum],
    description: 'Events of the deliveries to list. Defaults to all.',
  }),
  accountId: t.id({ description: 'Lists only the deliveries of events of this account.' }),
  since: t.field({ type: 'DateTime', description: 'Lists only deliveries created at or after this time.' }),
  until: t.field({ type: 'DateTime', description: 'Lists only deliveries created before this time.' }),
  orderBy: t.field({ type: DeliveryOrderEnum, description: 'Order of the list. Defaults to the newest first.' }),
  ...connectionArgs(deliveryLimits, 'deliveries'),
}));

interface ListArguments {
  readonly webhookId?: string | null | undefined;
  readonly state?: DeliveryFilter['state'] | null;
  readonly event?: DeliveryFilter['event'] | null;
  readonly accountId?: string | null | undefined;
  readonly since?: string | null | undefined;
  readonly until?: string | null | undefined;
  readonly orderBy?: DeliveryOrder | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

function connectDeliveries(
  context: GraphQLContext,
  { webhookId, state, event, accountId, since, until, orderBy, ...page }: ListArguments,
) {
  const filter: DeliveryFilter = {
    webhook_id: webhookId ?? undefined,
    state: state ?? undefined,
    event: event ?? undefined,
    account_id: accountId ?? undefined,
    since: since ?? undefined,
    until: until ?? undefined,
  };
  const order_by = orderBy ?? undefined;
  return connectCounted(
    context,
    {
      operation: listDeliveries,
      request: { ...filter, order_by },
      limits: deliveryLimits,
      list: ['deliveries', ...deliveryListScope({ ...filter, order_by })],
      ...page,
    },
    {
      load: (request) => context.loaders.deliveryPages.load(request),
      count: () => context.loaders.deliveryCounts.load(filter),
    },
  );
}

builder.queryField('deliveries', (t) =>
  t.field({
    type: DeliveryConnection,
    nullable: true,
    description:
      'Lists the deliveries to all webhooks of the workspace, as `deliveryUpdated` emits them; for an API key that is limited to accounts, those of events of its accounts. Embedded mode only. Scope: `webhooks:read`.',
    args: { webhookId: t.arg.id({ description: 'Lists only the deliveries to this webhook.' }), ...listArgs },
    resolve: (_root, args, context) => connectDeliveries(context, args),
  }),
);

builder.interfaceField(WebhookInterface, 'deliveries', (t) =>
  t.field({
    type: DeliveryConnection,
    nullable: true,
    description: 'Lists the deliveries to the webhook. Embedded mode only.',
    args: listArgs,
    resolve: ({ id }, args, context) => connectDeliveries(context, { ...args, webhookId: id }),
  }),
);
