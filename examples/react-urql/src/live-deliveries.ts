import { useEffect, useState } from 'react';
import { useMutation, useQuery, useSubscription } from 'urql';
import { streams } from './gateway.ts';
import type { DeliveryListQuery } from './gql/graphql.ts';
import { DeliveryList, EmitEvent, Updates } from './operations.ts';
import { reasonOf } from './urql.ts';

export type { RowFragment as Delivery } from './gql/graphql.ts';

/** The deliveries of the first webhooks, as they change. */
export function useDeliveries() {
  const [{ data, error, fetching }, read] = useQuery({ query: DeliveryList, requestPolicy: 'cache-and-network' });
  const readAgain = () => read({ requestPolicy: 'network-only' });
  // A subscription tells what happens from now on. What happened before, and while the connection was cut off, the query tells.
  useEffect(() => streams.on('connected', () => read({ requestPolicy: 'network-only' })), [read]);
  const [updates] = useSubscription({ query: Updates });
  const [{ fetching: isEmitting }, emit] = useMutation(EmitEvent);
  // What was read stays on the page if it cannot be read again.
  const [list, setList] = useState<DeliveryListQuery>();
  if (data && !error && data !== list) setList(data);
  const webhooks = list?.webhooks.edges.map(({ node }) => node);
  return {
    hasWebhooks: webhooks?.length !== 0,
    deliveries: webhooks?.flatMap(({ deliveries }) => deliveries.edges.map(({ node }) => node)),
    isLoading: fetching,
    failure: error ? reasonOf(error) : null,
    streamFailure: updates.error ? reasonOf(updates.error) : null,
    readAgain,
    isEmitting,
    /** Emits an event, and resolves with what became of it. */
    async emit(accountId: string): Promise<string> {
      const { data: sent, error: failure } = await emit({ input: { accountId, event: 'NEW_RELATION' } });
      const result = sent?.emitEvent;
      if (failure || !result) return failure ? reasonOf(failure) : 'There was no response.';
      return 'code' in result ? result.message : `It is sent to ${result.deliveries.length} webhooks.`;
    },
  };
}
