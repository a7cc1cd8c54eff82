import { useState } from 'react';
import { useQuery } from 'urql';
import type { PostsQuery } from './gql/graphql.ts';
import { Posts } from './operations.ts';
import { reasonOf } from './urql.ts';

export type { EntryFragment as Post } from './gql/graphql.ts';

const none: PostsQuery['posts'] = { edges: [], pageInfo: { hasNextPage: false, endCursor: null } };

/** One list of a feed. The result of each page is the list with all pages so far, from the cache. */
export function usePosts(accountId: string, identifier: string) {
  const [after, setAfter] = useState<string | null>(null);
  const [{ data, error, fetching }, read] = useQuery({ query: Posts, variables: { accountId, identifier, after } });
  const [list, setList] = useState(none);
  // A page that failed, or is on its way, takes nothing away. Not in an effect: the next page would be asked for with an old cursor.
  if (data && !error && !fetching && data.posts !== list) setList(data.posts);
  const retry = () => read({ requestPolicy: 'network-only' });
  return {
    list: { nodes: list.edges.map(({ node }) => node), pageInfo: list.pageInfo },
    isLoading: fetching,
    failure: error ? reasonOf(error) : null,
    readMore() {
      if (error) retry();
      else if (list.pageInfo.hasNextPage) setAfter(list.pageInfo.endCursor);
    },
    retry,
  };
}
