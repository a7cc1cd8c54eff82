/** The stored job postings and drafts that a caller may see. To change one takes a lease (lease.ts). */

import { amongAccounts } from '../auth/among-accounts.ts';
import type { Caller } from '../auth/caller.ts';
import { ServiceError } from '../errors.ts';
import type { Page } from '../paging.ts';
import type { Database } from '../store/database.ts';
import { readJsonColumn } from '../store/json.ts';
import { byCreation, type PageRequest, selectPage } from '../store/keyset.ts';
import type { JobTable } from '../store/schema.ts';
import { readCheckpoint, shownCheckpoint } from './checkpoint.ts';
import { checkJobId } from './ids.ts';
import type { JobFields, JobPosting, JobState } from './shapes.ts';

/** Only states of the contract are stored. */
interface Vocabulary {
  readonly state: JobState;
}

export type StoredJob = Omit<JobTable, keyof Vocabulary> & Vocabulary;

const visibleJobs = (database: Database, { workspaceId, accountIds }: Caller) =>
  database
    .selectFrom('jobs')
    .selectAll()
    .$narrowType<Vocabulary>()
    .where('workspace_id', '=', workspaceId)
    .where(amongAccounts(accountIds, 'account_id'));

/**
 * The posting with this id. A posting of another account counts as unknown.
 * @throws ServiceError `invalid_resource_identifier` or `resource_not_found`
 */
export async function requireJob(
  database: Database,
  caller: Caller,
  accountId: string,
  jobId: string,
): Promise<StoredJob> {
  checkJobId(jobId);
  const job = await visibleJobs(database, caller)
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (job === undefined) {
    throw new ServiceError('resource_not_found', { detail: 'The account has no job with this id.' });
  }
  return job;
}

/** The postings that have one of these ids, at least one, in any order. */
export const findJobs = (database: Database, caller: Caller, jobIds: readonly string[]): Promise<StoredJob[]> =>
  visibleJobs(database, caller).where('id', 'in', jobIds).execute();

/**
 * One page of the postings, newest first.
 * @param filter null stands for every account, or every state
 * @throws ServiceError `invalid_parameters` when the cursor was not issued for this list
 */
export function pageOfJobs(
  database: Database,
  caller: Caller,
  { accountId, state }: { readonly accountId: string | null; readonly state: JobState | null },
  request: PageRequest,
): Promise<Page<StoredJob>> {
  let query = visibleJobs(database, caller);
  if (accountId !== null) query = query.where('account_id', '=', accountId);
  if (state !== null) query = query.where('state', '=', state);
  return selectPage(query, byCreation('jobs', 'desc'), request);
}

export async function insertJob(database: Database, job: StoredJob): Promise<void> {
  await database.insertInto('jobs').values(job).execute();
}

export const fieldsOf = ({ fields }: StoredJob): JobFields => readJsonColumn(fields);

/** The posting as callers see it. */
export const toPosting = (job: StoredJob, now: Date): JobPosting => ({
  object: 'PnetJobPosting',
  job_id: job.id,
  account_id: job.account_id,
  job_state: job.state,
  fields: fieldsOf(job),
  checkpoint: shownCheckpoint(readCheckpoint(job.checkpoint), now),
  created_at: new Date(job.created_at).toISOString(),
  updated_at: new Date(job.updated_at).toISOString(),
});
