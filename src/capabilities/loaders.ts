/**
 * Loaders: within one request, equal reads by id and equal reads of a network run once, and the reads of one tick reach
 * the port together.
 *
 * Equal reads are joined in two places, which do not replace each other:
 * 1. Here, per request and for every backend. The posts of a page may be by one author, whose own posts are then one
 *    read, even if one field selects `first: 5` and another `first: 50`: the longest page serves both, so a page may be
 *    longer than requested. All fields of a request see the same state of a list.
 * 2. In upstream/single-flight.ts, per API key and across requests, while a call is in flight: a hundred tabs that open
 *    the same list at once are one call to the service. It joins identical HTTP requests and knows nothing of lengths.
 *
 * Lists of our own database are not joined: each page has a cursor of its own, which rows that come meanwhile do not move.
 */
import DataLoader from 'dataloader';
import { entriesOf } from '../kernel/lib/objects.ts';
import { type Operation, run } from '../kernel/operation.ts';
import { type ListSize, type Page, readLongest } from '../kernel/paging.ts';
import type { Ports } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { countAccounts, findAccounts } from './accounts/operations.ts';
import {
  countDeliveries,
  findDeliveries,
  findEvents,
  findLastAttempts,
  readBacklogs,
  readDataOfEvents,
  readEventData,
  readStatistics,
} from './deliveries/operations.ts';
import type { DeliveryListRequest, StatisticsRequest, WebhookStatistics } from './deliveries/shapes.ts';
import { countJobs, findJobs, readJobFields } from './jobs/operations.ts';
import type { JobFields, JobPageRequest } from './jobs/shapes.ts';
import { listPosts } from './posts/operations.ts';
import { PostSearch } from './posts/search.ts';
import type { PostList, PostListRequest } from './posts/shapes.ts';
import type { WebhookSearch } from './webhooks/filter.ts';
import { countWebhooks, findWebhookHealth, findWebhooks, readWebhooks } from './webhooks/operations.ts';

interface FieldOfJob {
  readonly jobId: string;
  readonly field: keyof JobFields;
}

interface StatisticsOfWebhook {
  readonly webhookId: string;
  readonly period: StatisticsRequest['period'];
}

/** A page of posts to read. Two pages of the same list at the same cursor are one read. */
type PageOfPosts = PostListRequest & { readonly limit: number };

type Make<Loader> = (ports: Ports, context: RequestContext) => Loader;

const batched =
  <Item>(operation: Operation<readonly string[], (Item | Error | null)[]>): Make<DataLoader<string, Item | null>> =>
  (ports, context) =>
    new DataLoader((ids) => run(operation, ports, context, ids));

/** Nothing is remembered: a list may be read before and after a mutation. */
const countedLists =
  <Filter>(operation: Operation<Filter[], (ListSize | Error)[]>): Make<DataLoader<Filter, ListSize>> =>
  (ports, context) =>
    new DataLoader((filters) => run(operation, ports, context, filters), { cache: false });

/** The connection has checked scope and shape (see connection.ts), so only the port method is called. */
const paged =
  <Request, Item>(
    lists: (ports: Ports, context: RequestContext, requests: readonly Request[]) => Promise<(Page<Item> | Error)[]>,
  ): Make<DataLoader<Request, Page<Item>>> =>
  (ports, context) =>
    new DataLoader((requests) => lists(ports, context, requests), { cache: false });

