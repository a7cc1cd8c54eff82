/** The sandbox's lists of pnet posts. */
import type { PnetPost } from '../../../posts/shapes.ts';
import type { PostProvider } from '../../provider.ts';
import { pageOf, requireListed } from '../listing.ts';
import { enter } from '../sessions.ts';
import { galleryPost } from './gallery.ts';
import type { PnetMember, PnetRow } from './identifiers.ts';
import { isCompanyId, pnetRow } from './members.ts';
import { ownPost, repost, repostWithWords } from './post.ts';

/** @param clock says what "now" is for the relative `date` of a post */
export const pnetPosts = (clock: () => Date): PostProvider => ({
  async listPosts(session, query, signal) {
    enter(session, signal);
    const row = requireListed<PnetRow>(pnetRow(query.identifier, query.isCompany));
    // A row with posts is that of a member.
    const member = query.identifier as PnetMember;
    const now = clock().getTime();
    return pageOf(row, query, signal, (index) => postAt(row.content, member, index, now));
  },
});

function postAt(content: PnetRow['content'], member: PnetMember, index: number, now: number): PnetPost {
  switch (content) {
    case 'own':
      return isQuote(index) ? quote(member, index, now) : ownPost(member, index, now);
    case 'reposts':
      return passedOn(member, index, now);
    case 'gallery':
      return galleryPost(member, index, now);
    default:
      return content satisfies never;
  }
}

// Only near the top of a list: the post that is passed on must be older, and its author has no more than 43.
const isQuote = (index: number) => index % 11 === 10 && index < 40;

function quote(member: PnetMember, index: number, now: number): PnetPost {
  const original = ownPost(isCompanyId(member) ? 'ACoSandbox250' : '900043', index + 1, now);
  return repostWithWords(member, index, now, 'This deserves more readers than it has. 👇', original);
}

/** In the order of their serials, so that taking turns keeps the list in order; their first ten posts are their own. */
const passedOnAuthors = ['ACoSandbox250', 'ACoSandbox100', 'ADoSandbox25'] as const;

function passedOn(member: PnetMember, index: number, now: number): PnetPost {
  const turn = Math.floor(index / passedOnAuthors.length);
  const author = passedOnAuthors[index % passedOnAuthors.length] as PnetMember;
  return repost(member, index, ownPost(author, turn, now));
}
