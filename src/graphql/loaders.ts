/** Loads of one request that are joined: equal ones are made once, and those of one tick go to the port together. */
import DataLoader from 'dataloader';
import type { Account } from '../accounts/shapes.ts';
import type { JobPosting } from '../jobs/shapes.ts';
import type { Asker } from '../operation.ts';
import { listPosts } from '../posts/operations.ts';
import type { PostList, PostListRequest } from '../posts/shapes.ts';
import type { Delivery, WebhookHealth } from '../webhooks/deliveries.ts';
import type { Webhook } from '../webhooks/shapes.ts';

export interface Loaders {
  readonly accounts: DataLoader<string, Account | null>;
  readonly jobs: DataLoader<string, JobPosting | null>;
  readonly webhooks: DataLoader<string, Webhook | null>;
  readonly webhookHealth: DataLoader<string, WebhookHealth | null>;
  readonly deliveries: DataLoader<string, Delivery | null>;
  /** Pages of posts. A page may come longer than it was asked for: another load wanted more of the same page. */
  readonly posts: DataLoader<PageOfPosts, PostList, string>;
}

/** A page of posts that is wanted; two of the same list at the same cursor are one read. */
export type PageOfPosts = PostListRequest & { readonly limit: number };

export function createLoaders(asker: Asker): Loaders {
  const { ports } = asker;
  return {
    accounts: new DataLoader((ids) => ports.accounts.find(asker, ids)),
    jobs: new DataLoader((ids) => ports.jobs.find(asker, ids)),
    webhooks: new DataLoader((ids) => ports.webhooks.find(asker, ids)),
    webhookHealth: new DataLoader((ids) => ports.deliveries.health(asker, ids)),
    deliveries: new DataLoader((ids) => ports.deliveries.find(asker, ids)),
    posts: new DataLoader((pages) => loadPages(asker, pages), {
      cacheKeyFn: (page) => `${page.limit} ${placeOf(page)}`,
    }),
  };
}

/** One read for each place in a list, as long as the longest page that is wanted from there. */
function loadPages(asker: Asker, pages: readonly PageOfPosts[]): Promise<(PostList | Error)[]> {
  const longest = new Map<string, PageOfPosts>();
  for (const page of pages) {
    const place = placeOf(page);
    if (page.limit > (longest.get(place)?.limit ?? 0)) longest.set(place, page);
  }
  const reads = new Map([...longest].map(([place, page]) => [place, listPosts(asker, page)]));
  return Promise.all(
    pages.map((page) => (reads.get(placeOf(page)) as Promise<PostList>).catch((error: Error) => error)),
  );
}

const placeOf = ({ account_id, identifier, is_company, cursor }: PageOfPosts): string =>
  JSON.stringify([account_id, identifier, is_company ?? false, cursor]);
