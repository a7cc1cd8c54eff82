import { builder } from '../../graphql/builder.ts';
import { connectionComplexity } from '../../graphql/connection.ts';
import { contractEnum } from '../../graphql/enums.ts';
import { globalId } from '../../graphql/node.ts';
import type { PnetAuthor, PnetPost } from '../shapes.ts';
import { PnetPostAttachment } from './attachments.ts';
import { accountOf, connectPosts, PostConnection, partOf, postConnectionArgs } from './list.ts';
import { registerPostType } from './post-types.ts';

type Present<Key extends keyof PnetPost> = NonNullable<PnetPost[Key]>;

const Reaction = contractEnum(
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

const Author = builder.objectRef<PnetAuthor>('PnetAuthor').implement({
  description: 'A person or a company on pnet that publishes posts.',
  fields: (t) => ({
    id: t.id({
      description: 'Global id. What the reading account sees of an author is its own: so is the id.',
      resolve: (author) => globalId('PnetAuthor', accountOf(author), author.id),
    }),
    providerId: t.exposeID('id', { description: 'Internal id of the author on pnet: an `identifier` of `posts`.' }),
    publicIdentifier: t.exposeString('public_identifier', {
      description: "The id in the address of the author's page.",
    }),
    name: t.exposeString('name', { description: 'Name.' }),
    isCompany: t.exposeBoolean('is_company', { description: 'Whether it is a company.' }),
    headline: t.exposeString('headline', { nullable: true, description: 'The line under the name.' }),
    profilePictureUrl: t.exposeString('profile_picture_url', {
      nullable: true,
      description: 'Profile picture or logo.',
    }),
    posts: t.field({
      type: PostConnection,
      description: "The author's own posts, read with the same account. Scope: `posts:read`.",
      args: postConnectionArgs,
      complexity: connectionComplexity,
      resolve: (author, args, context) =>
        connectPosts(context, {
          accountId: accountOf(author),
          identifier: author.id,
          // Only said of companies: nothing is said where the contract's default says it.
          isCompany: author.is_company || undefined,
          ...args,
        }),
    }),
  }),
});

const Writer = builder.objectRef<Present<'written_by'>>('PnetWriter').implement({
  description: 'The person who wrote a post in the name of a company.',
  fields: (t) => ({
    providerId: t.exposeID('id', { description: 'Internal id of the person on pnet.' }),
    publicIdentifier: t.exposeString('public_identifier', {
      description: "The id in the address of the person's page.",
    }),
    name: t.exposeString('name', { description: 'Name.' }),
  }),
});

const Permissions = builder.objectRef<PnetPost['permissions']>('PnetPostPermissions').implement({
  description: 'What the reading account may do with a post.',
  fields: (t) => ({
    canReact: t.exposeBoolean('can_react', { description: 'Whether it may react.' }),
    canShare: t.exposeBoolean('can_share', { description: 'Whether it may share the post.' }),
    canPostComments: t.exposeBoolean('can_post_comments', { description: 'Whether it may comment.' }),
  }),
});

const RepostContent = builder.objectRef<Present<'repost_content'>>('PnetRepostContent').implement({
  description: 'The post that a repost shares.',
  fields: (t) => ({
    providerId: t.exposeID('id', { description: 'Id of the shared post on pnet.' }),
    date: t.exposeString('date', { description: 'When it was published, relative to now and for people: `3d`.' }),
    parsedDatetime: t.expose('parsed_datetime', { type: 'DateTime', description: 'When it was published.' }),
    author: t.field({ type: Author, description: 'Its author.', resolve: (shared) => partOf(shared, shared.author) }),
    text: t.exposeString('text', { description: 'Its text.' }),
  }),
});

const Mention = builder.objectRef<PnetPost['mentions'][number]>('PnetMention').implement({
  description: 'A person or company named in the text of a post.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Page of the person or company.' }),
    start: t.exposeInt('start', { description: 'Where the name starts in `text`, in UTF-16 code units.' }),
    length: t.exposeInt('length', { description: 'Length of the name, in UTF-16 code units.' }),
  }),
});

const PollOption = builder.objectRef<Present<'poll'>['options'][number]>('PnetPollOption').implement({
  description: 'One answer of a poll.',
  fields: (t) => ({
    providerId: t.exposeID('id', { description: 'Id of the option on pnet.' }),
    text: t.exposeString('text', { description: 'The answer.' }),
    win: t.exposeBoolean('win', { description: 'Whether it has the most votes.' }),
    votesCount: t.expose('votes_count', { type: 'SafeInt', description: 'How many votes it has.' }),
  }),
});

const Poll = builder.objectRef<Present<'poll'>>('PnetPoll').implement({
  description: 'A poll in a post.',
  fields: (t) => ({
    providerId: t.exposeID('id', { description: 'Id of the poll on pnet.' }),
    question: t.exposeString('question', { description: 'What is asked.' }),
    isOpen: t.exposeBoolean('is_open', { description: 'Whether votes are still taken.' }),
    totalVotesCount: t.expose('total_votes_count', { type: 'SafeInt', description: 'How many votes there are.' }),
    options: t.expose('options', { type: [PollOption], description: 'The answers to choose from.' }),
  }),
});

