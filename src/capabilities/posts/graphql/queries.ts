import { builder } from '../../../graphql/kit/builder.ts';
import { readsFrom } from '../../../graphql/kit/list-source.ts';
import { authorArgs, connectPosts, PostConnection, postConnectionArgs, postList, postsDescription } from './list.ts';

builder.queryField('posts', (t) =>
  t.field({
    type: PostConnection,
    nullable: true,
    description: postsDescription,
    args: {
      accountId: t.arg.id({ required: true, description: 'Id of the connected account to read the posts with.' }),
      ...authorArgs,
      ...postConnectionArgs,
    },
    extensions: readsFrom(postList),
    resolve: (_root, args, context) => connectPosts(context, args),
  }),
);
