/** Common to all networks, so that a feed of several is one fragment. */
import { builder } from '../../../graphql/kit/builder.ts';
import { optional, required } from '../../../graphql/kit/network-values.ts';
import { Node } from '../../../graphql/kit/node.ts';
import type { Post } from '../shapes.ts';
import { PostConnection, postConnectionArgs } from './list.ts';
import { postTypeOf } from './post-types.ts';

/** Each type resolves the field itself: networks name it differently. */
const resolvedByType = {
  resolve: (): never => {
    throw new Error('Each type resolves this field of its interface itself');
  },
};

export const NetworkAuthorInterface = builder.interfaceRef<object>('NetworkAuthor').implement({
  description: 'A person or company that publishes posts on a network.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global id, scoped to the account that reads: accounts may see the same thing differently.',
      ...resolvedByType,
    }),
    providerId: t.id({ ...required('Id of the author on the network.'), ...resolvedByType }),
    name: t.string({ ...required('Name of the author; on photonet the username.'), ...resolvedByType }),
    profilePictureUrl: t.string({ ...optional('URL of the profile picture or logo.'), ...resolvedByType }),
    posts: t.field({
      type: PostConnection,
      nullable: true,
      description: 'Posts of this author, read with the same account.',
      args: postConnectionArgs,
      ...resolvedByType,
    }),
  }),
});

export const NetworkPostInterface = builder.interfaceRef<Post>('NetworkPost').implement({
  description: 'What the posts of all networks have.',
  interfaces: [Node],
  resolveType: postTypeOf,
  fields: (t) => ({
    id: t.id({
      description: 'Global id, scoped to the account that reads: accounts may see the same thing differently.',
      ...resolvedByType,
    }),
    providerId: t.id({ ...required('Id of the post on its network.'), ...resolvedByType }),
    text: t.string({ ...optional('Text of the post; null if it has none.'), ...resolvedByType }),
    author: t.field({
      type: NetworkAuthorInterface,
      ...required('The person or company who published the post.'),
      ...resolvedByType,
    }),
    reactionCount: t.float({ ...required('Number of reactions or likes.'), ...resolvedByType }),
    commentCount: t.float({ ...required('Number of comments.'), ...resolvedByType }),
    hasReacted: t.boolean({
      ...required('Whether the account that reads the post has reacted to it or liked it.'),
      ...resolvedByType,
    }),
  }),
});
