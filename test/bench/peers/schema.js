/**
 * Postern's own schema over a plain executor, as a team would write it by hand: a resolver for each field whose name
 * differs, and a page that is read with `read`. Only posts can be asked for.
 */
import { readFileSync } from 'node:fs';

export const typeDefs = readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');

const globalId = (kind, ...parts) => Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url');

/** Fields whose name is not the wire's: `shareUrl` → `share_url`. */
const renamed = (...names) =>
  Object.fromEntries(
    names.map((name) => {
      const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [name, (value) => value[key]];
    }),
  );
const providerId = { providerId: ({ id }) => id };
const scalar = { serialize: (value) => value, parseValue: (value) => value };

const attachmentTypes = {
  img: 'ImageAttachment',
  video: 'VideoAttachment',
  audio: 'AudioAttachment',
  file: 'FileAttachment',
  pnet_post: 'SharedPostAttachment',
  video_meeting: 'VideoMeetingAttachment',
};
const attachment = { ...providerId, ...renamed('fileSize', 'urlExpiresAt') };

/** @param read reads a page: ({ accountId, identifier, first }, context) → the upstream's answer */
export const resolvers = (read) => ({
  Query: {
    posts: async (_root, args, context) => {
      const page = await read(args, context);
      return { items: page.items, next: page.cursor };
    },
  },
  PostConnection: {
    edges: ({ items, next }) => items.map((node, index) => ({ node, cursor: globalId('cursor', next, String(index)) })),
    nodes: ({ items }) => items,
    pageInfo: ({ items, next }) => ({
      hasNextPage: next !== null,
      hasPreviousPage: false,
      startCursor: globalId('cursor', next, '0'),
      endCursor: globalId('cursor', next, String(items.length)),
    }),
  },
  Post: { __resolveType: ({ provider }) => (provider === 'PNET' ? 'PnetPost' : 'PhotonetPost') },
  PnetPost: {
    ...providerId,
    id: ({ id }) => globalId('PnetPost', 'a', id),
    ...renamed('socialId', 'shareUrl', 'parsedDatetime', 'reactionCounter', 'commentCounter', 'repostCounter'),
    ...renamed('impressionsCounter', 'userReacted', 'writtenBy', 'isRepost', 'repostId', 'repostedBy', 'repostContent'),
  },
  PnetAuthor: {
    ...providerId,
    id: ({ id }) => globalId('PnetAuthor', 'a', id),
    ...renamed('publicIdentifier', 'isCompany', 'profilePictureUrl'),
  },
  PnetPostPermissions: renamed('canReact', 'canShare', 'canPostComments'),
  PnetRepostContent: { ...providerId, ...renamed('parsedDatetime') },
  PnetPoll: { ...providerId, ...renamed('isOpen', 'totalVotesCount') },
  PnetPollOption: { ...providerId, ...renamed('votesCount') },
  PnetPostAnalytics: renamed(
    ...[
      'engagementRate',
      'clickthroughRate',
      'pageViewersFromThisPost',
      'followersGainedFromThisPost',
      'membersReached',
    ],
  ),
  PnetPostAttachment: { __resolveType: ({ type }) => attachmentTypes[type] ?? 'UnknownAttachment' },
  ImageAttachment: attachment,
  DateTime: scalar,
});
