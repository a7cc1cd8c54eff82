/** Parts that only mean something within a post. Those that lead to other posts are in pnet.ts. */

import { listOf } from '../../../graphql/cost/weights.ts';
import { partType } from '../../../graphql/kit/builder.ts';
import { optional, required, requiredList } from '../../../graphql/kit/network-values.ts';
import type { PnetPost } from '../shapes.ts';

type PostPart<Key extends keyof PnetPost> = NonNullable<PnetPost[Key]>;

export const WriterObject = partType<PostPart<'written_by'>>('PnetWriter', {
  description: 'Who wrote a post for a company.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id on pnet.')),
    publicIdentifier: t.exposeString('public_identifier', required('Id in the URL of the profile.')),
    name: t.exposeString('name', required('Name.')),
  }),
});

export const MentionObject = partType<PnetPost['mentions'][number]>('PnetMention', {
  description: 'A person or company mentioned in a text.',
  fields: (t) => ({
    url: t.exposeString('url', required('URL of the profile.')),
    start: t.exposeFloat('start', required('Start in UTF-16 code units, as in JavaScript.')),
    length: t.exposeFloat('length', required('Length in UTF-16 code units, as in JavaScript.')),
  }),
});

const PollOptionObject = partType<PostPart<'poll'>['options'][number]>('PnetPollOption', {
  description: 'One option of a poll.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id on pnet.')),
    text: t.exposeString('text', required('Text.')),
    isWinner: t.exposeBoolean('win', required('Whether it wins.')),
    voteCount: t.exposeFloat('votes_count', required('Votes.')),
  }),
});

export const PollObject = partType<PostPart<'poll'>>('PnetPoll', {
  description: 'A poll in a post.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id on pnet.')),
    question: t.exposeString('question', required('Question.')),
    isOpen: t.exposeBoolean('is_open', required('Whether it still accepts votes.')),
    voteCount: t.exposeFloat('total_votes_count', required('Votes in total.')),
    options: t.expose('options', { type: [PollOptionObject], ...requiredList('Options to choose from.', listOf(4)) }),
  }),
});

export const GroupObject = partType<PostPart<'group'>>('PnetGroup', {
  description: 'A group on pnet.',
  fields: (t) => ({
    providerId: t.exposeID('id', required('Id on pnet.')),
    name: t.exposeString('name', required('Name.')),
    isPrivate: t.exposeBoolean('private', required('Whether only members see it.')),
  }),
});

export const AnalyticsObject = partType<PostPart<'analytics'>>('PnetPostAnalytics', {
  description: 'Performance of a post; null where the account may not see it.',
  fields: (t) => ({
    impressionCount: t.exposeFloat('impressions', optional('Impressions.')),
    engagementCount: t.exposeFloat('engagements', optional('Engagements.')),
    engagementRate: t.exposeFloat('engagement_rate', optional('Engagement rate, as the network computes it.')),
    clickCount: t.exposeFloat('clicks', optional('Clicks.')),
    clickthroughRate: t.exposeFloat('clickthrough_rate', optional('Click rate, as the network computes it.')),
    pageViewerCount: t.exposeFloat(
      'page_viewers_from_this_post',
      optional("Visitors of the author's page from the post."),
    ),
    gainedFollowerCount: t.exposeFloat(
      'followers_gained_from_this_post',
      optional('Followers gained through the post.'),
    ),
    reachedMemberCount: t.exposeFloat('members_reached', optional('Members reached.')),
  }),
});
