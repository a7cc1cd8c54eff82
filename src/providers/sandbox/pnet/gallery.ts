/** Posts that show, one by one, every feature of pnet posts. */
import { type PnetAttachment, type PnetPost, reactions } from '../../../capabilities/posts/shapes.ts';
import { day } from '../../../kernel/lib/time-units.ts';
import { epoch } from '../time.ts';
import {
  file,
  gif,
  image,
  lostImage,
  meeting,
  postReference,
  recording,
  sticker,
  video,
  voiceNote,
} from './attachments.ts';
import type { PnetMember } from './identifiers.ts';
import { authorOf } from './members.ts';
import { mention, ownPost, plainPost, repost, repostWithWords } from './post.ts';

interface GalleryPlace {
  readonly member: PnetMember;
  readonly index: number;
  readonly now: number;
}

const plain = ({ member, index, now }: GalleryPlace, text: string, more: Partial<PnetPost> = {}): PnetPost => ({
  ...plainPost(member, index, now, text),
  ...more,
});

function attached(place: GalleryPlace, text: string, ...create: ((id: string) => PnetAttachment)[]): PnetPost {
  const post = plain(place, text);
  post.attachments = create.map((attachment, at) => attachment(`${post.id}-${at}`));
  return post;
}

const meetingOf = (id: string) => meeting(id, epoch + 7 * day);
const referenceTo = (id: string) => postReference(id, ownPost('ADoSandbox25', 0, epoch).share_url);

const pnetVariants: readonly ((place: GalleryPlace) => PnetPost)[] = [
  (at) => plain(at, 'Only words, and a title above them.', { title: 'A post with a title' }),
  (at) => attached(at, 'A picture.', image),
  (at) => attached(at, 'Two pictures and a sticker.', image, image, sticker),
  (at) => attached(at, 'A picture that is gone.', lostImage),
  (at) => attached(at, 'A video, larger than 4 GiB.', video),
  (at) => attached(at, 'A moving picture.', gif),
  (at) => attached(at, 'A voice note.', voiceNote),
  (at) => attached(at, 'A recording.', recording),
  (at) => attached(at, 'A document.', file),
  (at) => attached(at, 'Another post.', referenceTo),
  (at) => attached(at, 'An invitation to a video meeting.', meetingOf),
  (at) =>
    attached(
      at,
      'Everything.',
      image,
      sticker,
      lostImage,
      video,
      gif,
      voiceNote,
      recording,
      file,
      referenceTo,
      meetingOf,
    ),
  (at) => plain(at, 'A poll that is still open.', { poll: poll(at.index, true) }),
  (at) => plain(at, 'A poll that is closed.', { poll: poll(at.index, false) }),
  ({ member, index, now }) => repost(member, index, ownPost('ACoSandbox100', 14, now)),
  ({ member, index, now }) =>
    repostWithWords(member, index, now, 'Read this, and then read it again.', ownPost('900043', 17, now)),
  mentions,
  (at) =>
    plain(at, 'Said in a group that all can read.', { group: { id: '8001', name: 'Robots & People', private: false } }),
  (at) =>
    plain(at, 'Said in a private group: no reactions, comments or shares from here.', {
      group: { id: '8002', name: 'Alumni 2019', private: true },
      permissions: { can_react: false, can_share: false, can_post_comments: false },
    }),
  (at) =>
    plain(at, 'Written by somebody else for me, with all figures.', {
      written_by: ghostWriter(),
      analytics: figures(),
    }),
  (at) => plain(at, 'With two of the figures only.', { analytics: { impressions: 1_200, members_reached: 870 } }),
  // A post may be only a picture, with an empty text.
  (at) => attached(at, '', image),
  (at) =>
    plain(
      at,
      'Ünïcödé: 日本語 · العربية · עברית · ไทย · e\u0301 · 👩🏽‍🚀👨‍👩‍👧‍👦🏳️‍🌈 · 𝔘 · “quotes” & <tags> · \ttab\nline',
      {
        title: 'Grüße aus 東京 🗼',
        reaction_counter: 0,
        comment_counter: 0,
        repost_counter: 0,
        impressions_counter: 0,
      },
    ),
  (at) =>
    plain(at, `A long post. ${'It goes on, because some posts do, and a list must bear it. '.repeat(45)}The end.`, {
      reaction_counter: 12_000_000,
      // Beyond 2^31, for clients that read counters as 32-bit integers.
      impressions_counter: 3_200_000_000,
    }),
];

/** The first six posts have a reaction each, all different. @throws RangeError beyond the gallery */
export function pnetGalleryPost(member: PnetMember, index: number, now: number): PnetPost {
  const create = pnetVariants[index];
  if (create === undefined)
    throw new RangeError(`the gallery has ${pnetVariants.length} posts, but post ${index} was asked for`);
  const post = create({ member, index, now });
  const reaction = reactions[index];
  if (reaction !== undefined) post.user_reacted = reaction;
  return post;
}

function poll(index: number, is_open: boolean): NonNullable<PnetPost['poll']> {
  const option = (at: number, text: string, votes_count: number, win: boolean) => ({
    id: `poll-${index}-${at}`,
    text,
    // No option wins while the poll is open.
    win: win && !is_open,
    votes_count,
  });
  return {
    id: `poll-${index}`,
    question: 'Where do you work best?',
    is_open,
    total_votes_count: 312,
    options: [
      option(1, 'At home', 140, true),
      option(2, 'In the office', 71, false),
      option(3, 'On a train 🚆', 101, false),
    ],
  };
}

/** Mentions after an emoji, which takes two UTF-16 code units: offsets count units, not characters. */
function mentions(place: GalleryPlace): PnetPost {
  const post = plain(place, '🎉 Two people and a company made this possible.');
  mention(post, 'First ', 'ACoSandbox250');
  mention(post, 'And 🥇 ', 'ACoSandbox100');
  mention(post, 'All of us at ', '900043');
  return post;
}

function ghostWriter(): NonNullable<PnetPost['written_by']> {
  const { id, public_identifier, name } = authorOf('ADoSandbox25');
  return { id, public_identifier, name };
}

const figures = (): NonNullable<PnetPost['analytics']> => ({
  impressions: 48_210,
  engagements: 1_930,
  engagement_rate: 0.04,
  clicks: 612,
  clickthrough_rate: 0.0127,
  page_viewers_from_this_post: 88,
  followers_gained_from_this_post: 17,
  members_reached: 30_415,
});
