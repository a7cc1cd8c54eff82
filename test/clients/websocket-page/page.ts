/** A page with a feed of each client over one WebSocket: what websocket.browser.test.ts opens in a browser. */
import { ApolloClient, ApolloLink, gql, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, subscriptionExchange } from '@urql/core';
import { createClient, type Client as SocketClient } from 'graphql-ws';
import { Network, Observable, type SubscribeFunction } from 'relay-runtime';
import { createAccessTokens } from '../../../src/client/access-token.ts';

/** What the page tells the test. */
export interface Page {
  readonly statuses: string[];
  readonly ended: string[];
  readonly closes: number[];
  /** Begins to watch the account. */
  watch(client: ClientName, accountId: string): void;
  /** A query over the same connection. */
  name(): Promise<string>;
  /** Queries by requests, all at once. */
  names(count: number): Promise<string[]>;
}

export type ClientName = 'Apollo' | 'urql' | 'Relay';

const document = 'subscription Watch($ids: [ID!]!) { accountUpdated(accountIds: $ids) { id status } }';

type Told = { readonly accountUpdated?: { readonly status: string } | null } | null | undefined;

function open(address: string): Page {
  const tokens = createAccessTokens('/access-token');
  const closes: number[] = [];
  const socket = createClient({
    url: `${address.replace('http', 'ws')}/graphql`,
    connectionParams: async () => ({ authorization: `Bearer ${await tokens.renew()}` }),
    retryWait: () => new Promise((resolve) => setTimeout(resolve, 100)),
    on: { closed: (event) => closes.push((event as CloseEvent).code) },
  });
  const statuses: string[] = [];
  const ended: string[] = [];
  const sink = {
    next: (data: Told) => void statuses.push(data?.accountUpdated?.status ?? 'none'),
    end: (how: unknown) => void ended.push(how instanceof Error ? how.message : JSON.stringify(how ?? 'complete')),
  };
  return {
    statuses,
    ended,
    closes,
    watch: (client, accountId) => clients[client](socket, { ids: [accountId] }, sink),
    name: () =>
      new Promise((resolve, reject) => {
        socket.subscribe<{ viewer: { name: string } }>(
          { query: '{ viewer { name } }' },
          { next: ({ data }) => resolve(data?.viewer.name ?? ''), error: reject, complete: () => undefined },
        );
      }),
    names: (count) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const headers = { 'content-type': 'application/json' };
          const body = JSON.stringify({ query: '{ viewer { name } }' });
          const response = await tokens.fetch(`${address}/graphql`, { method: 'POST', headers, body });
          return (await response.json()).data?.viewer.name;
        }),
      ),
  };
}

interface Sink {
  next(data: Told): void;
  end(how?: unknown): void;
}

type Watch = (socket: SocketClient, variables: { readonly ids: string[] }, sink: Sink) => void;

const clients: Readonly<Record<ClientName, Watch>> = {
  Apollo(socket, variables, { next, end }) {
    const link = ApolloLink.from([new GraphQLWsLink(socket)]);
    new ApolloClient({ link, cache: new InMemoryCache() })
      .subscribe<NonNullable<Told>>({ query: gql(document), variables })
      .subscribe({ next: ({ data }) => next(data), error: end, complete: end });
  },
  urql(socket, variables, { next }) {
    const exchange = subscriptionExchange({
      forwardSubscription: ({ query = '', variables: given }) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables: given ?? {} }, sink) }),
      }),
    });
    new Client({ url: 'http://nowhere.example', exchanges: [exchange], preferGetMethod: false })
      .subscription<NonNullable<Told>>(document, variables)
      .subscribe(({ data }) => next(data));
  },
  Relay(socket, variables, { next, end }) {
    const subscribe: SubscribeFunction = ({ text }, given) =>
      // biome-ignore lint/suspicious/noExplicitAny: Relay and graphql-ws name the same results in types of their own
      Observable.create((sink) => socket.subscribe({ query: text ?? '', variables: given }, sink as any));
    const operation = { id: null, cacheID: 'watch', metadata: {}, name: 'Watch', text: document } as const;
    Network.create(() => Observable.create(() => undefined), subscribe)
      .execute({ ...operation, operationKind: 'subscription' }, variables, {})
      .subscribe({
        next: (result) => next('data' in result ? (result.data as Told) : null),
        error: end,
        complete: end,
      });
  },
};

Object.assign(globalThis, { openPage: open });
