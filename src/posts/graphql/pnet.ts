import { builder } from '../../graphql/builder.ts';
import { listOf } from '../../graphql/cost/weights.ts';
import { contractEnum } from '../../graphql/enums.ts';
import type { PnetAuthor, PnetPost } from '../shapes.ts';
import { PnetPostAttachmentInterface } from './attachments.ts';
import { connectPosts, PostConnection, postConnectionArgs } from './list.ts';
import {
  AnalyticsObject,
  GroupObject,
  MentionObject,
  PermissionsObject,
  PollObject,
  WriterObject,
} from './pnet-parts.ts';
import { registerPostType } from './post-types.ts';
import { accountOf, globalIdField, partField, type ReadWith } from './reading-account.ts';

const ReactionEnum = contractEnum(
  'PnetReaction',
  'A reaction to a pnet post.',
  {
    LIKE: 'Like.',
    PRAISE: 'Celebrate.',
    APPRECIATION: 'Support.',
    EMPATHY: 'Love.',
    INTEREST: 'Insightful.',
    ENTERTAINMENT: 'Funny.',
  },
  { read: true },
);

const AuthorObject = builder.objectRef<ReadWith<PnetAuthor>>('PnetAuthor').implement({
  description: 'A person or company that publishes posts on pnet.',
  fields: (t) => ({
    id: globalIdField(t, 'PnetAuthor', 'id'),
    providerId: t.exposeID('id', { description: 'Id of the author on pnet. Pass it to `posts` as `identifier`.' }),
    publicIdentifier: t.exposeString('public_identifier', {
      description: "Id of the author in the URL of the author's profile.",
    }),
    name: t.exposeString('name', { description: 'Name of the person or company.' }),
    isCompany: t.exposeBoolean('is_company', { description: 'Whether the author is a company.' }),
    headline: t.exposeString('headline', { nullable: true, description: 'Headline under the name on the profile.' }),
    profilePictureUrl: t.exposeString('profile_picture_url', {
      nullable: true,
      description: 'URL of the profile picture or logo.',
    }),
    posts: t.field({
      type: PostConnection,
      description: 'Posts of this author, read with the same account. Scope: `posts:read`.',
      args: postConnectionArgs,
      resolve: (author, args, context) =>
        connectPosts(context, {
          accountId: accountOf(author),
          identifier: author.id,
          // Sent for companies only: false is the contract's default.
          isCompany: author.is_company || undefined,
          ...args,
        }),
    }),
  }),
});

const RepostContentObject = builder
  .objectRef<ReadWith<NonNullable<PnetPost['repost_content']>>>('PnetRepostContent')
  .implement({
    description: 'The original post that a repost shares.',
    fields: (t) => ({
      providerId: t.exposeID('id', { description: 'Id of the original post on pnet.' }),
      date: t.exposeString('date', { description: 'Age of the original post as pnet displays it, such as `3d`.' }),
      parsedDatetime: t.expose('parsed_datetime', {
        type: 'DateTime',
        description: 'When the original post was published.',
      }),
      author: partField(t, 'author', { type: AuthorObject, description: 'The author of the original post.' }),
      text: t.exposeString('text', { description: 'Text of the original post.' }),
    }),
  });

registerPostType<PnetPost>('PNET', 'PnetPost').implement({
  description: 'A post on pnet, the professional network.',
  fields: (t) => ({
    id: globalIdField(t, 'PnetPost', 'id'),
    providerId: t.exposeID('id', { description: 'Id of the post on pnet.' }),
    socialId: t.exposeID('social_id', { description: 'Id that comments and reactions on the post refer to.' }),
    shareUrl: t.exposeString('share_url', { description: 'URL of the post.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title of the post. Most posts have none.' }),
    text: t.exposeString('text', { description: 'Text of the post.' }),
    date: t.exposeString('date', { description: 'Age of the post as pnet displays it, such as `3d`.' }),
    parsedDatetime: t.expose('parsed_datetime', { type: 'DateTime', description: 'When the post was published.' }),
    reactionCounter: t.expose('reaction_counter', { type: 'SafeInt', description: 'Number of reactions.' }),
    commentCounter: t.expose('comment_counter', { type: 'SafeInt', description: 'Number of comments.' }),
    repostCounter: t.expose('repost_counter', { type: 'SafeInt', description: 'Number of reposts.' }),
    impressionsCounter: t.expose('impressions_counter', { type: 'SafeInt', description: 'Number of impressions.' }),
    userReacted: t.expose('user_reacted', {
      type: ReactionEnum,
      nullable: true,
      description: 'Reaction of the account that reads the post; null if it has not reacted.',
    }),
    author: partField(t, 'author', { type: AuthorObject, description: 'The author of the post.' }),
    writtenBy: t.expose('written_by', {
      type: WriterObject,
      nullable: true,
      description: 'The person who wrote the post on behalf of a company.',
    }),
    permissions: t.expose('permissions', {
      type: PermissionsObject,
      description: 'What the account that reads the post may do with it.',
    }),
    isRepost: t.exposeBoolean('is_repost', { description: 'Whether the post is a repost of another post.' }),
    repostId: t.exposeID('repost_id', { nullable: true, description: 'Id of the repost on pnet.' }),
    repostedBy: partField(t, 'reposted_by', {
      type: AuthorObject,
      nullable: true,
      description: 'The person or company that reposted the original post.',
    }),
    repostContent: partField(t, 'repost_content', {
      type: RepostContentObject,
      nullable: true,
      description: 'The original post that a repost shares.',
    }),
    mentions: t.expose('mentions', {
      type: [MentionObject],
      extensions: listOf(3),
      description: 'People and companies mentioned in the text.',
    }),
    attachments: t.expose('attachments', {
      type: [PnetPostAttachmentInterface],
      extensions: listOf(3),
      description: 'Images, files and other attachments of the post.',
    }),
    poll: t.expose('poll', { type: PollObject, nullable: true, description: 'The poll in the post.' }),
    group: t.expose('group', {
      type: GroupObject,
      nullable: true,
      description: 'The group that the post was published in.',
    }),
    analytics: t.expose('analytics', {
      type: AnalyticsObject,
      nullable: true,
      description: 'Performance of the post, if the account that reads it may see it.',
    }),
  }),
});