/** Each loader runs an operation, so that no by-id read bypasses its scope. Null stands for what the key cannot see. */
const makers = {
  accounts: batched(findAccounts),
  jobs: batched(findJobs),
  jobFields: (ports: Ports, context: RequestContext) =>
    new DataLoader<FieldOfJob, JobFields | null, string>((wanted) => loadJobFields(ports, context, wanted), {
      cacheKeyFn: ({ jobId, field }) => `${jobId} ${field}`,
    }),
  webhooks: batched(findWebhooks),
  wholeWebhooks: batched(readWebhooks),
  webhookHealth: batched(findWebhookHealth),
  deliveries: batched(findDeliveries),
  eventData: batched(readEventData),
  accountEvents: batched(findEvents),
  dataOfEvents: batched(readDataOfEvents),
  lastAttempts: batched(findLastAttempts),
  backlogs: batched(readBacklogs),
  statistics: (ports: Ports, context: RequestContext) =>
    new DataLoader<StatisticsOfWebhook, WebhookStatistics | null, string>(
      (wanted) => loadStatistics(ports, context, wanted),
      { cacheKeyFn: ({ webhookId, period }) => `${webhookId} ${period}` },
    ),
  // Pages, and sizes, of lists: each statement is of all that are read in one tick.
  accountCounts: countedLists(countAccounts),
  jobPages: paged(({ jobs }, context, requests: readonly JobPageRequest[]) => jobs.lists(context, requests)),
  jobCounts: countedLists(countJobs),
  webhookPages: paged(({ webhooks }, context, requests: readonly WebhookSearch[]) => webhooks.lists(context, requests)),
  webhookCounts: countedLists(countWebhooks),
  deliveryPages: paged(({ deliveries }, context, requests: readonly DeliveryListRequest[]) =>
    deliveries.lists(context, requests),
  ),
  deliveryCounts: countedLists(countDeliveries),
  // A page may be longer than requested.
  posts: (ports: Ports, context: RequestContext) =>
    new DataLoader<PageOfPosts, PostList, string>((pages) => loadPages(ports, context, pages), {
      cacheKeyFn: (page) => `${page.limit} ${pageKey(page)}`,
    }),
  postSearch: () => new PostSearch(),
} as const satisfies Record<string, Make<unknown>>;

export type Loaders = { readonly [Name in keyof typeof makers]: ReturnType<(typeof makers)[Name]> };

/** Has those that were asked for: all together would be a tenth of what a mutation allocates. */
class LoadersOfRequest {
  readonly #ports: Ports;
  readonly #context: RequestContext;

  constructor(ports: Ports, context: RequestContext) {
    this.#ports = ports;
    this.#context = context;
  }

  static {
    for (const [name, make] of entriesOf(makers)) {
      Object.defineProperty(LoadersOfRequest.prototype, name, {
        get(this: LoadersOfRequest) {
          const value = make(this.#ports, this.#context);
          Object.defineProperty(this, name, { value, enumerable: true });
          return value;
        },
      });
    }
  }
}

// The compiler does not see the properties of the table.
export const createLoaders = (ports: Ports, context: RequestContext): Loaders =>
  new LoadersOfRequest(ports, context) as unknown as Loaders;

/** One read for each set of fields: those of one list are selected alike. */
async function loadJobFields(
  ports: Ports,
  context: RequestContext,
  wanted: readonly FieldOfJob[],
): Promise<(JobFields | null)[]> {
  const fieldsOf = [...Map.groupBy(wanted, ({ jobId }) => jobId)].map(
    ([jobId, ofJob]) => [jobId, ofJob.map(({ field }) => field)] as const,
  );
  const found = new Map<string, JobFields | null>();
  for (const alike of Map.groupBy(fieldsOf, ([, fields]) => fields.join()).values()) {
    const job_ids = alike.map(([jobId]) => jobId);
    const fields = alike[0]?.[1] ?? [];
    const read = await run(readJobFields, ports, context, { job_ids, fields });
    for (const [place, jobId] of job_ids.entries()) found.set(jobId, read[place] ?? null);
  }
  return wanted.map(({ jobId }) => found.get(jobId) ?? null);
}

/** One read for each period. */
async function loadStatistics(
  ports: Ports,
  context: RequestContext,
  wanted: readonly StatisticsOfWebhook[],
): Promise<(WebhookStatistics | Error | null)[]> {
  const found = new Map<StatisticsOfWebhook, WebhookStatistics | null>();
  for (const [period, ofPeriod] of Map.groupBy(wanted, (each) => each.period)) {
    const webhook_ids = ofPeriod.map(({ webhookId }) => webhookId);
    const statistics = await run(readStatistics, ports, context, { webhook_ids, period });
    for (const [place, each] of ofPeriod.entries()) found.set(each, statistics[place] ?? null);
  }
  return wanted.map((each) => found.get(each) ?? null);
}

const loadPages = (
  ports: Ports,
  context: RequestContext,
  pages: readonly PageOfPosts[],
): Promise<(PostList | Error)[]> => readLongest(pages, pageKey, (page) => listPosts.method(ports)(context, page));

const pageKey = ({ account_id, identifier, is_company, cursor }: PageOfPosts): string =>
  JSON.stringify([account_id, identifier, is_company ?? false, cursor]);
