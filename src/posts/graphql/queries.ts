import { builder } from '../../graphql/builder.ts';
import { readsFrom } from '../../graphql/list-source.ts';
import { connectPosts, PostConnection, postConnectionArgs, postList } from './list.ts';

builder.queryField('posts', (t) =>
  t.field({
    type: PostConnection,
    description:
      'Posts of a user or company, newest first, as the account sees them on its network. Scope: `posts:read`.',
    args: {
      accountId: t.arg.id({ required: true, description: 'Id of the connected account to read the posts with.' }),
      identifier: t.arg.string({
        required: true,
        description:
          'Id of the user or company on the network. On pnet, the id of a user starts with `ACo` or `ADo`, and the id of a company has digits only. On photonet, pass a `providerId` or a `username`.',
      }),
      isCompany: t.arg.boolean({ description: 'Set to true for the posts of a company. Pnet only.' }),
      ...postConnectionArgs,
    },
    extensions: readsFrom(postList),
    resolve: (_root, args, context) => connectPosts(context, args),
  }),
);
