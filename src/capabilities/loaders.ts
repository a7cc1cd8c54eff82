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
import { entriesOf } from '../kernel/lib/objects.ts';
import { type Operation, run } from '../kernel/operation.ts';
import { type CursorScope, longestPages, type Page, type Sized } from '../kernel/paging.ts';
import type { Ports } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import { countAccounts, findAccounts } from './accounts/operations.ts';
import {
  countDeliveries,
  findDeliveries,
  findLastAttempts,
  readBacklogs,
  readEventData,
  readStatistics,
} from './deliveries/operations.ts';
import {
  type DeliveryListRequest,
  deliveryListScope,
  type StatisticsRequest,
  type WebhookStatistics,
} from './deliveries/shapes.ts';
import { countJobs, findJobs, readJobFields } from './jobs/operations.ts';
import { type JobFields, type JobPageRequest, jobListScope } from './jobs/shapes.ts';
import { PostSearch } from './posts/search.ts';
import type { PostListRequest } from './posts/shapes.ts';
import { type WebhookSearch, webhookListScope } from './webhooks/filter.ts';
import { countWebhooks, findWebhookHealth, findWebhooks, readWebhooks } from './webhooks/operations.ts';

interface FieldOfJob {
  readonly jobId: string;
  readonly field: keyof JobFields;
}

interface StatisticsOfWebhook {
  readonly webhookId: string;
  readonly period: StatisticsRequest['period'];
}

type Make<Loader> = (ports: Ports, context: RequestContext) => Loader;

const batched =
  <Item>(operation: Operation<readonly string[], (Item | Error | null)[]>): Make<DataLoader<string, Item | null>> =>
  (ports, context) =>
    new DataLoader((ids) => run(operation, ports, context, ids));

/** Nothing is remembered: a list may be read before and after a mutation. */
const counted =
  <Filter>(operation: Operation<Filter[], (number | Error)[]>): Make<DataLoader<Filter, number>> =>
  (ports, context) =>
    new DataLoader((filters) => run(operation, ports, context, filters), { cache: false });

/**
 * Pages of lists: for each place in a list, the longest page is read, so that a page may be longer than requested. The
 * connection has checked scope and shape (see connection.ts), so only the port method is called.
 */
const paged = <Request extends object, Read extends Page<unknown>>(
  lists: (
    ports: Ports,
    context: RequestContext,
    longest: readonly Sized<Request>[],
    requests: readonly Sized<Request>[],
  ) => Promise<(Read | Error)[]>,
  { listOf, cache = false }: PagedOptions<Request>,
): Make<DataLoader<Sized<Request>, Read, string>> => {
  const placeOf = (request: Sized<Request> & { readonly cursor?: string | undefined }) =>
    JSON.stringify([listOf(request), request.cursor]);
  return (ports, context) =>
    new DataLoader(
      async (requests) => {
        const longest = longestPages(requests, placeOf);
        const pages = await lists(ports, context, [...longest.values()], requests);
        const indices = new Map([...longest.keys()].map((place, index) => [place, index]));
        return requests.map(
          (request) => pages[indices.get(placeOf(request)) ?? -1] ?? new Error('A page was not read'),
        );
      },
      { cache, cacheKeyFn: (request) => `${request.limit} ${placeOf(request)}` },
    );
};

interface PagedOptions<Request> {
  /** What tells a list from others. */
  readonly listOf: (request: Request) => CursorScope;
  readonly cache?: boolean;
}

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
  lastAttempts: batched(findLastAttempts),
  backlogs: batched(readBacklogs),
  statistics: (ports: Ports, context: RequestContext) =>
    new DataLoader<StatisticsOfWebhook, WebhookStatistics | null, string>(
      (wanted) => loadStatistics(ports, context, wanted),
      { cacheKeyFn: ({ webhookId, period }) => `${webhookId} ${period}` },
    ),
  // Pages, and sizes, of lists: each statement is of all that are read in one tick.
  accountCounts: counted(countAccounts),
  jobPages: paged(
    ({ jobs }, context, longest: readonly Sized<JobPageRequest>[], requests: readonly JobPageRequest[]) => {
      const withContent = requests.some((request) => request.withContent === true);
      return jobs.lists(
        context,
        longest.map((request) => ({ ...request, withContent })),
      );
    },
    { listOf: jobListScope },
  ),
  jobCounts: counted(countJobs),
  webhookPages: paged(({ webhooks }, context, longest: readonly WebhookSearch[]) => webhooks.lists(context, longest), {
    listOf: webhookListScope,
  }),
  webhookCounts: counted(countWebhooks),
  deliveryPages: paged(
    ({ deliveries }, context, longest: readonly DeliveryListRequest[]) => deliveries.lists(context, longest),
    { listOf: deliveryListScope },
  ),
  deliveryCounts: counted(countDeliveries),
  posts: paged(
    ({ posts }, context, requests: readonly PostListRequest[]) =>
      Promise.all(requests.map((request) => posts.list(context, request).catch((error: Error) => error))),
    {
      cache: true,
      listOf: ({ account_id, identifier, is_company = false }) => [account_id, identifier, is_company],
    },
  ),
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
