/** The ordinary posts of pnet: who wrote one and where it stands in the list say all that is in it. */
import { type PnetPost, reactions } from '../../../posts/shapes.ts';
import { count, mix, pick } from '../seeded-random.ts';
import { relativeDate, writtenAt } from '../time.ts';
import { file, image } from './attachments.ts';
import { type PnetMember, pnetIdentifiers } from './identifiers.ts';
import { authorOf, isCompanyId, profileUrl } from './members.ts';
import { write } from './writing.ts';

/** The id of a post; `kind` tells ids of one place apart. Ids have 19 digits, too many for a number. */
export const postId = (serial: number, index: number, kind = 0): string =>
  `7${String(serial).padStart(4, '0')}${kind}${String(index).padStart(13, '0')}`;

const shareUrl = (socialId: string) => `https://www.pnet.example/feed/update/${socialId}`;

/** A post as it begins: its place in the list, a text, counters; nothing that a post need not have. */
export function plainPost(author: PnetMember, index: number, now: number, text: string): PnetPost {
  const { serial } = pnetIdentifiers[author];
  const seed = mix(serial, index);
  const instant = writtenAt(serial, index);
  const id = postId(serial, index);
  const reactionCount = count(mix(seed, 11), 2_400);
  const social_id = `urn:pnet:activity:${id}`;
  return {
    object: 'Post',
    provider: 'PNET',
    id,
    social_id,
    share_url: shareUrl(social_id),
    text,
    date: relativeDate(instant, now),
    parsed_datetime: new Date(instant).toISOString(),
    reaction_counter: reactionCount,
    comment_counter: count(mix(seed, 12), 180),
    repost_counter: count(mix(seed, 13), 90),
    // Most who see a post do nothing with it.
    impressions_counter: 4_000 + reactionCount * 10 + count(mix(seed, 14), 250_000),
    author: authorOf(author),
    permissions: { can_react: true, can_share: true, can_post_comments: true },
    is_repost: false,
    mentions: [],
    attachments: [],
  };
}

/** A post of the author's own, with what posts have now and then: a title, a picture, a mention, a reaction. */
export function ownPost(author: PnetMember, index: number, now: number): PnetPost {
  const seed = mix(pnetIdentifiers[author].serial, index);
  const { title, text } = write(seed);
  const post = plainPost(author, index, now, text);
  if (index % 7 === 3) post.title = title;
  if (index % 4 === 1) post.user_reacted = pick(reactions, seed);
  if (index % 5 === 2) post.attachments.push(image(`${post.id}-img`));
  if (index % 13 === 6) post.attachments.push(file(`${post.id}-file`));
  if (index % 6 === 4) mention(post, 'Thanks to ', author === 'ADoSandbox25' ? 'ACoSandbox100' : 'ADoSandbox25');
  if (isCompanyId(author)) addCompanyParts(post, seed);
  return post;
}

/** Ends the text with a mention. `start` and `length` count UTF-16 code units, as JavaScript's strings do. */
export function mention(post: PnetPost, before: string, member: PnetMember): void {
  const { name } = pnetIdentifiers[member];
  const start = post.text.length + '\n\n'.length + before.length;
  post.text += `\n\n${before}${name}.`;
  post.mentions.push({ url: profileUrl(member), start, length: name.length });
}

/** A company's posts are written by somebody, and it sees how they fare. */
function addCompanyParts(post: PnetPost, seed: number): void {
  const { id, public_identifier, name } = authorOf('ACoSandbox250');
  post.written_by = { id, public_identifier, name };
  const impressions = post.impressions_counter;
  const engagements = post.reaction_counter + post.comment_counter + post.repost_counter;
  const clicks = count(mix(seed, 15), 900);
  post.analytics = {
    impressions,
    engagements,
    engagement_rate: engagements / impressions,
    clicks,
    clickthrough_rate: clicks / impressions,
    page_viewers_from_this_post: count(mix(seed, 16), 300),
    followers_gained_from_this_post: count(mix(seed, 17), 40),
    members_reached: Math.floor(impressions * 0.7),
  };
}

/** Somebody else's post passed on as it is: it stays the author's, and tells by whom and as what it was passed on. */
export function repost(by: PnetMember, index: number, original: PnetPost): PnetPost {
  return {
    ...original,
    is_repost: true,
    repost_id: postId(pnetIdentifiers[by].serial, index, 1),
    reposted_by: authorOf(by),
  };
}

/** Somebody else's post passed on with words of one's own: the post is one's own, and the other is its content. */
export function repostWithWords(
  by: PnetMember,
  index: number,
  now: number,
  text: string,
  original: PnetPost,
): PnetPost {
  const { id, date, parsed_datetime, author, text: originalText } = original;
  return {
    ...repost(by, index, plainPost(by, index, now, text)),
    repost_content: { id, date, parsed_datetime, author, text: originalText },
  };
}
