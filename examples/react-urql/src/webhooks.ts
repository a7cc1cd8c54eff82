import { useCallback } from 'react';
import { useQuery } from 'urql';
import { useOnConnected } from './gateway.ts';
import type { WebhooksQuery } from './gql/graphql.ts';
import { Webhooks } from './operations.ts';
import { reasonOf } from './urql.ts';

export type Webhook = WebhooksQuery['webhooks']['nodes'][number];

/** The webhooks to choose from, up to 250. With more, let the user search: `webhooks(query:)`. */
export function useWebhooks() {
  const [{ data, error, fetching, stale }, read] = useQuery({ query: Webhooks, requestPolicy: 'cache-and-network' });
  const readAgain = useCallback(() => read({ requestPolicy: 'network-only' }), [read]);
  useOnConnected(readAgain, fetching || stale);
  return { webhooks: data?.webhooks.nodes ?? null, failure: error ? reasonOf(error) : null, readAgain };
}
