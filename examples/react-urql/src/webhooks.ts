import { useQuery } from 'urql';
import type { WebhooksQuery } from './gql/graphql.ts';
import { Webhooks } from './operations.ts';
import { reasonOf } from './urql.ts';

export type Webhook = WebhooksQuery['webhooks']['nodes'][number];

/** The webhooks to choose from, up to 250. With more, let the user search: `webhooks(query:)`. */
export function useWebhooks() {
  const [{ data, error }, read] = useQuery({ query: Webhooks, requestPolicy: 'cache-and-network' });
  return {
    webhooks: data?.webhooks.nodes ?? null,
    failure: error ? reasonOf(error) : null,
    readAgain: () => read({ requestPolicy: 'network-only' }),
  };
}
