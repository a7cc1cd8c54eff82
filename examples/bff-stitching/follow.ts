/** Subscriptions of the gateway that outlast its restarts and the tokens of visitors. */
import type { ExecutionResult } from '@graphql-tools/utils';
import { createClient, type RequestParams } from 'graphql-sse';
import { address } from './settings.ts';
import { withTokenOf } from './tokens.ts';
import type { Visitor } from './visitors.ts';

// A random wait of up to half a minute, so that not all streams come back at once.
const wait = (n: number) => Math.random() * Math.min(30_000, 1_000 * 2 ** n);
const retry = (n: number) => new Promise<void>((go) => setTimeout(go, wait(n)));

type Extensions = Record<string, unknown>;

/** The results of a subscription, until whoever reads them returns. */
export function follow<Data>(
  visitor: Visitor,
  request: RequestParams,
): AsyncIterableIterator<ExecutionResult<Data, Extensions>> {
  const client = createClient({
    url: `${address}/graphql`,
    // A token for each connection.
    fetchFn: (url: string, init: RequestInit) =>
      withTokenOf(visitor, (token) =>
        fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
      ),
    retry,
    retryAttempts: Infinity,
  });
  let results = client.iterate<Data, Extensions>(request);
  // No generator: it would leave the stream open until the next result when its reader goes away.
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      for (;;) {
        const { done, value } = await results.next();
        if (done) return { done, value };
        if (!value.errors?.some(({ extensions }) => extensions?.code === 'EXPIRED_CREDENTIALS')) return { value };
        results = client.iterate<Data, Extensions>(request);
      }
    },
    async return() {
      await results.return?.();
      return { done: true, value: undefined };
    },
  };
}
