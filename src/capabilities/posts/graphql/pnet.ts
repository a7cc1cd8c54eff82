import { listOf } from '../../../graphql/cost/weights.ts';
import { partType } from '../../../graphql/kit/builder.ts';
import { inheritMaxAge } from '../../../graphql/kit/cache-hint.ts';
import { contractEnum } from '../../../graphql/kit/enums.ts';
import { optional, required, requiredList } from '../../../graphql/kit/network-values.ts';
import { Node } from '../../../graphql/kit/node.ts';
import { readAt } from '../../../graphql/kit/wire.ts';
import type { PnetAuthor, PnetPost } from '../shapes.ts';
import { PnetPostAttachmentInterface } from './attachments.ts';
import { authorPostsField } from './list.ts';
import { NetworkAuthorInterface, NetworkPostInterface } from './network-post.ts';
import {
  AnalyticsObject,
  GroupObject,
  MentionObject,
  PermissionsObject,
  PollObject,
  WriterObject,
} from './pnet-parts.ts';
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
  description: 'A person or company that publishes posts on pnet.',
  interfaces: [Node, NetworkAuthorInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'PnetAuthor', key: 'id' }),
    providerId: t.exposeID('id', required('Id of the author on pnet. Pass it to `posts` as `identifier`.')),
    publicIdentifier: t.exposeString(
      'public_identifier',
      required("Id of the author in the URL of the author's profile."),
    ),
    name: t.exposeString('name', required('Name of the person or company.')),
    isCompany: t.exposeBoolean('is_company', required('Whether the author is a company.')),
    headline: t.exposeString('headline', optional('Headline under the name on the profile.')),
    profilePictureUrl: t.exposeString('profile_picture_url', optional('URL of the profile picture or logo.')),
    posts: authorPostsField(t, {
      description: 'Posts of this author, read with the same account.',
      isCompany: 'is_company',
    }),
  }),
});

const RepostContentObject = partType<ReadWith<NonNullable<PnetPost['repost_content']>>>('PnetRepostContent', {
  description: 'The original post that a repost shares.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id of the original post on pnet.')),
    date: t.exposeString('date', required('Age of the original post as pnet displays it, such as `3d`.')),
    publishedAt: t.expose('parsed_datetime', {
      type: 'DateTime',
      ...required('When the original post was published.'),
    }),
    author: partField(t, 'author', { type: AuthorObject, ...required('The author of the original post.') }),
    text: t.exposeString('text', required('Text of the original post.')),
  }),
});

/** A repost has the id of its original, so its own id comes first; its list is that of the reposting author. */
const pnetPostIds = {
  key: 'id',
  ownedBy: { object: 'author', key: 'id' },
  preferred: { key: 'repost_id', ownedBy: { object: 'reposted_by', key: 'id' } },
} as const satisfies RawIdsOf<PnetPost>;

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
  description: 'A post on pnet, the professional network.',
  extensions: inheritMaxAge,
  interfaces: [Node, NetworkPostInterface],
  fields: (t) => ({
    id: globalIdField(t, { kind: 'PnetPost', ...pnetPostIds }),
    providerId: t.exposeID('id', required('Id of the post on pnet.')),
    socialId: t.exposeID('social_id', required('Id that comments and reactions on the post refer to.')),
    url: t.exposeString('share_url', required('URL of the post.')),
    title: t.exposeString('title', optional('Title of the post. Most posts have none.')),
    text: t.exposeString('text', required('Text of the post.')),
    date: t.exposeString(
      'date',
      required('Age of the post as pnet displays it, such as `3d`. The time itself is `publishedAt`.'),
    ),
    publishedAt: t.expose('parsed_datetime', {
      type: 'DateTime',
      ...required('When the post was published.'),
    }),
    reactionCount: t.exposeFloat('reaction_counter', required('Number of reactions.')),
    commentCount: t.exposeFloat('comment_counter', required('Number of comments.')),
    repostCount: t.exposeFloat('repost_counter', required('Number of reposts.')),
    impressionCount: t.exposeFloat('impressions_counter', required('Number of impressions.')),
    hasReacted: t.boolean(
      readAt<boolean>({ present: 'user_reacted' }, required('Whether `userReacted` has a reaction.')),
    ),
    userReacted: t.expose('user_reacted', {
      type: ReactionEnum,
      ...optional('Reaction of the account that reads the post; null if it has not reacted.'),
    }),
    author: partField(t, 'author', { type: AuthorObject, ...required('The author of the post.') }),
    writtenBy: t.expose('written_by', {
      type: WriterObject,
      ...optional('The person who wrote the post on behalf of a company.'),
    }),
    permissions: t.expose('permissions', {
      type: PermissionsObject,
      ...required('What the account that reads the post may do with it.'),
    }),
    isRepost: t.exposeBoolean('is_repost', required('Whether the post is a repost of another post.')),
    repostId: t.exposeID('repost_id', optional('Id of the repost on pnet.')),
    repostedBy: partField(t, 'reposted_by', {
      type: AuthorObject,
      ...optional('The person or company that reposted the original post.'),
    }),
    repostContent: partField(t, 'repost_content', {
      type: RepostContentObject,
      ...optional('The original post that a repost shares.'),
    }),
    mentions: t.expose('mentions', {
      type: [MentionObject],
      ...requiredList('People and companies mentioned in the text.', listOf(3)),
    }),
    attachments: t.expose('attachments', {
      type: [PnetPostAttachmentInterface],
      ...requiredList('Images, files and other attachments of the post.', listOf(3)),
    }),
    poll: t.expose('poll', { type: PollObject, ...optional('The poll in the post.') }),
    group: t.expose('group', {
      type: GroupObject,
      ...optional('The group that the post was published in.'),
    }),
    analytics: t.expose('analytics', {
      type: AnalyticsObject,
      ...optional('Performance of the post, if the account that reads it may see it.'),
    }),
  }),
});
