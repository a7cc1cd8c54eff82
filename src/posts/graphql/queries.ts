import { builder } from '../../graphql/builder.ts';
import { connectionComplexity } from '../../graphql/connection.ts';
import { connectPosts, PostConnection, postConnectionArgs } from './list.ts';

builder.queryField('posts', (t) =>
  t.field({
    type: PostConnection,
    description:
      'Posts of a user or a company, newest first, as the network of the account shows them. Scope: `posts:read`.',
    args: {
      accountId: t.arg.id({ required: true, description: 'The connected account to read them with.' }),
      identifier: t.arg.string({
        required: true,
        description:
          "Whose posts: the provider's internal id. On pnet it starts with `ACo` or `ADo` for users and has digits only for companies; on photonet it is a `providerId` or a `username`.",
      }),
      isCompany: t.arg.boolean({ description: 'Pnet only: true when the posts are those of a company.' }),
      ...postConnectionArgs,
    },
    complexity: connectionComplexity,
    resolve: (_root, args, context) => connectPosts(context, args),
  }),
);
