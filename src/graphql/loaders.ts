/**
 * Loaders: within one request, equal reads run once, and the by-id reads of one tick reach the port together.
 *
 * Equal reads are joined in two places, which do not replace each other:
 * 1. Here, per request and for every backend. The posts of a page may be by one author, whose own posts are then one
 *    read, even if one field selects `first: 5` and another `first: 50`: the longest page serves both, so a page may be
 *    longer than requested. All fields of a request see the same state of a list.
 * 2. In upstream/single-flight.ts, per API key and across requests, while a call is in flight: a hundred tabs that open
 *    the same list at once are one call to the service. It joins identical HTTP requests and knows nothing of lengths.
 */
import DataLoader from 'dataloader';
import { findAccounts } from '../accounts/operations.ts';
import type { Account } from '../accounts/shapes.ts';
import { findDeliveries } from '../deliveries/operations.ts';
import type { Delivery } from '../deliveries/shapes.ts';
import { findJobs } from '../jobs/operations.ts';
import type { JobPosting } from '../jobs/shapes.ts';
import { type Operation, run } from '../operation.ts';
import { longestPages } from '../paging.ts';
import type { Ports } from '../ports.ts';
import { listPosts } from '../posts/operations.ts';
import type { PostList, PostListRequest } from '../posts/shapes.ts';
import type { RequestContext } from '../request-context.ts';
import { findWebhookHealth, findWebhooks } from '../webhooks/operations.ts';
import type { Webhook, WebhookHealth } from '../webhooks/shapes.ts';

/** Each loader runs an operation, so that no by-id read bypasses its scope. Null stands for what the key cannot see. */
export interface Loaders {
  readonly accounts: DataLoader<string, Account | null>;
  readonly jobs: DataLoader<string, JobPosting | null>;
  readonly webhooks: DataLoader<string, Webhook | null>;
  readonly webhookHealth: DataLoader<string, WebhookHealth | null>;
  readonly deliveries: DataLoader<string, Delivery | null>;
  /** Pages of posts. A page may be longer than requested. */
  readonly posts: DataLoader<PageOfPosts, PostList, string>;
}

/** A page of posts to read. Two pages of the same list at the same cursor are one read. */
export type PageOfPosts = PostListRequest & { readonly limit: number };

export function createLoaders(ports: Ports, context: RequestContext): Loaders {
  const batched = <Item>(operation: Operation<readonly string[], (Item | Error | null)[]>) =>
    new DataLoader<string, Item | null>((ids) => run(operation, ports, context, ids));
  return {
    accounts: batched(findAccounts),
    jobs: batched(findJobs),
    webhooks: batched(findWebhooks),
    webhookHealth: batched(findWebhookHealth),
    deliveries: batched(findDeliveries),
    posts: new DataLoader((pages) => loadPages(ports, context, pages), {
      cacheKeyFn: (page) => `${page.limit} ${placeOf(page)}`,
    }),
  };
}

/** One read for each place in a list, of the longest page that starts there. */
function loadPages(
  ports: Ports,
  context: RequestContext,
  pages: readonly PageOfPosts[],
): Promise<(PostList | Error)[]> {
  // The connection has checked scope and shape (see connection.ts), so only the port method is called.
  const read = listPosts.method(ports);
  const reads = new Map(
    [...longestPages(pages, placeOf)].map(([place, page]) => [
      place,
      read(context, page).catch((error: Error) => error),
    ]),
  );
  return Promise.all(pages.map((page) => reads.get(placeOf(page)) ?? new Error('No read was made for a page')));
}

const placeOf = ({ account_id, identifier, is_company, cursor }: PageOfPosts): string =>
  JSON.stringify([account_id, identifier, is_company ?? false, cursor]);
