/** Parts that only mean something within a post. Those that lead to other posts are in pnet.ts. */

import { listOf } from '../../../graphql/cost/weights.ts';
import { partType } from '../../../graphql/kit/builder.ts';
import { optional, required, requiredList } from '../../../graphql/kit/network-values.ts';
import type { PnetPost } from '../shapes.ts';

type PostPart<Key extends keyof PnetPost> = NonNullable<PnetPost[Key]>;

export const WriterObject = partType<PostPart<'written_by'>>('PnetWriter', {
  description: 'The person who wrote a post on behalf of a company.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id of the person on pnet.')),
    publicIdentifier: t.exposeString(
      'public_identifier',
      required("Id of the person in the URL of the person's profile."),
    ),
    name: t.exposeString('name', required('Name of the person.')),
  }),
});

export const PermissionsObject = partType<PnetPost['permissions']>('PnetPostPermissions', {
  description: 'What the account that reads a post may do with it.',
  fields: (t) => ({
    canReact: t.exposeBoolean('can_react', required('Whether the account may react to the post.')),
    canShare: t.exposeBoolean('can_share', required('Whether the account may share the post.')),
    canPostComments: t.exposeBoolean('can_post_comments', required('Whether the account may comment on the post.')),
  }),
});

export const MentionObject = partType<PnetPost['mentions'][number]>('PnetMention', {
  description: 'A person or company mentioned in the text of a post.',
  fields: (t) => ({
    url: t.exposeString('url', required('URL of the profile of the person or company.')),
    start: t.exposeFloat(
      'start',
      required('Where the mention starts, in UTF-16 code units, as JavaScript counts: an emoji often has two.'),
    ),
    length: t.exposeFloat(
      'length',
      required('Length of the mention, in UTF-16 code units, as JavaScript counts: an emoji often has two.'),
    ),
  }),
});

const PollOptionObject = partType<PostPart<'poll'>['options'][number]>('PnetPollOption', {
  description: 'One option of a poll.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id of the option on pnet.')),
    text: t.exposeString('text', required('Text of the option.')),
    isWinner: t.exposeBoolean('win', required('Whether the option wins.')),
    voteCount: t.exposeFloat('votes_count', required('Number of votes for the option.')),
  }),
});

export const PollObject = partType<PostPart<'poll'>>('PnetPoll', {
  description: 'A poll in a post.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id of the poll on pnet.')),
    question: t.exposeString('question', required('Question of the poll.')),
    isOpen: t.exposeBoolean('is_open', required('Whether the poll still accepts votes.')),
    voteCount: t.exposeFloat('total_votes_count', required('Number of votes in total.')),
    options: t.expose('options', { type: [PollOptionObject], ...requiredList('Options to choose from.', listOf(4)) }),
  }),
});

export const GroupObject = partType<PostPart<'group'>>('PnetGroup', {
  description: 'The group that a post was published in.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id of the group on pnet.')),
    name: t.exposeString('name', required('Name of the group.')),
    isPrivate: t.exposeBoolean('private', required('Whether only members can see the group.')),
  }),
});

export const AnalyticsObject = partType<PostPart<'analytics'>>('PnetPostAnalytics', {
  description: 'Performance of a post. A figure is null if pnet does not share it with the account.',
  fields: (t) => ({
    impressionCount: t.exposeFloat('impressions', optional('Number of impressions.')),
    engagementCount: t.exposeFloat('engagements', optional('Number of engagements, as the network counts.')),
    engagementRate: t.exposeFloat('engagement_rate', optional('Rate of engagements, as the network computes it.')),
    clickCount: t.exposeFloat('clicks', optional('Number of clicks on the post.')),
    clickthroughRate: t.exposeFloat('clickthrough_rate', optional('Rate of clicks, as the network computes it.')),
    pageViewerCount: t.exposeFloat(
      'page_viewers_from_this_post',
      optional("Number of people who visited the author's page from the post."),
    ),
    gainedFollowerCount: t.exposeFloat(
      'followers_gained_from_this_post',
      optional('Number of followers that the author gained through the post.'),
    ),
    reachedMemberCount: t.exposeFloat('members_reached', optional('Number of members reached.')),
  }),
});
