import { useMutation, useQuery, useSubscription } from '@apollo/client/react';
import { useCallback, useState } from 'react';
import { reasonOf } from './apollo.ts';
import { argumentsOf, type Choice, isOf } from './choice.ts';
import { withDelivery } from './delivery-list.ts';
import { useOnConnected } from './gateway.ts';
import { DeliveryList, EmitEvent, Updates } from './operations.ts';

export type { RowFragment as Delivery } from './gql/graphql.ts';

// #region live
/** The chosen deliveries of all webhooks, as they change. */
export function useDeliveries(choice: Choice) {
  const variables = argumentsOf(choice);
  const { data, previousData, error, loading, refetch, fetchMore } = useQuery(DeliveryList, {
    variables,
    fetchPolicy: 'cache-and-network',
  });
  const readList = useCallback(() => void refetch().catch(() => undefined), [refetch]);
  useOnConnected(readList, loading);
  // It is the same whatever is chosen, so that nothing is lost between two.
  const updates = useSubscription(Updates, {
    onData({ client, data: { data: told } }) {
      if (told && isOf(choice, told.deliveryUpdated))
        client.cache.updateQuery(
          { query: DeliveryList, variables },
          (list) => list && withDelivery(list, told.deliveryUpdated),
        );
    },
  });
  const [emit, { loading: isEmitting }] = useMutation(EmitEvent);
  const [pageError, setPageError] = useState<unknown>();
  // What was read stays on the page if it cannot be read again.
  const list = (data ?? previousData)?.deliveries;
  const failure = error ?? pageError;
  const readMore = async () => {
    setPageError(undefined);
    await fetchMore({ variables: { after: list?.pageInfo.endCursor } }).catch(setPageError);
  };
  return {
    deliveries: list?.edges.map(({ node }) => node),
    hasMore: list?.pageInfo.hasNextPage ?? false,
    readMore: () => void readMore(),
    isLoading: loading,
    failure: failure === undefined ? null : reasonOf(failure),
    streamFailure: updates.error ? reasonOf(updates.error) : null,
    readAgain: () => void (error ? readList() : readMore()),
    isEmitting,
    /** Emits an event, and resolves with what became of it. */
    async emit(accountId: string): Promise<string> {
      const sent = emit({ variables: { input: { accountId, event: 'MESSAGE_RECEIVED' } } });
      const result = await sent.then(({ data }) => data?.emitEvent, reasonOf);
      if (typeof result !== 'object') return result ?? 'There was no response.';
      return 'code' in result ? result.message : `The event has ${result.deliveries.length} deliveries.`;
    },
  };
}
// #endregion
