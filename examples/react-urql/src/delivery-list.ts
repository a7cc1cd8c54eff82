import type { DeliveryListQuery, RowFragment } from './gql/graphql.ts';

/** The list with a delivery that it does not have yet. One that it has, the cache updates by its id. */
export function withDelivery(list: DeliveryListQuery, delivery: RowFragment): DeliveryListQuery {
  const { edges } = list.deliveries;
  if (edges.some(({ node }) => node.id === delivery.id)) return list;
  const added = { __typename: 'DeliveryEdge', node: delivery } as const;
  return { ...list, deliveries: { ...list.deliveries, edges: [added, ...edges] } };
}
