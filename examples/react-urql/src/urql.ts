import {
  Client,
  CombinedError,
  type Exchange,
  fetchExchange,
  getOperationName,
  makeOperation,
  mapExchange,
  subscriptionExchange,
} from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { skipFailed, steadyFetch, urqlCache } from 'postern/client';
import { pipe, tap } from 'wonka';
import { beginRead, reportSkipped, streams, url, waits } from './gateway.ts';
import schema from './gql/schema.json';
import { updates } from './updates.ts';

const cache = cacheExchange({ schema, ...urqlCache, updates });

/** Takes list items that failed out of each response, before the cache sees it. */
const skip = mapExchange({
  onResult(result) {
    const { error, operation, ...rest } = result;
    const { response, skipped } = skipFailed({ data: result.data as unknown, errors: error?.graphQLErrors ?? [] });
    reportSkipped(getOperationName(operation.query) ?? '', operation.variables ?? {}, skipped);
    if (!error || skipped.length === 0) return result;
    const whole = { ...rest, operation, data: response.data };
    if (!response.errors) return whole;
    return { ...whole, error: new CombinedError({ graphQLErrors: [...response.errors], response: error.response }) };
  },
});

/** Sends a mutation once: it may have been executed although its response was lost. */
const sendOnce = mapExchange({
  onOperation(operation) {
    if (operation.kind !== 'mutation') return operation;
    return makeOperation('mutation', operation, { ...operation.context, fetch });
  },
});

/** Says which queries are under way. */
const read: Exchange =
  ({ forward }) =>
  (operations) => {
    const ends = new Map<number, () => void>();
    const end = (key: number) => {
      ends.get(key)?.();
      ends.delete(key);
    };
    return pipe(
      operations,
      tap(({ kind, key }) => {
        if (kind === 'query' && !ends.has(key)) ends.set(key, beginRead());
        if (kind === 'teardown') end(key);
      }),
      forward,
      // The cache takes the response at once.
      tap(({ operation: { kind, key } }) => kind === 'query' && queueMicrotask(() => end(key))),
    );
  };

const subscribe = subscriptionExchange({
  forwardSubscription: ({ query = '', variables }) => ({
    subscribe: (sink) => ({
      unsubscribe: streams.subscribe(
        { query, variables: variables ?? {} },
        { ...sink, next: ({ data = null, errors }) => sink.next({ data, ...(errors && { errors }) }) },
      ),
    }),
  }),
});

export const client = new Client({
  url,
  preferGetMethod: false,
  fetch: steadyFetch({ onWaiting: waits('requests') }),
  exchanges: [cache, read, skip, sendOnce, fetchExchange, subscribe],
});

/** What the gateway says, with its code; or what the browser says, if there was no response. */
export function reasonOf({ networkError, graphQLErrors }: CombinedError): string {
  if (networkError) return networkError.message;
  return graphQLErrors.map(({ message, extensions }) => `${message} (${extensions.code})`).join(' ');
}
