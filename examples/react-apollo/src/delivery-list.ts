import type { DeliveryListQuery, RowFragment } from './gql/graphql.ts';

/** The list with a delivery of its webhook that it does not have yet. One that it has, the cache updates by its id. */
export function withDelivery(list: DeliveryListQuery, delivery: RowFragment): DeliveryListQuery {
  const edges = list.webhooks.edges.map((edge) => {
    const { node } = edge;
    const { deliveries } = node;
    const isKnown = deliveries.edges.some((known) => known.node.id === delivery.id);
    if (node.webhookId !== delivery.webhookId || isKnown) return edge;
    const added = { __typename: 'DeliveryEdge', node: delivery } as const;
    return { ...edge, node: { ...node, deliveries: { ...deliveries, edges: [added, ...deliveries.edges] } } };
  });
  return { ...list, webhooks: { ...list.webhooks, edges } };
}
