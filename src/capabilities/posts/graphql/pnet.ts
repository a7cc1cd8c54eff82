import { listOf } from '../../../graphql/cost/weights.ts';
import { partType } from '../../../graphql/kit/builder.ts';
import { inheritMaxAge } from '../../../graphql/kit/cache-hint.ts';
import { contractEnum } from '../../../graphql/kit/enums.ts';
import { optional, required, requiredList } from '../../../graphql/kit/network-values.ts';
import { Node } from '../../../graphql/kit/node.ts';
import { readAt } from '../../../graphql/kit/wire.ts';
import type { PnetAuthor, PnetPost } from '../shapes.ts';
import { AttachmentObject } from './attachments.ts';
import { authorPostsField } from './list.ts';
import { NetworkAuthorInterface, NetworkPostInterface } from './network-post.ts';
import { AnalyticsObject, GroupObject, MentionObject, PollObject, WriterObject } from './pnet-parts.ts';
import { registerPosts } from './post-types.ts';
import { globalIdField, partField, type RawIdsOf, type ReadWith } from './reading-account.ts';

const ReactionEnum = contractEnum(
  'PnetReaction',
  'A reaction to a pnet post.',
  {
    LIKE: 'Like.',
    PRAISE: 'Praise.',
    APPRECIATION: 'Appreciation.',
    EMPATHY: 'Empathy.',
    INTEREST: 'Interest.',
    ENTERTAINMENT: 'Entertainment.',
  },
  { read: true },
);

const AuthorObject = partType<ReadWith<PnetAuthor>>('PnetAuthor', {
  description: 'A person or company on pnet.',
  interfaces: [Node, NetworkAuthorInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'PnetAuthor', key: 'id' }),
    providerId: t.exposeID('id', required('Id on pnet, for `identifier`.')),
    publicIdentifier: t.exposeString('public_identifier', required('Id in the URL of the profile.')),
    name: t.exposeString('name', required('Name.')),
    isCompany: t.exposeBoolean('is_company', required('Whether it is a company.')),
    headline: t.exposeString('headline', optional('Headline of the profile.')),
    profilePictureUrl: t.exposeString('profile_picture_url', optional('URL of the picture or logo.')),
    posts: authorPostsField(t, {
      description: 'Posts of the author.',
      isCompany: 'is_company',
    }),
  }),
});

const RepostContentObject = partType<ReadWith<NonNullable<PnetPost['repost_content']>>>('PnetRepostContent', {
  description: 'The original of a repost.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id on pnet.')),
    date: t.exposeString('date', required('Age as pnet shows it, such as `3d`.')),
    publishedAt: t.expose('parsed_datetime', {
      type: 'DateTime',
      ...required('When it was published.'),
    }),
    author: partField(t, 'author', { type: AuthorObject, ...required('Author.') }),
    text: t.exposeString('text', required('Text.')),
  }),
});

/** A repost has the id of its original, so its own id comes first; its list is that of the reposting author. */
const pnetPostIds = {
  key: 'id',
  ownedBy: { object: 'author', key: 'id' },
  preferred: { key: 'repost_id', ownedBy: { object: 'reposted_by', key: 'id' } },
} as const satisfies RawIdsOf<PnetPost>;

const permission = (key: keyof PnetPost['permissions'], description: string) =>
  readAt<boolean>({ exposed: key, within: 'permissions' }, required(description));

const PnetPostObject = registerPosts<PnetPost>({
  provider: 'PNET',
  type: 'PnetPost',
  ids: pnetPostIds,
  author: {
    type: 'PnetAuthor',
    in: ({ author, reposted_by, repost_content }) => [author, reposted_by, repost_content?.author],
    // Companies have ids of digits only, and are listed differently.
    isCompany: (authorId) => /^\d+$/.test(authorId),
  },
});

PnetPostObject.implement({
  description: 'A post on pnet.',
  extensions: inheritMaxAge,
  interfaces: [Node, NetworkPostInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'PnetPost', ...pnetPostIds }),
    providerId: t.exposeID('id', required('Id on pnet.')),
    socialId: t.exposeID('social_id', required('Id that comments and reactions refer to.')),
    url: t.exposeString('share_url', required('URL.')),
    title: t.exposeString('title', optional('Title, which most posts lack.')),
    text: t.exposeString('text', required('Text.')),
    date: t.exposeString('date', required('Age as pnet shows it, such as `3d`.')),
    publishedAt: t.expose('parsed_datetime', {
      type: 'DateTime',
      ...required('When it was published.'),
    }),
    reactionCount: t.exposeFloat('reaction_counter', required('Reactions.')),
    commentCount: t.exposeFloat('comment_counter', required('Comments.')),
    repostCount: t.exposeFloat('repost_counter', required('Reposts.')),
    impressionCount: t.exposeFloat('impressions_counter', required('Impressions.')),
    hasReacted: t.boolean(
      readAt<boolean>({ present: 'user_reacted' }, required('Whether the reading account has reacted.')),
    ),
    userReacted: t.expose('user_reacted', {
      type: ReactionEnum,
      ...optional('Reaction of the reading account; null without one.'),
    }),
    author: partField(t, 'author', { type: AuthorObject, ...required('Author.') }),
    writtenBy: t.expose('written_by', {
      type: WriterObject,
      ...optional('Who wrote it for a company.'),
    }),
    canReact: t.boolean(permission('can_react', 'Whether the reading account may react.')),
    canComment: t.boolean(permission('can_post_comments', 'Whether the reading account may comment.')),
    canShare: t.boolean(permission('can_share', 'Whether the reading account may share the post.')),
    isRepost: t.exposeBoolean('is_repost', required('Whether it is a repost.')),
    repostId: t.exposeID('repost_id', optional('Id of the repost on pnet.')),
    repostedBy: partField(t, 'reposted_by', {
      type: AuthorObject,
      ...optional('Who reposted the original.'),
    }),
    repostContent: partField(t, 'repost_content', {
      type: RepostContentObject,
      ...optional('The original of a repost.'),
    }),
    mentions: t.expose('mentions', {
      type: [MentionObject],
      ...requiredList('People and companies in the text.', listOf(3)),
    }),
    attachments: t.expose('attachments', {
      type: [AttachmentObject],
      ...requiredList('Images, files and the like.', listOf(3)),
    }),
    poll: t.expose('poll', { type: PollObject, ...optional('Poll.') }),
    group: t.expose('group', {
      type: GroupObject,
      ...optional('Group that it was published in.'),
    }),
    analytics: t.expose('analytics', {
      type: AnalyticsObject,
      ...optional('Performance, if the reading account may see it.'),
    }),
  }),
});
