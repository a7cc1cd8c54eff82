/** The list of posts as a connection. */
import { ServiceError } from '../../errors.ts';
import { type Connection, connect, connectionArgs, connectionType, mapItems } from '../../graphql/connection.ts';
import { itemsOfNetwork } from '../../graphql/cost/weights.ts';
import type { GraphQLContext } from '../../graphql/graphql-context.ts';
import { listPosts } from '../operations.ts';
import { type Post, postLimits } from '../shapes.ts';
import { PostUnion, postTypeOf } from './post-types.ts';
import { type ReadWith, readWith } from './reading-account.ts';

export const PostConnection = connectionType<ReadWith<Post>>('Post', PostUnion, 'posts', itemsOfNetwork);

export const postConnectionArgs = connectionArgs(postLimits, 'posts');

export interface PostListArguments {
  readonly accountId: string;
  readonly identifier: string;
  readonly isCompany?: boolean | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

/**
 * Posts of one author, read with one account. Equal pages of one request are read once.
 * @throws ServiceError as `PostsPort.list` does, or `unprocessable_entity` for arguments that do not fit
 */
export async function connectPosts(
  context: GraphQLContext,
  { accountId, identifier, isCompany, first, after }: PostListArguments,
): Promise<Connection<ReadWith<Post>>> {
  const connection = await connect(context, {
    operation: listPosts,
    request: { account_id: accountId, identifier, is_company: isCompany ?? undefined },
    limits: postLimits,
    first,
    after,
    list: ['posts', accountId, identifier, isCompany ?? false],
    load: ({ limit = postLimits.limit.default, ...request }) => context.loaders.posts.load({ ...request, limit }),
  });
  return mapItems<Post, ReadWith<Post>>(connection, (post) =>
    postTypeOf(post.provider) !== undefined
      ? readWith(post, accountId)
      : new ServiceError('provider_error', {
          detail: 'The post is from a network that this gateway does not support.',
        }),
  );
}