const Group = builder.objectRef<Present<'group'>>('PnetGroup').implement({
  description: 'The group that a post was published in.',
  fields: (t) => ({
    providerId: t.exposeID('id', { description: 'Id of the group on pnet.' }),
    name: t.exposeString('name', { description: 'Name of the group.' }),
    private: t.exposeBoolean('private', { description: 'Whether only members see it.' }),
  }),
});

const Analytics = builder.objectRef<Present<'analytics'>>('PnetPostAnalytics').implement({
  description: 'How a post did. Each figure is null where the network does not tell it to the reading account.',
  fields: (t) => ({
    impressions: t.expose('impressions', { type: 'SafeInt', nullable: true, description: 'How often it was shown.' }),
    engagements: t.expose('engagements', {
      type: 'SafeInt',
      nullable: true,
      description: 'Reactions, comments, shares and clicks together.',
    }),
    engagementRate: t.exposeFloat('engagement_rate', { nullable: true, description: 'Engagements per impression.' }),
    clicks: t.expose('clicks', { type: 'SafeInt', nullable: true, description: 'Clicks on the post.' }),
    clickthroughRate: t.exposeFloat('clickthrough_rate', { nullable: true, description: 'Clicks per impression.' }),
    pageViewersFromThisPost: t.expose('page_viewers_from_this_post', {
      type: 'SafeInt',
      nullable: true,
      description: "People who came to the author's page from this post.",
    }),
    followersGainedFromThisPost: t.expose('followers_gained_from_this_post', {
      type: 'SafeInt',
      nullable: true,
      description: 'Followers that it won.',
    }),
    membersReached: t.expose('members_reached', {
      type: 'SafeInt',
      nullable: true,
      description: 'How many different people it was shown to.',
    }),
  }),
});

registerPostType<PnetPost>('PNET', 'PnetPost').implement({
  description: 'A post on pnet, the professional network.',
  fields: (t) => ({
    id: t.id({
      description: 'Global id. What the reading account sees of a post is its own: so is the id.',
      resolve: (post) => globalId('PnetPost', accountOf(post), post.id),
    }),
    providerId: t.exposeID('id', { description: 'Id of the post on pnet.' }),
    socialId: t.exposeID('social_id', { description: 'What a comment or a reaction is added to.' }),
    shareUrl: t.exposeString('share_url', { description: 'Address of the post.' }),
    title: t.exposeString('title', { nullable: true, description: 'Title; most posts have none.' }),
    text: t.exposeString('text', { description: 'Text of the post.' }),
    date: t.exposeString('date', { description: 'When it was published, relative to now and for people: `3d`.' }),
    parsedDatetime: t.expose('parsed_datetime', { type: 'DateTime', description: 'When it was published.' }),
    reactionCounter: t.expose('reaction_counter', { type: 'SafeInt', description: 'How many reactions it has.' }),
    commentCounter: t.expose('comment_counter', { type: 'SafeInt', description: 'How many comments it has.' }),
    repostCounter: t.expose('repost_counter', { type: 'SafeInt', description: 'How often it was reposted.' }),
    impressionsCounter: t.expose('impressions_counter', { type: 'SafeInt', description: 'How often it was shown.' }),
    userReacted: t.expose('user_reacted', {
      type: Reaction,
      nullable: true,
      description: 'The reaction of the reading account; null where it has not reacted.',
    }),
    author: t.field({
      type: Author,
      description: 'Who published it.',
      resolve: (post) => partOf(post, post.author),
    }),
    writtenBy: t.expose('written_by', {
      type: Writer,
      nullable: true,
      description: 'Who wrote it in the name of a company.',
    }),
    permissions: t.expose('permissions', {
      type: Permissions,
      description: 'What the reading account may do with it.',
    }),
    isRepost: t.exposeBoolean('is_repost', { description: 'Whether it shares another post.' }),
    repostId: t.exposeID('repost_id', { nullable: true, description: 'Id of the republication.' }),
    repostedBy: t.field({
      type: Author,
      nullable: true,
      description: 'Who reposted it.',
      resolve: (post) => partOf(post, post.reposted_by),
    }),
    repostContent: t.field({
      type: RepostContent,
      nullable: true,
      description: 'The post that this one shares.',
      resolve: (post) => partOf(post, post.repost_content),
    }),
    mentions: t.expose('mentions', { type: [Mention], description: 'People and companies named in the text.' }),
    attachments: t.expose('attachments', { type: [PnetPostAttachment], description: 'What is attached.' }),
    poll: t.expose('poll', { type: Poll, nullable: true, description: 'The poll in it.' }),
    group: t.expose('group', { type: Group, nullable: true, description: 'The group it was published in.' }),
    analytics: t.expose('analytics', {
      type: Analytics,
      nullable: true,
      description: 'How it did, where the reading account may know.',
    }),
  }),
});
