import type { PhotonetPost } from '../../../capabilities/posts/shapes.ts';
import { type FailingRow, failing, type IdentifierRow, invalidRecipient } from '../listing.ts';

interface Named {
  /** The user's other identifier, in digits. */
  readonly providerId: string;
}

export interface PhotonetRow extends IdentifierRow, Named {
  readonly verified?: boolean;
  /** Pictures and videos, only videos, or one post for each feature of posts. */
  readonly content: 'mixed' | 'videos' | 'gallery';
}

/** Users by username; `providerId` works as well. Any other identifier is `errors/invalid_recipient`. */
export const photonetIdentifiers = {
  'sandbox.sixty': {
    description: 'A user with 60 posts: pictures and videos, with and without captions.',
    providerId: '5000000060',
    serial: 1,
    posts: 60,
    content: 'mixed',
    verified: true,
  },
  'sandbox.hundred': {
    description: 'A user with exactly 100 posts: one full page, the last.',
    providerId: '5000000100',
    serial: 2,
    posts: 100,
    content: 'mixed',
  },
  'sandbox.130': {
    description: 'A user with 130 posts: two pages.',
    providerId: '5000000130',
    serial: 3,
    posts: 130,
    content: 'mixed',
  },
  'sandbox.video': {
    description: 'A user with 12 posts, all of them videos.',
    providerId: '5000000012',
    serial: 4,
    posts: 12,
    content: 'videos',
  },
  'sandbox.gallery': {
    description: 'A user whose posts show every feature that a post can have or lack.',
    providerId: '5000000008',
    serial: 5,
    posts: 8,
    content: 'gallery',
    verified: true,
  },
  'sandbox.one': {
    description: 'A user with one post.',
    providerId: '5000000001',
    serial: 6,
    posts: 1,
    content: 'mixed',
  },
  'sandbox.empty': {
    description: 'A user without posts.',
    providerId: '5000000000',
    serial: 7,
    posts: 0,
    content: 'mixed',
  },
  'sandbox.slow': {
    description: 'A user with 12 posts; a page takes about 300 ms.',
    providerId: '5000000300',
    serial: 8,
    posts: 12,
    delayMs: 300,
    content: 'mixed',
  },
  'sandbox.breaks': {
    description: 'A user with 150 posts; a page that reaches beyond the first 100 is errors/provider_error.',
    providerId: '5000000150',
    serial: 9,
    posts: 150,
    failsFrom: 100,
    content: 'mixed',
  },

  'sandbox.private': {
    providerId: '5000000403',
    ...failing('user_unreachable', 'The user is private, and this account does not follow them.', 'A private user'),
  },
  'sandbox.gone': {
    providerId: '5000000404',
    ...failing(
      'invalid_recipient',
      'The user is no valid target: the account was deleted.',
      'A user who is no valid target',
    ),
  },
  'sandbox.unprocessable': {
    providerId: '5000000422',
    ...failing('unprocessable_entity', 'The network cannot process the request in its present form.'),
  },
  'sandbox.unreachable': {
    providerId: '5000000423',
    ...failing('provider_unreachable', 'The network cannot be reached at the moment.'),
  },
  'sandbox.error': { providerId: '5000000500', ...failing('provider_error', 'The network failed. Try again later.') },
  'sandbox.down': { providerId: '5000000503', ...failing('network_down', 'The network is down. Try again shortly.') },
  'sandbox.timeout': {
    description: 'errors/request_timeout, immediately.',
    providerId: '5000000504',
    fails: 'request_timeout',
    detail: 'The network did not respond in time. Try again; contact support if it persists.',
  },
} as const satisfies Readonly<Record<string, (PhotonetRow | FailingRow) & Named>>;

export interface PhotonetUser<Row = PhotonetRow | FailingRow> {
  readonly username: string;
  readonly row: Row;
}

/** By username and provider id. A map, because `constructor` is a well-formed username. */
const users: ReadonlyMap<string, PhotonetUser> = new Map(
  Object.entries(photonetIdentifiers).flatMap(([username, row]) => [
    [username, { username, row }],
    [row.providerId, { username, row }],
  ]),
);

/** @throws ServiceError `invalid_recipient` when there is no such user */
export function photonetUser(identifier: string): PhotonetUser {
  if (!/^[\w.]{1,30}$/.test(identifier)) {
    throw invalidRecipient(
      'The identifier must be a provider_id (digits) or a username (letters, digits, points, underscores).',
    );
  }
  const user = users.get(identifier);
  if (user === undefined) throw invalidRecipient('No user of the network has this identifier.');
  return user;
}

export const ownerOf = ({ username, row }: PhotonetUser<PhotonetRow>): PhotonetPost['owner'] => ({
  id: row.providerId,
  username,
  profile_pic_url: `https://cdn.photonet.example/profile/${row.providerId}.jpg`,
  is_verified: row.verified ?? false,
  // Posts of a private user cannot be listed, so an owner is never private.
  is_private: false,
});
