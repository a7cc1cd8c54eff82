import type { PnetPost } from '../../../capabilities/posts/shapes.ts';
import type { PostProvider } from '../../provider.ts';
import { listingPage } from '../listing.ts';
import { pick } from '../seeded-random.ts';
import { requireValidSession } from '../sessions.ts';
import { pnetGalleryPost } from './gallery.ts';
import { type PnetMember, type PnetRow, pnetIdentifiers } from './identifiers.ts';
import { isCompanyId, requireMember } from './members.ts';
import { ownPost, repost, repostWithWords } from './post.ts';

/** @param clock for the relative `date` of a post */
export const pnetPosts = (clock: () => Date): PostProvider => ({
  async listPosts(session, query, signal) {
    requireValidSession(session, signal);
    const member = requireMember(query.identifier, query.isCompany);
    const row: PnetRow = pnetIdentifiers[member];
    const now = clock().getTime();
    return listingPage(row, query, signal, (index) => pnetPostAt(row.content, member, index, now));
  },
});

function pnetPostAt(content: PnetRow['content'], member: PnetMember, index: number, now: number): PnetPost {
  switch (content) {
    case 'own':
      return isQuote(index) ? quotingPost(member, index, now) : ownPost(member, index, now);
    case 'reposts':
      return repostAt(member, index, now);
    case 'odd':
      return oddPost(member, index, now);
    case 'gallery':
      return pnetGalleryPost(member, index, now);
    default:
      return content satisfies never;
  }
}

/** What a service sends that is newer than its clients, or broken: one such post on each of the first two pages. */
function oddPost(member: PnetMember, index: number, now: number): PnetPost {
  const post = ownPost(member, index, now);
  if (index === 2) Object.assign(post, { provider: 'NEWNET' });
  if (index === 102) for (const required of ['author', 'text']) Reflect.deleteProperty(post, required);
  return post;
}

// Only near the top of a list: the quoted post must be older, and its author has at most 43 posts.
const isQuote = (index: number) => index % 11 === 10 && index < 40;

function quotingPost(member: PnetMember, index: number, now: number): PnetPost {
  const original = ownPost(isCompanyId(member) ? 'ACoSandbox250' : '900043', index + 1, now);
  return repostWithWords(member, index, now, 'This deserves more readers than it has. 👇', original);
}

/** By serial, so that alternating keeps the list in order. Their first ten posts are no quotes. */
const repostedAuthors = ['ACoSandbox250', 'ACoSandbox100', 'ADoSandbox25'] as const;

function repostAt(member: PnetMember, index: number, now: number): PnetPost {
  const original = Math.floor(index / repostedAuthors.length);
  return repost(member, index, ownPost(pick(repostedAuthors, index), original, now));
}
