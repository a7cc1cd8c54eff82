/** The sandbox's lists of pnet posts. */
import type { PnetPost } from '../../../capabilities/posts/shapes.ts';
import type { PostProvider } from '../../provider.ts';
import { pageOf } from '../listing.ts';
import { pick } from '../seeded-random.ts';
import { requireValidSession } from '../sessions.ts';
import { galleryPost } from './gallery.ts';
import { type PnetMember, type PnetRow, pnetIdentifiers } from './identifiers.ts';
import { isCompanyId, requireMember } from './members.ts';
import { ownPost, repost, repostWithWords } from './post.ts';

/** @param clock the time that the relative `date` of a post is counted from */
export const pnetPosts = (clock: () => Date): PostProvider => ({
  async listPosts(session, query, signal) {
    requireValidSession(session, signal);
    const member = requireMember(query.identifier, query.isCompany);
    const row: PnetRow = pnetIdentifiers[member];
    const now = clock().getTime();
    return pageOf(row, query, signal, (index) => postAt(row.content, member, index, now));
  },
});

function postAt(content: PnetRow['content'], member: PnetMember, index: number, now: number): PnetPost {
  switch (content) {
    case 'own':
      return isQuote(index) ? quote(member, index, now) : ownPost(member, index, now);
    case 'reposts':
      return repostAt(member, index, now);
    case 'gallery':
      return galleryPost(member, index, now);
    default:
      return content satisfies never;
  }
}

// Only near the top of a list: the quoted post must be older, and its author has no more than 43 posts.
const isQuote = (index: number) => index % 11 === 10 && index < 40;

function quote(member: PnetMember, index: number, now: number): PnetPost {
  const original = ownPost(isCompanyId(member) ? 'ACoSandbox250' : '900043', index + 1, now);
  return repostWithWords(member, index, now, 'This deserves more readers than it has. 👇', original);
}

/** In the order of their serials, so that alternating keeps the list in order. Their first ten posts are no quotes. */
const repostedAuthors = ['ACoSandbox250', 'ACoSandbox100', 'ADoSandbox25'] as const;

function repostAt(member: PnetMember, index: number, now: number): PnetPost {
  const original = Math.floor(index / repostedAuthors.length);
  return repost(member, index, ownPost(pick(repostedAuthors, index), original, now));
}
