import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { apolloCache, skipFailed, steadyFetch } from 'postern/client';
import { defer, finalize, map } from 'rxjs';
import { beginRead, reportSkipped, streams, url, waits } from './gateway.ts';

const skip = new ApolloLink((request, forward) =>
  forward(request).pipe(
    map((result) => {
      const { response, skipped } = skipFailed(result);
      reportSkipped(request.operationName ?? '', request.variables, skipped);
      return response;
    }),
  ),
);

/** The cache has the response when the link is through with it. */
const read = new ApolloLink((request, forward) => defer(() => forward(request).pipe(finalize(beginRead()))));

const links = {
  query: read.concat(new HttpLink({ uri: url, fetch: steadyFetch({ onWaiting: waits('requests') }) })),
  mutation: new HttpLink({ uri: url }), // sent once: it may have been executed although its response was lost
  subscription: new GraphQLWsLink(streams),
};

export const client = new ApolloClient({
  // What is read again is asked for again: a response that is under way may be older than the reason to read.
  queryDeduplication: false,
  link: skip.concat(new ApolloLink((request, forward) => links[request.operationType].request(request, forward))),
  cache: new InMemoryCache(apolloCache),
});

/** What the gateway says, with its code; or what the browser says, if there was no response. */
export function reasonOf(error: unknown): string {
  if (!CombinedGraphQLErrors.is(error)) return String(error);
  return error.errors.map(({ message, extensions }) => `${message} (${extensions?.code})`).join(' ');
}
