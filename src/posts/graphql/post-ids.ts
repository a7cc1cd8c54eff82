/** What the ids of posts are made of. */
import type { PhotonetPost, PnetPost } from '../shapes.ts';
import type { RawIdsOf } from './reading-account.ts';

/** A repost has the id of the original: it is told by its own id, and is found in the list of who reposted it. */
export const idsOfPnetPost = {
  key: 'id',
  ownedBy: { object: 'author', key: 'id' },
  preferred: { key: 'repost_id', ownedBy: { object: 'reposted_by', key: 'id' } },
} as const satisfies RawIdsOf<PnetPost>;

export const idsOfPhotonetPost = {
  key: 'provider_id',
  ownedBy: { object: 'owner', key: 'id' },
} as const satisfies RawIdsOf<PhotonetPost>;
