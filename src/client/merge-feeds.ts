interface List<Post> {
  nodes: readonly Post[];
  pageInfo: { hasNextPage: boolean };
}

interface Dated {
  publishedAt?: string | null | undefined;
  caption?: { createdAt?: string | null | undefined } | null | undefined;
}

/**
 * The posts of several lists, newest first. If a list has another page, they end at the point from which that page may have posts.
 * Needs `publishedAt` of pnet posts and `caption { createdAt }` of photonet posts, which have no time of their own.
 */
export function mergeFeeds<Post extends Dated>(lists: readonly List<Post>[]) {
  const rest = lists.map(({ nodes, pageInfo }) => ({ ...pageInfo, posts: [...nodes] }));
  const none = { hasNextPage: false, posts: [] as Post[] };
  const merged: Post[] = [];
  // A post without a time comes directly after the one before it.
  const time = ([post]: Post[]) => (post ? (post.publishedAt ?? post.caption?.createdAt ?? '9999') : '');
  while (!rest.some(({ posts, hasNextPage }) => hasNextPage && posts.length === 0)) {
    const next = rest.reduce((a, b) => (time(b.posts) > time(a.posts) ? b : a), none).posts.shift();
    if (!next) break;
    merged.push(next);
  }
  return merged;
}
