/**
 * Posts that show, one by one, every feature of pnet posts. The data has what clients stumble over: a file and a counter
 * beyond 2^31, an empty text, a lost picture with only the fields that every attachment must have, text of many scripts.
 */
import { type PnetPost, reactions } from '../../../capabilities/posts/shapes.ts';
import gallery from './gallery.json' with { type: 'json' };
import type { PnetMember } from './identifiers.ts';
import {
  type AttachmentName,
  attachment,
  filled,
  mention,
  ownPost,
  plainPost,
  repost,
  repostWithWords,
} from './post.ts';

interface GalleryPost {
  readonly text?: string;
  readonly more?: Partial<PnetPost>;
  readonly attachments?: readonly AttachmentName[];
  readonly mentions?: readonly { readonly before: string; readonly id: PnetMember }[];
  readonly reposts?: { readonly of: PnetMember; readonly index: number };
}

// The compiler does not know words of JSON from texts.
const posts = gallery.posts as readonly GalleryPost[];

/** The first six posts have a reaction each, all different. @throws RangeError beyond the gallery */
export function pnetGalleryPost(member: PnetMember, index: number, now: number): PnetPost {
  const entry = posts[index];
  if (entry === undefined)
    throw new RangeError(`the gallery has ${posts.length} posts, but post ${index} was asked for`);
  const post = create(entry, member, index, now);
  const reaction = reactions[index];
  if (reaction !== undefined) post.user_reacted = reaction;
  return post;
}

function create({ text, reposts, more, ...entry }: GalleryPost, member: PnetMember, index: number, now: number) {
  if (reposts !== undefined) {
    const original = ownPost(reposts.of, reposts.index, now);
    return text === undefined ? repost(member, index, original) : repostWithWords(member, index, now, text, original);
  }
  const words = text?.replace(/\{([^{}]+) × (\d+)\}/, (_, sentence: string, times) => `${sentence} `.repeat(times));
  const post: PnetPost = {
    ...plainPost(member, index, now, words ?? ''),
    ...filled(more ?? {}, '{index}', `${index}`),
  };
  if (entry.attachments !== undefined) {
    post.attachments = entry.attachments.map((name, at) => attachment(name, `${post.id}-${at}`));
  }
  // After an emoji, which takes two UTF-16 code units: offsets count units, not characters.
  for (const { before, id } of entry.mentions ?? []) mention(post, before, id);
  return post;
}
