import type { Page } from '../paging.ts';
import type { RequestContext } from '../request-context.ts';
import type {
  JobCheckpoint,
  JobDraft,
  JobEdit,
  JobEdited,
  JobListRequest,
  JobPosting,
  JobPublish,
  JobPublishResult,
} from './shapes.ts';

/**
 * What can be done with job postings. Requests have passed their shape; every failure is a ServiceError, and where
 * several apply the account's comes before the posting's, and that before its state's.
 */
export interface JobsPort {
  /** Changes the fields that are present, each as a whole, and no other. */
  edit(context: RequestContext, request: JobEdit): Promise<JobEdited>;
  /** Publishes a draft, or says which step the network asks for first. */
  publish(context: RequestContext, request: JobPublish): Promise<JobPublishResult>;
  /** Answers the open checkpoint of a draft; a further checkpoint may follow. */
  solveCheckpoint(context: RequestContext, request: JobCheckpoint): Promise<JobPublishResult>;

  // Additions to the contract, so that a client can walk the whole way. An upstream service does not serve them.

  /** Stores a new draft. */
  createDraft(context: RequestContext, request: JobDraft): Promise<JobPosting>;
  /** The postings with these ids, in their order; null for each that the key cannot see. */
  find(context: RequestContext, jobIds: readonly string[]): Promise<(JobPosting | null)[]>;
  /** Postings of one account, or of all that the key may use; newest first. `limit` is 1 to 250. */
  list(context: RequestContext, request: JobListRequest): Promise<Page<JobPosting>>;
}
