import { useMemo, useState } from 'react';
import { graphql, readInlineData, usePaginationFragment } from 'react-relay';
import { reasonOf } from './environment.ts';
import type { posts_entry$data, posts_entry$key } from './gql/posts_entry.graphql.ts';
import type { posts_list$key } from './gql/posts_list.graphql.ts';
import type { postsPageQuery } from './gql/postsPageQuery.graphql.ts';
import type { postsQuery } from './gql/postsQuery.graphql.ts';
import { useRead } from './use-read.ts';

export type Post = posts_entry$data;

const Posts = graphql`
  query postsQuery($accountId: ID!, $identifier: String!) {
    ...posts_list @arguments(accountId: $accountId, identifier: $identifier)
  }
`;

const List = graphql`
  fragment posts_list on Query
  @argumentDefinitions(
    accountId: { type: "ID!" }
    identifier: { type: "String!" }
    count: { type: "Int", defaultValue: 20 }
    cursor: { type: "String" }
  )
  @refetchable(queryName: "postsPageQuery")
  @throwOnFieldError {
    posts(accountId: $accountId, identifier: $identifier, first: $count, after: $cursor) @connection(key: "posts_posts") {
      edges { node { ...posts_entry @alias } }
    }
  }
`;

const Entry = graphql`
  fragment posts_entry on NetworkPost @inline @throwOnFieldError {
    __typename
    id
    text
    reactionCount
    commentCount
    author { name }
    ... on PnetPost { publishedAt author { profilePictureUrl } attachments { type url width height isUnavailable } }
    ... on PhotonetPost { caption { createdAt } author { picture: profilePictureUrl } previewImage { url width height } }
  }
`;

/** One list of a feed. Each is a query of its own, so that each is paged, and fails, by itself. */
export function usePosts(accountId: string, identifier: string) {
  const variables = useMemo(() => ({ accountId, identifier }), [accountId, identifier]);
  const { data: query, isLoading, failure, readAgain } = useRead<postsQuery>(Posts, variables, 'store-or-network');
  const { data, hasNext, isLoadingNext, loadNext } = usePaginationFragment<postsPageQuery, posts_list$key>(List, query);
  const [pageFailure, setPageFailure] = useState<string | null>(null);
  const readMore = () => {
    if (!hasNext) return;
    setPageFailure(null);
    loadNext(20, { onComplete: (error) => setPageFailure(error && reasonOf(error)) });
  };
  const entries = data?.posts.edges.map(({ node }) => node.posts_entry) ?? [];
  return {
    list: {
      nodes: entries.flatMap((entry) => (entry ? readInlineData<posts_entry$key>(Entry, entry) : [])),
      pageInfo: { hasNextPage: hasNext },
    },
    isLoading: isLoading || isLoadingNext,
    failure: failure ?? pageFailure,
    readMore,
    retry: failure === null ? readMore : readAgain,
  };
}
