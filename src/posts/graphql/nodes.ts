/**
 * Posts and authors by their global ids. The contract has no read of a single one, so each is looked for where it was
 * found: among the posts of the author, whose id is part of the id of a post. Nodes of one author share their pages.
 */
import { type ErrorName, ServiceError } from '../../errors.ts';
import type { GraphQLContext } from '../../graphql/graphql-context.ts';
import { type IdKind, registerNode } from '../../graphql/node.ts';
import type { RawIdsOfKind } from '../../graphql/wire.ts';
import { type PhotonetPost, type PnetAuthor, type Post, postLimits } from '../shapes.ts';
import { connectPosts, type PostListArguments } from './list.ts';
import { idsOfPhotonetPost, idsOfPnetPost } from './post-ids.ts';
import { type ReadWith, rawIdsOf, readWith } from './reading-account.ts';

/** How much of an author's posts is read for one post. The newest come first. */
const pagesOfPost = 3;
/** An author stands in every post of its own, but a post may have been shared by another. */
const postsOfAuthor = 10;

/** Companies of pnet have ids of digits only, and are asked for as such. */
const isCompany = (kind: IdKind, authorId: string): boolean => kind.startsWith('Pnet') && /^\d+$/.test(authorId);

interface AuthorPosts {
  readonly accountId: string;
  readonly authorId: string;
  readonly kind: IdKind;
}

/** Authors whose posts one operation may look through: each costs up to three pages of a hundred posts. */
const maxAuthors = 25;

const authorsSearched = new WeakMap<GraphQLContext, Set<string>>();

/** @throws ServiceError `limit_too_high` for an author too many */
function countAuthor(context: GraphQLContext, { accountId, authorId }: AuthorPosts): void {
  const authors = authorsSearched.get(context) ?? new Set();
  authorsSearched.set(context, authors.add(JSON.stringify([accountId, authorId])));
  if (authors.size <= maxAuthors) return;
  throw new ServiceError('limit_too_high', {
    detail: `One operation can look for posts and authors by id among the posts of at most ${maxAuthors} authors`,
  });
}

interface PageOfPosts {
  readonly posts: readonly ReadWith<Post>[];
  /** The cursor of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
}

async function readPage(context: GraphQLContext, list: PostListArguments): Promise<PageOfPosts> {
  const { window, cursorOf } = await connectPosts(context, list);
  return {
    posts: window.items.flatMap(({ node }) => (node instanceof Error ? [] : [node])),
    next: window.hasNextPage && window.end !== null ? cursorOf(window.end) : undefined,
  };
}

const pagesSearched = new WeakMap<GraphQLContext, Map<string, Promise<PageOfPosts>>>();

/** A page that the nodes of one operation share: hundreds of them may be looked for among the same posts. */
function sharedPage(context: GraphQLContext, list: PostListArguments): Promise<PageOfPosts> {
  const pages = pagesSearched.get(context) ?? new Map<string, Promise<PageOfPosts>>();
  pagesSearched.set(context, pages);
  const key = JSON.stringify(list);
  const page = pages.get(key) ?? readPage(context, list);
  pages.set(key, page);
  return page;
}

async function* pagesOf(
  context: GraphQLContext,
  { accountId, authorId, kind }: AuthorPosts,
  first: number,
): AsyncGenerator<readonly ReadWith<Post>[]> {
  countAuthor(context, { accountId, authorId, kind });
  const list = { accountId, identifier: authorId, isCompany: isCompany(kind, authorId) || undefined, first };
  let after: string | undefined;
  do {
    const { posts, next } = await sharedPage(context, { ...list, after });
    yield posts;
    after = next;
  } while (after !== undefined);
}

async function findPost(
  context: GraphQLContext,
  posts: AuthorPosts,
  isWanted: (post: Post) => boolean,
): Promise<Post | null> {
  let pages = 0;
  for await (const page of pagesOf(context, posts, postLimits.limit.max)) {
    const found = page.find(isWanted);
    pages += 1;
    if (found !== undefined || pages === pagesOfPost) return found ?? null;
  }
  return null;
}

async function findAuthor<Author extends { readonly id: string }>(
  context: GraphQLContext,
  posts: AuthorPosts,
  authorsOf: (post: Post) => readonly (Author | undefined)[],
): Promise<Author | null> {
  for await (const page of pagesOf(context, posts, postsOfAuthor)) {
    const found = page.flatMap(authorsOf).find((author) => author?.id === posts.authorId);
    return found === undefined ? null : readWith(found, posts.accountId);
  }
  return null;
}

/**
 * Null for what the caller cannot see and for ids that this gateway did not write: `node` does not tell them apart. An
 * account that cannot read, and a network that fails, are errors.
 */
async function nullIfNotFound<Found>(search: Promise<Found | null>): Promise<Found | null> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof ServiceError && isNotFound(error)) return null;
    throw error;
  }
}

/** What the list says of an account, an author or an id that is not there. */
const meaningNotFound: ReadonlySet<ErrorName> = new Set([
  'resource_not_found',
  'invalid_resource_identifier',
  'wrong_account',
  'account_mismatch',
  'invalid_recipient',
  'unprocessable_entity',
  'invalid_parameters',
  'too_many_characters',
]);

const isNotFound = ({ errorName }: ServiceError): boolean => meaningNotFound.has(errorName);

function registerPost(kind: 'PnetPost' | 'PhotonetPost', ids: RawIdsOfKind) {
  const idOf = (post: Post) => rawIdsOf(post, ids)?.at(-1);
  registerNode(
    kind,
    ([accountId, authorId, id], context) =>
      nullIfNotFound(findPost(context, { accountId, authorId, kind }, (post) => idOf(post) === id)),
    { rawIds: 3, type: kind },
  );
}

function registerAuthor<Author extends { readonly id: string }>(
  kind: 'PnetAuthor' | 'PhotonetOwner',
  authorsOf: (post: Post) => readonly (Author | undefined)[],
) {
  registerNode(
    kind,
    ([accountId, authorId], context) => nullIfNotFound(findAuthor(context, { accountId, authorId, kind }, authorsOf)),
    { rawIds: 2, type: kind },
  );
}

registerPost('PnetPost', idsOfPnetPost);
registerPost('PhotonetPost', idsOfPhotonetPost);
registerAuthor<PnetAuthor>('PnetAuthor', (post) =>
  'author' in post ? [post.author, post.reposted_by, post.repost_content?.author] : [],
);
registerAuthor<PhotonetPost['owner']>('PhotonetOwner', (post) => ('owner' in post ? [post.owner] : []));
