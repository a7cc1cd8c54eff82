/** The posts that an account can read, as a field of the account. */

import { builder } from '../../../graphql/kit/builder.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { authorArgs, connectPosts, PostConnection, postConnectionArgs, postsDescription } from './list.ts';

builder.objectField(AccountObject, 'posts', (t) =>
  t.field({
    type: PostConnection,
    nullable: true,
    description: postsDescription,
    args: {
      ...authorArgs,
      ...postConnectionArgs,
    },
    resolve: ({ account_id }, args, context) => connectPosts(context, { ...args, accountId: account_id }),
  }),
);
