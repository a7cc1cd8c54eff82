/** Lists of deliveries: of a webhook, and of the workspace. */
import { WebhookEventEnum } from '../../../events/graphql/enums.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs } from '../../../graphql/kit/connection.ts';
import { countedConnectionType, countedList, countedListSource } from '../../../graphql/kit/counted-connection.ts';
import { readsFrom } from '../../../graphql/kit/source.ts';
import { WebhookObject } from '../../webhooks/graphql/webhook.ts';
import { listDeliveries } from '../operations.ts';
import { type Delivery, deliveryLimits, deliveryListScope } from '../shapes.ts';
import { DeliveryObject } from './delivery.ts';
import { DeliveryOrderEnum, DeliveryStateEnum } from './enums.ts';

const DeliveryConnection = countedConnectionType<Delivery>('Delivery', DeliveryObject, 'deliveries');

const listArgs = builder.args((t) => ({
  states: t.field({
    type: [DeliveryStateEnum],
    description: 'States to list.',
  }),
  events: t.field({
    type: [WebhookEventEnum],
    description: 'Types of the events.',
  }),
  accountId: t.id({ description: 'Account of the events.' }),
  since: t.field({ type: 'DateTime', description: 'Created at or after this time.' }),
  until: t.field({ type: 'DateTime', description: 'Created before this time.' }),
  orderBy: t.field({ type: DeliveryOrderEnum, description: 'Defaults to the newest first.' }),
  ...connectionArgs(deliveryLimits),
}));

const deliveries = {
  operation: listDeliveries,
  limits: deliveryLimits,
  name: 'deliveries',
  scope: deliveryListScope,
};

const connectDeliveries = countedList({
  ...deliveries,
  load: (request, { loaders }) => loaders.deliveryPages.load(request),
  count: (filter, { loaders }) => loaders.deliveryCounts.load(filter),
});

const deliveryList = countedListSource(deliveries, (ports) => ports.deliveries.pages);

builder.queryField('deliveries', (t) =>
  t.field({
    type: DeliveryConnection,
    nullable: true,
    description: 'Deliveries that the key can see, to all webhooks.',
    args: {
      webhookId: t.arg.id({ description: 'Webhook that receives them.' }),
      eventId: t.arg.id({ description: 'Event that they deliver.' }),
      ...listArgs,
    },
    extensions: readsFrom(deliveryList),
    resolve: (_root, args, context) => connectDeliveries(context, args),
  }),
);

builder.objectField(WebhookObject, 'deliveries', (t) =>
  t.field({
    type: DeliveryConnection,
    nullable: true,
    description: 'Deliveries to the webhook.',
    args: listArgs,
    extensions: readsFrom(deliveryList, { ids: { webhookId: 'id' } }),
    resolve: ({ id }, args, context) => connectDeliveries(context, { ...args, webhookId: id }),
  }),
);
