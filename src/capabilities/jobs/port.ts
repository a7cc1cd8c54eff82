import type { PageSource } from '../../kernel/page-source.ts';
import type { ListSize, Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type {
  JobCheckpoint,
  JobDraft,
  JobEdit,
  JobEdited,
  JobFields,
  JobFieldsRequest,
  JobFilter,
  JobListRequest,
  JobPageRequest,
  JobPosting,
  JobPublish,
  JobPublishResult,
  JobWatch,
} from './shapes.ts';

/** Requests have their shape. Of several failures, that of the account comes first, that of the state last. */
export interface JobsPort {
  /** Replaces each given field as a whole. */
  edit(context: RequestContext, request: JobEdit): Promise<JobEdited>;
  /** Publishes a draft, or returns the checkpoint that the network requires first. */
  publish(context: RequestContext, request: JobPublish): Promise<JobPublishResult>;
  solveCheckpoint(context: RequestContext, request: JobCheckpoint): Promise<JobPublishResult>;

  // Additions to the contract for the whole life of a posting. An upstream service does not serve them.

  createDraft(context: RequestContext, request: JobDraft): Promise<JobPosting>;
  /** In the order of the ids; null for a posting that the key cannot see. */
  find(context: RequestContext, jobIds: readonly string[]): Promise<(JobPosting | null)[]>;
  /** {@link find} as JSON, where there are postings. */
  readonly found?: PageSource<string, Page<JobPosting>>;
  /** The given fields of each posting, in the order of the ids; null for a posting that the key cannot see. */
  fields(context: RequestContext, request: JobFieldsRequest): Promise<(JobFields | null)[]>;
  /** Lists those of one account, or of all that the key may use. `limit` is 1 to 250. */
  list(context: RequestContext, request: JobListRequest): Promise<Page<JobPosting>>;
  /** Several pages of `list`, in the order of the requests; an error for each that cannot be read. */
  lists(context: RequestContext, requests: readonly JobPageRequest[]): Promise<(Page<JobPosting> | Error)[]>;
  /** {@link lists} as JSON, where there are postings. */
  readonly pages?: PageSource<JobPageRequest, Page<JobPosting>>;
  /** In the order of the filters; `maxTotalCount` for any larger size, an error for a list that cannot be counted. */
  counts(context: RequestContext, filters: readonly JobFilter[]): Promise<(ListSize | Error)[]>;
  /** Each posting, now and after every change. @throws ServiceError `resource_not_found` for an invisible one */
  watch(context: RequestContext, request: JobWatch): Promise<AsyncGenerator<JobPosting, void>>;
}
