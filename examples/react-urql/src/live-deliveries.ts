import { useCallback, useState } from 'react';
import { useMutation, useQuery, useSubscription } from 'urql';
import { argumentsOf, type Choice } from './choice.ts';
import { useOnConnected } from './gateway.ts';
import type { DeliveryListQuery } from './gql/graphql.ts';
import { DeliveryList, EmitEvent, Updates } from './operations.ts';
import { reasonOf } from './urql.ts';

export type { RowFragment as Delivery } from './gql/graphql.ts';

const none: DeliveryListQuery['deliveries'] = { edges: [], pageInfo: { hasNextPage: false, endCursor: null } };

/** The chosen deliveries of all webhooks, as they change. */
export function useDeliveries(choice: Choice) {
  const [page, setPage] = useState<{ choice: Choice; after: string | null }>({ choice, after: null });
  const after = page.choice === choice ? page.after : null;
  const [{ data, error, fetching, stale }, read] = useQuery({
    query: DeliveryList,
    variables: { ...argumentsOf(choice), after },
    requestPolicy: 'cache-and-network',
  });
  const readFirst = useCallback(() => {
    if (after === null) read({ requestPolicy: 'network-only' });
    else setPage({ choice, after: null });
  }, [read, choice, after]);
  useOnConnected(readFirst, fetching || stale);
  const [updates] = useSubscription({ query: Updates });
  const [{ fetching: isEmitting }, emit] = useMutation(EmitEvent);
  // What was read stays on the page if it cannot be read again.
  const [list, setList] = useState(none);
  if (data && !error && !fetching && data.deliveries !== list) setList(data.deliveries);
  const readAgain = () => read({ requestPolicy: 'network-only' });
  return {
    deliveries: list.edges.map(({ node }) => node),
    hasMore: list.pageInfo.hasNextPage,
    readMore() {
      if (error) readAgain();
      else setPage({ choice, after: list.pageInfo.endCursor });
    },
    isLoading: fetching,
    failure: error ? reasonOf(error) : null,
    streamFailure: updates.error ? reasonOf(updates.error) : null,
    readAgain,
    isEmitting,
    /** Emits an event, and resolves with what became of it. */
    async emit(accountId: string): Promise<string> {
      const { data: sent, error: failure } = await emit({ input: { accountId, event: 'MESSAGE_RECEIVED' } });
      const result = sent?.emitEvent;
      if (failure || !result) return failure ? reasonOf(failure) : 'There was no response.';
      return 'code' in result ? result.message : `The event has ${result.deliveries.length} deliveries.`;
    },
  };
}
