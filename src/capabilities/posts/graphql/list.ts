import { itemsOfNetwork } from '../../../graphql/cost/weights.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { maxAge } from '../../../graphql/kit/cache-hint.ts';
import {
  type Connection,
  connectionArgs,
  connectionType,
  mapItems,
  readConnection,
} from '../../../graphql/kit/connection.ts';
import { type ListSource, readsFrom } from '../../../graphql/kit/source.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Page } from '../../../kernel/paging.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { listPosts } from '../operations.ts';
import { type Post, type PostListRequest, postLimits } from '../shapes.ts';
import { PostUnion, postTypeOf } from './post-types.ts';
import { accountOf, type Fields, type ReadWith, readWith, requireRawId } from './reading-account.ts';

export const PostConnection = connectionType<ReadWith<Post>>('Post', PostUnion, 'posts', {
  page: itemsOfNetwork,
  hint: maxAge(60),
});

export const postConnectionArgs = connectionArgs(postLimits);

export const authorArgs = builder.args((t) => ({
  identifier: t.string({
    required: true,
    description: 'Id of a user or company; on photonet also a `username`.',
  }),
  isCompany: t.boolean({ description: 'Whether it is a company. Pnet only.' }),
}));

export const postsDescription = 'Posts of a user or company, as the account sees them.';

export interface PostListArguments {
  readonly accountId: string;
  readonly identifier: string;
  readonly isCompany?: boolean | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

export const postList: ListSource<PostListArguments, PostListRequest, Post, Page<Post>> = {
  operation: listPosts,
  connection: ({ accountId, identifier, isCompany, first, after }) => ({
    operation: listPosts,
    request: { account_id: accountId, identifier, is_company: isCompany ?? undefined },
    limits: postLimits,
    first,
    after,
    list: ['posts', accountId, identifier, isCompany ?? false],
  }),
  account: ({ accountId }) => accountId,
  pages: ({ posts }) => posts.pages,
};

/** Equal pages are read once. @throws ServiceError as `PostsPort.list`, or `unprocessable_entity` */
export async function connectPosts(
  context: GraphQLContext,
  args: PostListArguments,
): Promise<Connection<ReadWith<Post>>> {
  const connection = await readConnection(
    context,
    postList.connection(args, context),
    ({ limit = postLimits.limit.default, ...request }) => context.loaders.posts.load({ ...request, limit }),
  );
  return mapItems<Post, ReadWith<Post>>(connection, (post) =>
    postTypeOf(post) !== undefined
      ? readWith(post, args.accountId)
      : new ServiceError('provider_error', {
          detail: 'The post is from a network that this gateway does not support.',
        }),
  );
}

/** The field `posts` of an author. @param isCompany the key of the flag, on networks that list companies differently */
export function authorPostsField<Author extends ReadWith<{ readonly id: string }>>(
  t: Fields<Author>,
  { description, isCompany }: { readonly description: string; readonly isCompany?: string & keyof Author },
): ReturnType<Fields<Author>['field']> {
  return t.field({
    type: PostConnection,
    nullable: true,
    description,
    args: postConnectionArgs,
    extensions: readsFrom(postList, {
      account: 'accountId',
      ids: { identifier: 'id' },
      flags: isCompany === undefined ? {} : { isCompany },
    }),
    resolve: (author, args, context) =>
      connectPosts(context, {
        accountId: accountOf(author),
        identifier: requireRawId(author.id),
        // Sent for companies only: false is the contract's default.
        isCompany: isCompany !== undefined && author[isCompany] === true ? true : undefined,
        ...args,
      }),
  });
}

builder.queryField('posts', (t) =>
  t.field({
    type: PostConnection,
    nullable: true,
    description: postsDescription,
    args: {
      accountId: t.arg.id({ required: true, description: 'Account to read with.' }),
      ...authorArgs,
      ...postConnectionArgs,
    },
    extensions: readsFrom(postList),
    resolve: (_root, args, context) => connectPosts(context, args),
  }),
);

builder.objectField(AccountObject, 'posts', (t) =>
  t.field({
    type: PostConnection,
    nullable: true,
    description: postsDescription,
    args: {
      ...authorArgs,
      ...postConnectionArgs,
    },
    extensions: readsFrom(postList, { ids: { accountId: 'account_id' } }),
    resolve: ({ account_id }, args, context) => connectPosts(context, { ...args, accountId: account_id }),
  }),
);
