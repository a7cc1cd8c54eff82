/**
 * Posts and authors by their global ids. The contract has no read of a single one, so each is looked for where it was
 * found: among the posts of the author, whose id is part of the id of a post. Nodes of one author share their pages.
 */

import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { registerNode } from '../../../graphql/kit/node.ts';
import { type ErrorName, ServiceError } from '../../../kernel/errors.ts';
import { type Post, postLimits } from '../shapes.ts';
import { connectPosts, type PostListArguments } from './list.ts';
import { networkOf, type PostNetwork, postNetworks } from './post-types.ts';
import { type ReadWith, rawIdsOf, readWith } from './reading-account.ts';

/** How much of an author's posts is read for one post. The newest come first. */
const pagesOfPost = 3;
/** An author stands in every post of its own, but a post may have been shared by another. */
const postsOfAuthor = 10;

interface AuthorPosts {
  readonly accountId: string;
  readonly authorId: string;
  readonly network: PostNetwork;
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
  author: AuthorPosts,
  first: number,
): AsyncGenerator<readonly ReadWith<Post>[]> {
  countAuthor(context, author);
  const { accountId, authorId, network } = author;
  const list = { accountId, identifier: authorId, isCompany: network.author.isCompany?.(authorId) || undefined, first };
  let after: string | undefined;
  do {
    const { posts, next } = await sharedPage(context, { ...list, after });
    yield posts;
    after = next;
  } while (after !== undefined);
}

async function findPost(context: GraphQLContext, posts: AuthorPosts, id: string): Promise<Post | null> {
  let pages = 0;
  for await (const page of pagesOf(context, posts, postLimits.limit.max)) {
    const found = page.find((post) => rawIdsOf(post, posts.network.ids)?.at(-1) === id);
    pages += 1;
    if (found !== undefined || pages === pagesOfPost) return found ?? null;
  }
  return null;
}

async function findAuthor(context: GraphQLContext, posts: AuthorPosts): Promise<object | null> {
  const { network, authorId } = posts;
  for await (const page of pagesOf(context, posts, postsOfAuthor)) {
    const ofNetwork = page.filter((post) => networkOf(post) === network);
    const found = ofNetwork.flatMap(network.author.in).find((author) => author?.id === authorId);
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

// After every network has registered itself: index.ts imports this file last.
for (const network of postNetworks()) {
  registerNode(
    network.type,
    ([accountId, authorId, id], context) => nullIfNotFound(findPost(context, { accountId, authorId, network }, id)),
    { rawIds: 3, type: network.type },
  );
  registerNode(
    network.author.type,
    ([accountId, authorId], context) => nullIfNotFound(findAuthor(context, { accountId, authorId, network })),
    { rawIds: 2, type: network.author.type },
  );
}
