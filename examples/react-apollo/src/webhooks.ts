import { useQuery } from '@apollo/client/react';
import { useCallback } from 'react';
import { reasonOf } from './apollo.ts';
import { useOnConnected } from './gateway.ts';
import type { WebhooksQuery } from './gql/graphql.ts';
import { Webhooks } from './operations.ts';

export type Webhook = WebhooksQuery['webhooks']['nodes'][number];

/** The webhooks to choose from, up to 250. With more, let the user search: `webhooks(query:)`. */
export function useWebhooks() {
  const { data, error, loading, refetch } = useQuery(Webhooks, { fetchPolicy: 'cache-and-network' });
  const readAgain = useCallback(() => void refetch().catch(() => undefined), [refetch]);
  useOnConnected(readAgain, loading);
  return { webhooks: data?.webhooks.nodes ?? null, failure: error ? reasonOf(error) : null, readAgain };
}
