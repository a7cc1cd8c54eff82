/** A shape of posts, added as the recipe of the documentation says. */
import type { Recipe } from './copy-of-source.ts';

/** A program whose network has posts of that shape: everybody there has five. */
export const program = `import { createGateway, optionsOf } from './src/app/gateway.ts';

const clip = (creator, place) => ({
  object: 'Post',
  provider: 'CLIPNET',
  clip_id: \`\${creator}-\${place}\`,
  title: \`Clip \${place}\`,
  uploaded: '2026-11-20T12:00:00.000Z',
  likes: place,
  replies: 0,
  creator: { id: creator, nick: \`nick of \${creator}\` },
});

const MICROBLOG = {
  async listPosts(_session, { identifier, cursor, limit }) {
    const start = Number(cursor ?? 0);
    const end = Math.min(start + limit, 5);
    const items = Array.from({ length: end - start }, (_, place) => clip(identifier, start + place));
    return { items, cursor: end === 5 ? null : String(end) };
  },
};

const gateway = await createGateway({ ...optionsOf(process.env), networks: { MICROBLOG } });
await gateway.listen();
`;

export const posts = {
  newFiles: {
    'src/capabilities/posts/graphql/clipnet.ts': `import { builder } from '../../../graphql/kit/builder.ts';
import { inheritMaxAge } from '../../../graphql/kit/cache-hint.ts';
import { optional, required } from '../../../graphql/kit/network-values.ts';
import { Node } from '../../../graphql/kit/node.ts';
import { readAt } from '../../../graphql/kit/wire.ts';
import type { ClipnetPost } from '../shapes.ts';
import { connectPosts, PostConnection, postConnectionArgs } from './list.ts';
import { NetworkAuthorInterface, NetworkPostInterface } from './network-post.ts';
import { registerPosts } from './post-types.ts';
import { accountOf, globalIdField, partField, type RawIdsOf, type ReadWith, requireRawId } from './reading-account.ts';

const CreatorObject = builder.objectRef<ReadWith<ClipnetPost['creator']>>('ClipnetCreator').implement({
  description: 'The clipnet user who published a clip.',
  extensions: inheritMaxAge,
  interfaces: [Node, NetworkAuthorInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'ClipnetCreator', key: 'id' }),
    providerId: t.exposeID('id', required('Id of the user on clipnet.')),
    name: t.exposeString('nick', required('Nickname.')),
    profilePictureUrl: t.string(readAt<null>({ constant: null }, optional('Always null.'))),
    posts: t.field({
      type: PostConnection,
      nullable: true,
      description: 'Clips of this user, read with the same account.',
      args: postConnectionArgs,
      resolve: (creator, args, context) =>
        connectPosts(context, { accountId: accountOf(creator), identifier: requireRawId(creator.id), ...args }),
    }),
  }),
});

const ids = { key: 'clip_id', ownedBy: { object: 'creator', key: 'id' } } as const satisfies RawIdsOf<ClipnetPost>;

const ClipnetPostObject = registerPosts<ClipnetPost>({
  provider: 'CLIPNET',
  type: 'ClipnetPost',
  ids,
  author: { type: 'ClipnetCreator', in: ({ creator }) => [creator] },
});

ClipnetPostObject.implement({
  description: 'A clip on clipnet.',
  extensions: inheritMaxAge,
  interfaces: [Node, NetworkPostInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'ClipnetPost', ...ids }),
    providerId: t.exposeID('clip_id', required('Id of the clip on clipnet.')),
    text: t.exposeString('title', required('Title of the clip.')),
    author: partField(t, 'creator', { type: CreatorObject, ...required('The user who published the clip.') }),
    publishedAt: t.expose('uploaded', { type: 'DateTime', ...required('When the clip was uploaded.') }),
    reactionCount: t.exposeFloat('likes', required('Number of likes.')),
    commentCount: t.exposeFloat('replies', required('Number of replies.')),
    hasReacted: t.boolean(readAt<boolean>({ present: 'liked_by_me' }, required('Whether the account likes the clip.'))),
  }),
});
`,
  },
  edits: {
    'src/capabilities/posts/shapes.ts': [
      [
        'export const postShape =',
        `export const clipnetPostShape = z.object({
  object: z.literal('Post'),
  provider: z.literal('CLIPNET'),
  clip_id: z.string(),
  title: z.string(),
  uploaded: z.string(),
  likes: z.number(),
  replies: z.number(),
  creator: z.object({ id: z.string(), nick: z.string() }),
});
export type ClipnetPost = z.infer<typeof clipnetPostShape>;

export const postShape =`,
      ],
      ['[pnetPostShape, photonetPostShape]', '[pnetPostShape, photonetPostShape, clipnetPostShape]'],
    ],
    'src/capabilities/posts/graphql/index.ts': [
      ["import './photonet.ts';", "import './photonet.ts';\nimport './clipnet.ts';"],
    ],
  },
} as const satisfies Recipe;
