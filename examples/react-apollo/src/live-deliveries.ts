import { useMutation, useQuery, useSubscription } from '@apollo/client/react';
import { useEffect } from 'react';
import { reasonOf } from './apollo.ts';
import { withDelivery } from './delivery-list.ts';
import { streams } from './gateway.ts';
import { DeliveryList, EmitEvent, Updates } from './operations.ts';

export type { RowFragment as Delivery } from './gql/graphql.ts';

/** The deliveries of the first webhooks, as they change. */
export function useDeliveries() {
  const { data, previousData, error, loading, refetch } = useQuery(DeliveryList, { fetchPolicy: 'cache-and-network' });
  // A subscription tells what happens from now on. What happened before, and while the connection was cut off, the query tells.
  useEffect(() => streams.on('connected', () => void refetch().catch(() => undefined)), [refetch]);
  const updates = useSubscription(Updates, {
    onData({ client, data: { data: told } }) {
      if (told)
        client.cache.updateQuery({ query: DeliveryList }, (list) => list && withDelivery(list, told.deliveryUpdated));
    },
  });
  const [emit, { loading: isEmitting }] = useMutation(EmitEvent);
  // What was read stays on the page if it cannot be read again.
  const webhooks = (data ?? previousData)?.webhooks.edges.map(({ node }) => node);
  return {
    hasWebhooks: webhooks?.length !== 0,
    deliveries: webhooks?.flatMap(({ deliveries }) => deliveries.edges.map(({ node }) => node)),
    isLoading: loading,
    failure: error ? reasonOf(error) : null,
    streamFailure: updates.error ? reasonOf(updates.error) : null,
    readAgain: () => void refetch().catch(() => undefined),
    isEmitting,
    /** Emits an event, and resolves with what became of it. */
    async emit(accountId: string): Promise<string> {
      const sent = emit({ variables: { input: { accountId, event: 'NEW_RELATION' } } });
      const result = await sent.then(({ data }) => data?.emitEvent, reasonOf);
      if (typeof result !== 'object') return result ?? 'There was no response.';
      return 'code' in result ? result.message : `It is sent to ${result.deliveries.length} webhooks.`;
    },
  };
}
