import type { Call } from '../call.ts';
import type { Page } from '../paging.ts';
import type {
  JobCheckpoint,
  JobDraft,
  JobEdit,
  JobEdited,
  JobPosting,
  JobPublish,
  JobPublishResult,
  JobState,
} from './shapes.ts';

/**
 * What can be done with job postings. Requests have passed their shape; every failure is a ServiceError, and where
 * several apply the account's comes before the posting's, and that before its state's.
 */
export interface JobsPort {
  /** Changes the fields that are present, each as a whole, and no other. */
  edit(call: Call, request: JobEdit): Promise<JobEdited>;
  /** Publishes a draft, or says which step the network asks for first. */
  publish(call: Call, request: JobPublish): Promise<JobPublishResult>;
  /** Answers the open checkpoint of a draft; a further checkpoint may follow. */
  solveCheckpoint(call: Call, request: JobCheckpoint): Promise<JobPublishResult>;

  // Additions to the contract, so that a client can walk the whole way. An upstream service does not serve them.

  /** Stores a new draft. */
  createDraft(call: Call, request: JobDraft): Promise<JobPosting>;
  /** The postings with these ids, in their order; null for each that the key cannot see. */
  find(call: Call, jobIds: readonly string[]): Promise<(JobPosting | null)[]>;
  /** Postings of one account, or of all that the key may use; newest first. `limit` is 1 to 250. */
  list(call: Call, request: JobListRequest): Promise<Page<JobPosting>>;
}

export interface JobListRequest {
  readonly account_id?: string | undefined;
  readonly job_state?: JobState | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}
