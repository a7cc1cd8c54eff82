/** The list of posts as a connection. */
import { ServiceError } from '../../errors.ts';
import { type Connection, connect, connectionArgs, connectionType } from '../../graphql/connection.ts';
import type { GraphQLContext } from '../../graphql/graphql-context.ts';
import { listPosts } from '../operations.ts';
import { type Post, type PostListRequest, postLimits } from '../shapes.ts';
import { PostUnion, postTypeOf } from './post-types.ts';

export const PostConnection = connectionType<Post>('Post', PostUnion, 'posts');

export const postConnectionArgs = connectionArgs(postLimits, 'posts');

/**
 * The account that an object of a post was read from. Posts stay as they were read, so that it cannot stand in them; but
 * ids depend on it, and so does walking on from a post to its author's posts.
 */
const readFrom = new WeakMap<object, string>();

export function accountOf(value: object): string {
  if (typeof value !== 'object')
    throw new ServiceError('provider_error', { detail: 'A part of the post is no object.' });
  const accountId = readFrom.get(value);
  if (accountId === undefined) throw new ServiceError('provider_error', { detail: 'A part of a post is no object.' });
  return accountId;
}

/** An object inside of `parent`, read from the same account. */
export function partOf<T extends object | undefined>(parent: object, part: T): T {
  // What a provider sent may be of another shape than the contract's: its fields then say so.
  if (typeof part === 'object' && part !== null) readFrom.set(part, accountOf(parent));
  return part;
}

export interface PostListArguments {
  readonly accountId: string;
  readonly identifier: string;
  readonly isCompany?: boolean | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

/** Posts of one author, read with one account. Equal pages of one request are read once. */
export function connectPosts(
  context: GraphQLContext,
  { accountId, identifier, isCompany, first, after }: PostListArguments,
): Promise<Connection<Post>> {
  return connect<PostListRequest, Post>(context, {
    operation: listPosts,
    request: { account_id: accountId, identifier, is_company: isCompany ?? undefined },
    limits: postLimits,
    first,
    after,
    list: ['posts', accountId, identifier, isCompany ?? false],
    async load(request) {
      const { limit = postLimits.limit.default } = request;
      const { items, cursor } = await context.loaders.posts.load({ ...request, limit });
      for (const post of items) if (typeof post === 'object' && post !== null) readFrom.set(post, accountId);
      return { items, cursor };
    },
    show: (post) =>
      postTypeOf(post.provider) !== undefined
        ? post
        : new ServiceError('provider_error', { detail: 'The post is from a network that this gateway does not know.' }),
  });
}
