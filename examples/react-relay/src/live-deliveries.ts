import { useEffect, useMemo, useRef, useState } from 'react';
import {
  ConnectionHandler,
  graphql,
  readInlineData,
  useMutation,
  usePaginationFragment,
  useSubscription,
} from 'react-relay';
import type { RecordSourceSelectorProxy } from 'relay-runtime';
import { argumentsOf, type Choice, isOf } from './choice.ts';
import { reasonOf } from './environment.ts';
import { useOnConnected } from './gateway.ts';
import type { liveDeliveries_list$key } from './gql/liveDeliveries_list.graphql.ts';
import type { liveDeliveries_row$data, liveDeliveries_row$key } from './gql/liveDeliveries_row.graphql.ts';
import type { liveDeliveriesEmitMutation } from './gql/liveDeliveriesEmitMutation.graphql.ts';
import type { liveDeliveriesPageQuery } from './gql/liveDeliveriesPageQuery.graphql.ts';
import type { liveDeliveriesQuery } from './gql/liveDeliveriesQuery.graphql.ts';
import type { liveDeliveriesSubscription } from './gql/liveDeliveriesSubscription.graphql.ts';
import { useRead } from './use-read.ts';

export type Delivery = liveDeliveries_row$data;

const DeliveryList = graphql`
  query liveDeliveriesQuery($states: [DeliveryState!], $webhookId: ID) {
    ...liveDeliveries_list @arguments(states: $states, webhookId: $webhookId)
  }
`;

const List = graphql`
  fragment liveDeliveries_list on Query
  @argumentDefinitions(
    states: { type: "[DeliveryState!]" }
    webhookId: { type: "ID" }
    count: { type: "Int", defaultValue: 20 }
    cursor: { type: "String" }
  )
  @refetchable(queryName: "liveDeliveriesPageQuery")
  @throwOnFieldError {
    deliveries(states: $states, webhookId: $webhookId, first: $count, after: $cursor)
      @connection(key: "liveDeliveries_deliveries") {
      edges { node { ...liveDeliveries_row } }
    }
  }
`;

const Row = graphql`
  fragment liveDeliveries_row on Delivery @inline {
    id
    deliveryId
    webhookId
    event
    createdAt
    state
    attemptCount
    lastAttempt { status failure }
  }
`;

const Updates = graphql`
  subscription liveDeliveriesSubscription {
    deliveryUpdated { ...liveDeliveries_row }
  }
`;

const EmitEvent = graphql`
  mutation liveDeliveriesEmitMutation($input: EmitEventInput!) {
    emitEvent(input: $input) {
      ... on EventEmitted @alias(as: "emitted") { deliveries { id } }
      ... on ServiceError @alias(as: "refused") { message }
    }
  }
`;

type Store = RecordSourceSelectorProxy<liveDeliveriesSubscription['response']>;

// #region add
/** Puts a delivery to the chosen list, unless it is there. One that is there, the store updates by its id. */
function addDelivery(store: Store, choice: Choice): void {
  const delivery = store.getRootField('deliveryUpdated');
  const list = ConnectionHandler.getConnection(store.getRoot(), 'liveDeliveries_deliveries', argumentsOf(choice));
  const edges = list?.getLinkedRecords('edges') ?? [];
  const isThere = edges.some((edge) => edge.getLinkedRecord('node')?.getDataID() === delivery?.getDataID());
  if (!delivery || !list || isThere) return;
  const edge = ConnectionHandler.createEdge(store, list, delivery, 'DeliveryEdge');
  // Lists are read with it. No page starts after this edge.
  edge.setValue(null, 'cursor');
  ConnectionHandler.insertEdgeBefore(list, edge);
}
// #endregion

/** The chosen deliveries of all webhooks, as they change. */
export function useDeliveries(choice: Choice) {
  const variables = useMemo(() => argumentsOf(choice), [choice]);
  const {
    data: query,
    isLoading,
    failure,
    readAgain,
  } = useRead<liveDeliveriesQuery>(DeliveryList, variables, 'store-and-network');
  useOnConnected(readAgain, isLoading);
  const [streamFailure, setStreamFailure] = useState<string | null>(null);
  // The stream is the same whatever is chosen, so that nothing is lost between two.
  const chosen = useRef(choice);
  useEffect(() => {
    chosen.current = choice;
  }, [choice]);
  useSubscription<liveDeliveriesSubscription>(
    useMemo(
      () => ({
        subscription: Updates,
        variables: {},
        updater(store, told) {
          const delivery = told && readInlineData<liveDeliveries_row$key>(Row, told.deliveryUpdated);
          if (delivery && isOf(chosen.current, delivery)) addDelivery(store, chosen.current);
        },
        onError: (error) => setStreamFailure(reasonOf(error)),
      }),
      [],
    ),
  );
  const [commit, isEmitting] = useMutation<liveDeliveriesEmitMutation>(EmitEvent);
  const { data, hasNext, isLoadingNext, loadNext } = usePaginationFragment<
    liveDeliveriesPageQuery,
    liveDeliveries_list$key
  >(List, query);
  const [pageFailure, setPageFailure] = useState<string | null>(null);
  const readMore = () => {
    setPageFailure(null);
    loadNext(20, { onComplete: (error) => setPageFailure(error && reasonOf(error)) });
  };
  return {
    deliveries: data?.deliveries.edges.map(({ node }): Delivery => readInlineData<liveDeliveries_row$key>(Row, node)),
    hasMore: hasNext,
    readMore,
    isLoading: isLoading || isLoadingNext,
    failure: failure ?? pageFailure,
    streamFailure,
    readAgain: failure === null ? readMore : readAgain,
    isEmitting,
    /** Emits an event, and resolves with what became of it. */
    emit: (accountId: string) =>
      new Promise<string>((resolve) => {
        commit({
          variables: { input: { accountId, event: 'MESSAGE_RECEIVED' } },
          onCompleted: ({ emitEvent }) =>
            resolve(
              emitEvent?.refused?.message ?? `The event has ${emitEvent?.emitted?.deliveries.length} deliveries.`,
            ),
          onError: (error) => resolve(reasonOf(error)),
        });
      }),
  };
}
