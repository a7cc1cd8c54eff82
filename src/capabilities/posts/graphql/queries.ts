import { builder } from '../../../graphql/kit/builder.ts';
import { readsFrom } from '../../../graphql/kit/source.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { authorArgs, connectPosts, PostConnection, postConnectionArgs, postList, postsDescription } from './list.ts';

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
