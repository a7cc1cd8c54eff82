/**
 * Postern's own schema over a plain executor, as a team would write it by hand: a resolver for each field whose name
 * differs, a page that is read with `list`, and a job that is edited with `edit`. Nothing else can be asked for.
 */
import { readFileSync } from 'node:fs';

export const typeDefs = readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');

export const globalId = (kind, ...parts) => Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url');

/** Fields whose name is the wire's in camelCase: `socialId` → `social_id`. */
export const renamed = (...names) =>
  Object.fromEntries(
    names.map((name) => {
      const key = snakeCase(name);
      return [name, (value) => value[key]];
    }),
  );
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const publishedAt = ({ parsed_datetime }) => parsed_datetime;
const providerId = { providerId: ({ id }) => id };
const dateTime = {
  serialize: (value) => (typeof value === 'number' ? new Date(value).toISOString() : value),
  parseValue: (value) => value,
};

/**
 * @param client its methods return the upstream's answers: `list({ accountId, identifier, first }, context)`, and
 *   `edit(jobId, request, context)`
 */
export const resolvers = (client) => {
  const posts = async (args, context) => {
    const page = await client.list(args, context);
    return { items: page.items, next: page.cursor };
  };
  const postsOfAuthor = ({ id }, args, context) => posts({ ...args, accountId: 'a', identifier: id }, context);
  return {
    Query: { posts: (_root, args, context) => posts(args, context) },
    Mutation: {
      editJob: (_root, { input: { jobId, posting, ...input } }, context) =>
        client.edit(
          jobId,
          Object.fromEntries(Object.entries({ ...input, ...posting }).map(([name, value]) => [snakeCase(name), value])),
          context,
        ),
    },
    EditJobResult: { __resolveType: ({ object }) => object },
    PnetJobPostingEdited: renamed('jobId'),
    PostConnection: {
      edges: ({ items, next }) =>
        items.map((node, index) => ({ node, cursor: globalId('cursor', next, String(index)) })),
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
      id: ({ id, author }) => globalId('PnetPost', 'a', author.id, id),
      url: ({ share_url }) => share_url,
      publishedAt,
      reactionCount: ({ reaction_counter }) => reaction_counter,
      commentCount: ({ comment_counter }) => comment_counter,
      repostCount: ({ repost_counter }) => repost_counter,
      impressionCount: ({ impressions_counter }) => impressions_counter,
      canReact: ({ permissions }) => permissions.can_react,
      canComment: ({ permissions }) => permissions.can_post_comments,
      canShare: ({ permissions }) => permissions.can_share,
      ...renamed('socialId', 'userReacted', 'writtenBy', 'isRepost', 'repostId', 'repostedBy', 'repostContent'),
    },
    PnetAuthor: {
      ...providerId,
      id: ({ id }) => globalId('PnetAuthor', 'a', id),
      ...renamed('publicIdentifier', 'isCompany', 'profilePictureUrl'),
      posts: postsOfAuthor,
    },
    PnetRepostContent: { ...providerId, publishedAt },
    PnetPoll: { ...providerId, ...renamed('isOpen'), voteCount: ({ total_votes_count }) => total_votes_count },
    PnetPollOption: { ...providerId, voteCount: ({ votes_count }) => votes_count, isWinner: ({ win }) => win },
    PnetGroup: { ...providerId, isPrivate: (group) => group.private },
    PnetPostAnalytics: {
      impressionCount: ({ impressions }) => impressions,
      engagementCount: ({ engagements }) => engagements,
      clickCount: ({ clicks }) => clicks,
      pageViewerCount: ({ page_viewers_from_this_post }) => page_viewers_from_this_post,
      gainedFollowerCount: ({ followers_gained_from_this_post }) => followers_gained_from_this_post,
      reachedMemberCount: ({ members_reached }) => members_reached,
      ...renamed('engagementRate', 'clickthroughRate'),
    },
    PnetPostAttachment: {
      ...providerId,
      type: ({ type }) => type.toUpperCase(),
      isUnavailable: ({ unavailable }) => unavailable,
      ...renamed('fileSize', 'urlExpiresAt'),
      isSticker: ({ sticker }) => sticker,
      width: ({ size }) => size?.width,
      height: ({ size }) => size?.height,
    },
    PhotonetPost: {
      author: ({ owner }) => owner,
      reactionCount: ({ like_count }) => like_count,
      hasReacted: ({ has_liked }) => has_liked,
      id: ({ provider_id, owner }) => globalId('PhotonetPost', 'a', owner.id, provider_id),
      ...renamed('providerId', 'accessibilityCaption', 'previewImage', 'hasAudio', 'commentCount'),
      hasLikeAndViewCountsDisabled: ({ like_and_view_counts_disabled }) => like_and_view_counts_disabled,
      hasCommentsDisabled: ({ comments_disabled }) => comments_disabled,
    },
    PhotonetCaption: { ...renamed('hasTranslation', 'createdAt'), isEdited: ({ edited }) => edited },
    PhotonetAuthor: {
      ...providerId,
      id: ({ id }) => globalId('PhotonetAuthor', 'a', id),
      profilePictureUrl: ({ profile_pic_url }) => profile_pic_url,
      ...renamed('isVerified', 'isPrivate'),
      posts: postsOfAuthor,
    },
    DateTime: dateTime,
  };
};
