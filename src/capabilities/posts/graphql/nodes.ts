/**
 * Posts and authors by global id. The contract reads no single one, so each is looked for in the list where it was
 * found: the id of a post contains its author's. Nodes of one author share pages.
 */

import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { registerNode } from '../../../graphql/kit/node.ts';
import { type ErrorName, ServiceError } from '../../../kernel/errors.ts';
import type { SearchedPage } from '../search.ts';
import { type Post, postLimits } from '../shapes.ts';
import { connectPosts, type PostListArguments } from './list.ts';
import { networkOf, type PostNetwork, postNetworks } from './post-types.ts';
import { rawIdsOf, readWith } from './reading-account.ts';

/** Pages of an author searched for a post; the newest come first. */
const pagesOfPost = 3;
/** An author stands in each of its own posts, but a post may be someone else's repost. */
const postsOfAuthor = 10;

interface AuthorPosts {
  readonly accountId: string;
  readonly authorId: string;
  readonly network: PostNetwork;
}

/** Authors that one operation may search: each costs up to three pages of a hundred posts. */
export const maxAuthors = 25;

/** @throws ServiceError `limit_too_high` for an author too many */
function countAuthor(context: GraphQLContext, { accountId, authorId }: AuthorPosts): void {
  const { authors } = context.loaders.postSearch;
  authors.add(JSON.stringify([accountId, authorId]));
  if (authors.size <= maxAuthors) return;
  throw new ServiceError('limit_too_high', {
    detail: `One operation can look for posts and authors by id among the posts of at most ${maxAuthors} authors`,
  });
}

async function readSharedPage(context: GraphQLContext, list: PostListArguments): Promise<SearchedPage> {
  const { window, cursorOf } = await connectPosts(context, list);
  return {
    posts: window.items.flatMap((post) => (post instanceof Error ? [] : [post])),
    next: window.hasNextPage && window.end !== null ? cursorOf(window.end) : undefined,
  };
}

/** Shared by the nodes of an operation: hundreds may be searched for in the same posts. */
function sharedPage(context: GraphQLContext, list: PostListArguments): Promise<SearchedPage> {
  const { pages } = context.loaders.postSearch;
  const key = JSON.stringify(list);
  const page = pages.get(key) ?? readSharedPage(context, list);
  pages.set(key, page);
  return page;
}

const listOf = ({ accountId, authorId, network }: AuthorPosts, first: number): PostListArguments => ({
  accountId,
  identifier: authorId,
  isCompany: network.author.isCompany?.(authorId) || undefined,
  first,
});

async function findPost(context: GraphQLContext, posts: AuthorPosts, id: string): Promise<Post | null> {
  countAuthor(context, posts);
  const list = listOf(posts, postLimits.limit.max);
  let after: string | undefined;
  for (let pages = 0; pages < pagesOfPost; pages += 1) {
    const page = await sharedPage(context, { ...list, after });
    const found = page.posts.find((post) => rawIdsOf(post, posts.network.ids)?.at(-1) === id);
    if (found !== undefined) return found;
    if (page.next === undefined) return null;
    after = page.next;
  }
  return null;
}

async function findAuthor(context: GraphQLContext, posts: AuthorPosts): Promise<object | null> {
  const { network, authorId } = posts;
  countAuthor(context, posts);
  const page = await sharedPage(context, listOf(posts, postsOfAuthor));
  const ofNetwork = page.posts.filter((post) => networkOf(post) === network);
  const found = ofNetwork.flatMap(network.author.in).find((author) => author?.id === authorId);
  return found === undefined ? null : readWith(found, posts.accountId);
}

/** Null for invisible objects and foreign ids; an account that cannot read, or a failing network, is an error. */
async function nullIfNotFound<Found>(search: Promise<Found | null>): Promise<Found | null> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof ServiceError && isNotFound(error)) return null;
    throw error;
  }
}

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

// index.ts imports this file last, after every network has registered itself.
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
