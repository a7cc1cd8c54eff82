import { useEffect, useMemo, useState } from 'react';
import { ConnectionHandler, graphql, readInlineData, useFragment, useMutation, useSubscription } from 'react-relay';
import type { RecordSourceSelectorProxy } from 'relay-runtime';
import { reasonOf } from './environment.ts';
import { streams } from './gateway.ts';
import type { liveDeliveries_list$key } from './gql/liveDeliveries_list.graphql.ts';
import type { liveDeliveries_row$data, liveDeliveries_row$key } from './gql/liveDeliveries_row.graphql.ts';
import type { liveDeliveriesEmitMutation } from './gql/liveDeliveriesEmitMutation.graphql.ts';
import type { liveDeliveriesQuery } from './gql/liveDeliveriesQuery.graphql.ts';
import type { liveDeliveriesSubscription } from './gql/liveDeliveriesSubscription.graphql.ts';
import { useRead } from './use-read.ts';

export type Delivery = liveDeliveries_row$data;

const DeliveryList = graphql`
  query liveDeliveriesQuery {
    ...liveDeliveries_list
  }
`;

const List = graphql`
  fragment liveDeliveries_list on Query @throwOnFieldError {
    webhooks(first: 20) {
      edges {
        node {
          deliveries(first: 20) @connection(key: "liveDeliveries_deliveries") {
            edges { node { ...liveDeliveries_row } }
          }
        }
      }
    }
  }
`;

const Row = graphql`
  fragment liveDeliveries_row on Delivery @inline {
    id
    deliveryId
    event
    createdAt
    state
    attemptCount
    lastAttempt { status failure }
  }
`;

const Updates = graphql`
  subscription liveDeliveriesSubscription {
    deliveryUpdated {
      webhook { id }
      ...liveDeliveries_row
    }
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

// #region add
/** Puts a delivery to the list of its webhook, unless it is there. One that is there, the store updates by its id. */
function addDelivery(store: RecordSourceSelectorProxy<liveDeliveriesSubscription['response']>): void {
  const delivery = store.getRootField('deliveryUpdated');
  const webhook = delivery?.getLinkedRecord('webhook');
  const list = webhook && ConnectionHandler.getConnection(webhook, 'liveDeliveries_deliveries');
  const edges = list?.getLinkedRecords('edges') ?? [];
  const isThere = edges.some((edge) => edge.getLinkedRecord('node')?.getDataID() === delivery?.getDataID());
  if (!delivery || !list || isThere) return;
  const edge = ConnectionHandler.createEdge(store, list, delivery, 'DeliveryEdge');
  // Lists are read with it. No page starts after this edge.
  edge.setValue(null, 'cursor');
  ConnectionHandler.insertEdgeBefore(list, edge);
}
// #endregion

const none = {};

/** The deliveries of the first webhooks, as they change. */
export function useDeliveries() {
  const {
    data: query,
    isLoading,
    failure,
    readAgain,
  } = useRead<liveDeliveriesQuery>(DeliveryList, none, 'store-and-network');
  // A subscription tells what happens from now on. What happened before, and while the connection was cut off, the query tells.
  useEffect(() => streams.on('connected', () => void readAgain()), [readAgain]);
  const [streamFailure, setStreamFailure] = useState<string | null>(null);
  useSubscription<liveDeliveriesSubscription>(
    useMemo(
      () => ({
        subscription: Updates,
        variables: none,
        updater: addDelivery,
        onError: (error) => setStreamFailure(reasonOf(error)),
      }),
      [],
    ),
  );
  const [commit, isEmitting] = useMutation<liveDeliveriesEmitMutation>(EmitEvent);
  const webhooks = useFragment<liveDeliveries_list$key>(List, query)?.webhooks.edges.map(({ node }) => node);
  return {
    hasWebhooks: webhooks?.length !== 0,
    deliveries: webhooks?.flatMap(({ deliveries }) =>
      deliveries.edges.map(({ node }): Delivery => readInlineData<liveDeliveries_row$key>(Row, node)),
    ),
    isLoading,
    failure,
    streamFailure,
    readAgain,
    isEmitting,
    /** Emits an event, and resolves with what became of it. */
    emit: (accountId: string) =>
      new Promise<string>((resolve) => {
        commit({
          variables: { input: { accountId, event: 'NEW_RELATION' } },
          onCompleted: ({ emitEvent }) =>
            resolve(emitEvent?.refused?.message ?? `It is sent to ${emitEvent?.emitted?.deliveries.length} webhooks.`),
          onError: (error) => resolve(reasonOf(error)),
        });
      }),
  };
}
