/** Ordinary posts of pnet: author and position determine everything. */
import { type PnetAttachment, type PnetPost, reactions } from '../../../capabilities/posts/shapes.ts';
import { pick, seededHash, skewedCount } from '../seeded-random.ts';
import texts from '../texts.json' with { type: 'json' };
import { relativeDate, writtenAt } from '../time.ts';
import gallery from './gallery.json' with { type: 'json' };
import { type PnetMember, pnetIdentifiers } from './identifiers.ts';
import { authorOf, isCompanyId, profileUrl } from './members.ts';

/** `kind` distinguishes ids of one position. 19 digits, too many for a JavaScript number. */
const postId = (serial: number, index: number, kind = 0): string =>
  `7${String(serial).padStart(4, '0')}${kind}${String(index).padStart(13, '0')}`;

const shareUrl = (socialId: string) => `https://www.pnet.example/feed/update/${socialId}`;

/** Position, text and counters, and none of the optional fields. */
export function plainPost(author: PnetMember, index: number, now: number, text: string): PnetPost {
  const { serial } = pnetIdentifiers[author];
  const seed = seededHash(serial, index);
  const instant = writtenAt(serial, index);
  const id = postId(serial, index);
  const reactionCount = skewedCount(seededHash(seed, 11), 2_400);
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
    comment_counter: skewedCount(seededHash(seed, 12), 180),
    repost_counter: skewedCount(seededHash(seed, 13), 90),
    // Most people who see a post do not react.
    impressions_counter: 4_000 + reactionCount * 10 + skewedCount(seededHash(seed, 14), 250_000),
    author: authorOf(author),
    permissions: { can_react: true, can_share: true, can_post_comments: true },
    is_repost: false,
    mentions: [],
    attachments: [],
  };
}

/** Some have a title, a picture, a document, a mention or a reaction. */
export function ownPost(author: PnetMember, index: number, now: number): PnetPost {
  const seed = seededHash(pnetIdentifiers[author].serial, index);
  const post = plainPost(author, index, now, write(seed));
  if (index % 7 === 3) post.title = titleOf(seed);
  if (index % 4 === 1) post.user_reacted = pick(reactions, seed);
  if (index % 5 === 2) post.attachments.push(attachment('image', `${post.id}-img`));
  if (index % 13 === 6) post.attachments.push(attachment('file', `${post.id}-file`));
  if (index % 6 === 4) mention(post, 'Thanks to ', author === 'ADoSandbox25' ? 'ACoSandbox100' : 'ADoSandbox25');
  if (isCompanyId(author)) addCompanyParts(post, seed);
  return post;
}

/** Appends a mention; `start` and `length` count UTF-16 code units. */
export function mention(post: PnetPost, before: string, member: PnetMember): void {
  const { name } = pnetIdentifiers[member];
  const start = post.text.length + '\n\n'.length + before.length;
  post.text += `\n\n${before}${name}.`;
  post.mentions.push({ url: profileUrl(member), start, length: name.length });
}

/** Adds what only posts of companies have: author and analytics. */
function addCompanyParts(post: PnetPost, seed: number): void {
  const { id, public_identifier, name } = authorOf('ACoSandbox250');
  post.written_by = { id, public_identifier, name };
  const impressions = post.impressions_counter;
  const engagements = post.reaction_counter + post.comment_counter + post.repost_counter;
  const clicks = skewedCount(seededHash(seed, 15), 900);
  post.analytics = {
    impressions,
    engagements,
    engagement_rate: engagements / impressions,
    clicks,
    clickthrough_rate: clicks / impressions,
    page_viewers_from_this_post: skewedCount(seededHash(seed, 16), 300),
    followers_gained_from_this_post: skewedCount(seededHash(seed, 17), 40),
    members_reached: Math.floor(impressions * 0.7),
  };
}

/** A repost without words: the original, with id and author of the repost. */
export function repost(by: PnetMember, index: number, original: PnetPost): PnetPost {
  return {
    ...original,
    is_repost: true,
    repost_id: postId(pnetIdentifiers[by].serial, index, 1),
    reposted_by: authorOf(by),
  };
}

/** A repost with words: an own post with the original as `repost_content`. */
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

/** Texts combined from sentences of one topic. A word in braces is replaced by one of these. */
const words: Readonly<Record<string, readonly string[]>> = texts.words;

/** Equal seeds give equal texts. The seed alone chooses the words, so a post names one city and one team throughout. */
function write(seed: number): string {
  const { openings, middles, closings, tags } = topicOf(seed);
  const [opening, middle, closing, tag] = [openings, middles, closings, tags].map((list, place) =>
    pick(list, seededHash(seed, place + 1)),
  );
  return fillIn(`${opening}\n\n${middle} ${closing}\n\n${tag}`, seed);
}

const titleOf = (seed: number) => capital(fillIn(pick(topicOf(seed).titles, seededHash(seed, 5)), seed));

const topicOf = (seed: number) => pick(texts.topics, seed);

const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

const fillIn = (template: string, seed: number): string =>
  template.replace(/\{(\w+)\}/g, (slot, name: string) => {
    const list = words[name];
    return list === undefined ? slot : pick(list, seededHash(seed, name.length + name.charCodeAt(0)));
  });

export type AttachmentName = keyof typeof gallery.attachments;

/** A variant of attachments of pnet posts. */
export const attachment = (name: AttachmentName, id: string): PnetAttachment =>
  filled(gallery.attachments[name], '{id}', id);

/** A copy: posts belong to who asks for them. */
export const filled = (data: object, slot: string, value: string) =>
  JSON.parse(JSON.stringify(data).replaceAll(slot, value));
