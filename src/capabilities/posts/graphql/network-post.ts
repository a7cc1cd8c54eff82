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
  description: 'A person or company that publishes posts.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global id for the reading account.',
      ...resolvedByType,
    }),
    providerId: t.id({ ...required('Id on the network.'), ...resolvedByType }),
    name: t.string({ ...required('Name; on photonet the username.'), ...resolvedByType }),
    profilePictureUrl: t.string({ ...optional('URL of the picture or logo.'), ...resolvedByType }),
    posts: t.field({
      type: PostConnection,
      nullable: true,
      description: 'Posts of the author.',
      args: postConnectionArgs,
      ...resolvedByType,
    }),
  }),
});

export const NetworkPostInterface = builder.interfaceRef<Post>('NetworkPost').implement({
  description: 'What posts of all networks have.',
  interfaces: [Node],
  resolveType: postTypeOf,
  fields: (t) => ({
    id: t.id({
      description: 'Global id for the reading account.',
      ...resolvedByType,
    }),
    providerId: t.id({ ...required('Id on the network.'), ...resolvedByType }),
    text: t.string({ ...optional('Text; null without any.'), ...resolvedByType }),
    author: t.field({
      type: NetworkAuthorInterface,
      ...required('Who published it.'),
      ...resolvedByType,
    }),
    reactionCount: t.float({ ...required('Reactions or likes.'), ...resolvedByType }),
    commentCount: t.float({ ...required('Comments.'), ...resolvedByType }),
    hasReacted: t.boolean({
      ...required('Whether the reading account has reacted to it.'),
      ...resolvedByType,
    }),
  }),
});
