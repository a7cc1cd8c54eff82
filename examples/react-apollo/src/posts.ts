import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { reasonOf } from './apollo.ts';
import { Posts } from './operations.ts';

export type { EntryFragment as Post } from './gql/graphql.ts';

/** One list of a feed. Each is a query of its own, so that each is paged, and fails, by itself. */
export function usePosts(accountId: string, identifier: string) {
  const { data, error, loading, fetchMore, refetch } = useQuery(Posts, { variables: { accountId, identifier } });
  const [pageError, setPageError] = useState<unknown>();
  const { edges = [], pageInfo = { hasNextPage: false, endCursor: null } } = data?.posts ?? {};
  const failure = error ?? pageError;
  const readMore = async () => {
    if (!pageInfo.hasNextPage) return;
    setPageError(undefined);
    await fetchMore({ variables: { after: pageInfo.endCursor } }).catch(setPageError);
  };
  return {
    list: { nodes: edges.map(({ node }) => node), pageInfo },
    isLoading: loading,
    failure: failure === undefined ? null : reasonOf(failure),
    readMore: () => void readMore(),
    retry: () => void (error ? refetch().catch(() => undefined) : readMore()),
  };
}
