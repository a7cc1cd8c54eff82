import { graphql, useFragment } from 'react-relay';
import { useOnConnected } from './gateway.ts';
import type { webhooks_list$data, webhooks_list$key } from './gql/webhooks_list.graphql.ts';
import type { webhooksQuery } from './gql/webhooksQuery.graphql.ts';
import { useRead } from './use-read.ts';

const Webhooks = graphql`
  query webhooksQuery {
    ...webhooks_list
  }
`;

const List = graphql`
  fragment webhooks_list on Query @throwOnFieldError {
    webhooks(first: 250, orderBy: NAME_ASC) { nodes { id webhookId name } }
  }
`;

export type Webhook = webhooks_list$data['webhooks']['nodes'][number];

const none = {};

/** The webhooks to choose from, up to 250. With more, let the user search: `webhooks(query:)`. */
export function useWebhooks() {
  const { data: query, isLoading, failure, readAgain } = useRead<webhooksQuery>(Webhooks, none, 'store-and-network');
  useOnConnected(readAgain, isLoading);
  const list = useFragment<webhooks_list$key>(List, query);
  return { webhooks: list?.webhooks.nodes ?? null, failure, readAgain };
}
