import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  type FieldPolicy,
  HttpLink,
  InMemoryCache,
  type Reference,
} from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { defer, finalize, map } from 'rxjs';
import { beginRead, reportSkipped, streams, url, waits } from './gateway.ts';
import mergePolicies from './gql/merge-policies.ts';
import types from './gql/possible-types.ts';
import { mergePages, type Page } from './postern/merge-pages.ts';
import { skipFailed } from './postern/skip-failed.ts';
import { steadyFetch } from './postern/steady-fetch.ts';

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

type Edge = { readonly node: Reference };
/** A list of pages. Lists with other arguments are other lists, except for these two, which choose a page. */
const pages: FieldPolicy<Page<Edge>> = {
  keyArgs: (args) => Object.keys(args ?? {}).filter((name) => name !== 'first' && name !== 'after'),
  merge(list, page, { args, readField }) {
    // A list that is read by `nodes` is not paged.
    if (!args?.after || !page.edges) return { ...list, ...page };
    return mergePages(list, page, ({ node }) => readField('id', node));
  },
};
const lists = { fields: { accounts: pages, deliveries: pages, jobPostings: pages, posts: pages, webhooks: pages } };
const ofLists = { Query: lists, Account: lists, NetworkAuthor: lists, Webhook: lists };

export const client = new ApolloClient({
  // What is read again is asked for again: a response that is under way may be older than the reason to read.
  queryDeduplication: false,
  link: skip.concat(new ApolloLink((request, forward) => links[request.operationType].request(request, forward))),
  cache: new InMemoryCache({
    possibleTypes: types.possibleTypes,
    typePolicies: { ...mergePolicies, ...ofLists, Viewer: { ...lists, merge: true } },
  }),
});

/** What the gateway says, with its code; or what the browser says, if there was no response. */
export function reasonOf(error: unknown): string {
  if (!CombinedGraphQLErrors.is(error)) return String(error);
  return error.errors.map(({ message, extensions }) => `${message} (${extensions?.code})`).join(' ');
}
