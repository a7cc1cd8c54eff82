/** The operations of the benchmark. `$of` is another list, or another job, with every request. */

const author = 'id providerId publicIdentifier name isCompany headline profilePictureUrl';
export const pnetPost = `__typename ... on PnetPost {
  id providerId socialId url title text date publishedAt reactionCount commentCount repostCount
  impressionCount userReacted author { ${author} } writtenBy { providerId publicIdentifier name }
  canReact canShare canComment isRepost repostId repostedBy { ${author} }
  repostContent { providerId date publishedAt text author { ${author} } } mentions { url start length }
  attachments { type providerId isUnavailable mimetype fileSize url urlExpiresAt isSticker width height }
  poll { providerId question isOpen voteCount options { providerId text isWinner voteCount } } group { providerId name isPrivate }
  analytics { impressionCount engagementCount engagementRate clickCount clickthroughRate pageViewerCount gainedFollowerCount reachedMemberCount } }`;
const photonetPost = `__typename ... on PhotonetPost {
  id providerId caption { text isEdited hasTranslation createdAt } accessibilityCaption previewImage { url width height }
  video { url width height } hasAudio hasReacted reactionCount commentCount hasLikeAndViewCountsDisabled hasCommentsDisabled
  author { id providerId username profilePictureUrl isVerified isPrivate } location { name lat lng } }`;
export const threeFields = '... on PnetPost { id text author { name } }';
const postsOfAuthors = `... on PnetPost { id text author { name posts(first: 2) { nodes { ${threeFields} } } } }`;

const list = (first: number, fields: string) =>
  `posts(accountId: "a", identifier: $of, first: ${first}) { nodes { ${fields} } pageInfo { hasNextPage endCursor } }`;
const query = (fields: string) => `query ($of: String!) { ${fields} }`;

export interface Query {
  readonly title: string;
  readonly text: string;
  /** What names of lists and jobs begin with: the stub sends photonet's posts for `PHO`. Null if all requests are the same. */
  readonly prefix: string | null;
}

interface Operation extends Query {
  readonly prefix: string;
  /** Whether one call of the upstream answers it, so that a proxy does the same work. */
  readonly oneCall: boolean;
}

const ofPnet = { prefix: 'ACo', oneCall: true } as const;
const fiveAliases = ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: ${list(10, threeFields)}`).join(' ');

export const operations = {
  all: { title: 'all fields of 100 posts', text: query(list(100, pnetPost)), ...ofPnet },
  few: { title: '10 posts, three fields', text: query(list(10, threeFields)), ...ofPnet },
  aliases: { title: 'five aliases of one list', text: query(fiveAliases), ...ofPnet },
  photonet: {
    title: 'all fields of 100 photonet posts',
    text: query(list(100, photonetPost)),
    ...ofPnet,
    prefix: 'PHO',
  },
  nested: {
    title: 'a nested list: posts of the authors of 5 posts',
    text: query(list(5, postsOfAuthors)),
    ...ofPnet,
    oneCall: false,
  },
  mutation: {
    title: 'a mutation: editJob',
    text: `mutation ($of: ID!) { editJob(input: { accountId: "a", jobId: $of, posting: { workplace: REMOTE } }) { __typename ... on PnetJobPostingEdited { jobId } } }`,
    prefix: '40',
    oneCall: false,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Those whose allocation is measured: also one that is refused. */
export const allocating = {
  ...operations,
  refused: { text: query('nothing(of: $of)'), prefix: 'ACo' },
} as const satisfies Record<string, Pick<Operation, 'text' | 'prefix'>>;
