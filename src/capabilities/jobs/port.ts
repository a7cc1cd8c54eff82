import type { Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type {
  JobCheckpoint,
  JobDraft,
  JobEdit,
  JobEdited,
  JobFields,
  JobFilter,
  JobListRequest,
  JobPosting,
  JobPublish,
  JobPublishResult,
  JobWatch,
} from './shapes.ts';

/**
 * What the gateway can do with job postings. Requests have passed their shape. Every failure is a ServiceError; when
 * several apply, one of the account comes before one of the posting, and that before one of the posting's state.
 */
export interface JobsPort {
  /** Replaces each field that is present, as a whole. */
  edit(context: RequestContext, request: JobEdit): Promise<JobEdited>;
  /** Publishes a draft, or returns the checkpoint that the network requires first. */
  publish(context: RequestContext, request: JobPublish): Promise<JobPublishResult>;
  /** Solves the open checkpoint of a draft. Another checkpoint may follow. */
  solveCheckpoint(context: RequestContext, request: JobCheckpoint): Promise<JobPublishResult>;

  // Additions to the contract that cover the whole life of a posting. An upstream service does not serve them.

  /** Stores a new draft. */
  createDraft(context: RequestContext, request: JobDraft): Promise<JobPosting>;
  /** The postings with these ids, in the order of the ids; null for each that the key cannot see. */
  find(context: RequestContext, jobIds: readonly string[]): Promise<(JobPosting | null)[]>;
  /** What these postings say, in the order of the ids; null for each that the key cannot see. */
  fields(context: RequestContext, jobIds: readonly string[]): Promise<(JobFields | null)[]>;
  /** The postings of one account, or of every account that the key may use, newest first. `limit` is 1 to 250. */
  list(context: RequestContext, request: JobListRequest): Promise<Page<JobPosting>>;
  /** Several pages of `list`, in the order of the requests; an error for each that cannot be read. */
  lists(context: RequestContext, requests: readonly JobListRequest[]): Promise<(Page<JobPosting> | Error)[]>;
  /**
   * The sizes of lists, in the order of their filters; `maxTotalCount` stands for any larger one. An error for each that
   * cannot be counted.
   */
  counts(context: RequestContext, filters: readonly JobFilter[]): Promise<(number | Error)[]>;
  /**
   * Yields each of these postings as it is, and again whenever it changes, until the context's signal aborts.
   * @throws ServiceError `resource_not_found` when the key cannot see one of them
   */
  watch(context: RequestContext, request: JobWatch): Promise<AsyncGenerator<JobPosting, void>>;
}
