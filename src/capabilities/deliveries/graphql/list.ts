/** The list of the deliveries to a webhook. */
import { KnownWebhookEventEnum } from '../../../events/graphql/enums.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs } from '../../../graphql/kit/connection.ts';
import { connectCounted, countedConnectionType } from '../../../graphql/kit/counted-connection.ts';
import { WebhookInterface } from '../../webhooks/graphql/webhook.ts';
import { listDeliveries } from '../operations.ts';
import { type Delivery, type DeliveryFilter, deliveryLimits, deliveryListScope } from '../shapes.ts';
import { DeliveryObject } from './delivery.ts';
import { DeliveryStateEnum } from './enums.ts';

const DeliveryConnection = countedConnectionType<Delivery>('Delivery', DeliveryObject, 'deliveries');

builder.interfaceField(WebhookInterface, 'deliveries', (t) =>
  t.field({
    type: DeliveryConnection,
    nullable: true,
    description: 'Lists the deliveries to the webhook, newest first. Embedded backend only.',
    args: {
      ...connectionArgs(deliveryLimits, 'deliveries'),
      state: t.arg({
        type: [DeliveryStateEnum],
        description: 'States of the deliveries to list. Defaults to all states.',
      }),
      event: t.arg({
        type: [KnownWebhookEventEnum],
        description: 'Events of the deliveries to list. Defaults to all.',
      }),
      accountId: t.arg.id({ description: 'Lists only the deliveries of events of this account.' }),
      since: t.arg({ type: 'DateTime', description: 'Lists only deliveries created at or after this time.' }),
      until: t.arg({ type: 'DateTime', description: 'Lists only deliveries created before this time.' }),
    },
    resolve: ({ id }, { state, event, accountId, since, until, ...page }, context) => {
      const filter: DeliveryFilter = {
        webhook_id: id,
        state: state ?? undefined,
        event: event ?? undefined,
        account_id: accountId ?? undefined,
        since: since ?? undefined,
        until: until ?? undefined,
      };
      return connectCounted(
        context,
        {
          operation: listDeliveries,
          request: filter,
          limits: deliveryLimits,
          list: ['deliveries', ...deliveryListScope(filter)],
          ...page,
        },
        {
          load: (request) => context.loaders.deliveryPages.load(request),
          count: () => context.loaders.deliveryCounts.load(filter),
        },
      );
    },
  }),
);
