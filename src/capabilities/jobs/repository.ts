/** The stored job postings and drafts that a caller may see. To change one takes a lease (lease.ts). */

import { requireAccount } from '../../auth/account-access.ts';
import { amongAccounts } from '../../auth/among-accounts.ts';
import type { Caller } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Page } from '../../kernel/paging.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import { maxTotalCount } from '../../kernel/validation.ts';
import type { Database } from '../../store/database.ts';
import { readJsonColumn } from '../../store/json.ts';
import { byCreation, type PageRequest, startPage } from '../../store/keyset.ts';
import { countRows, selectPages } from '../../store/keyset-pages.ts';
import { bytesOf, readLarge } from '../../store/large-rows.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import { readTogether } from '../../store/read-together.ts';
import type { RowSource } from '../../store/row-watch.ts';
import type { JobTable } from '../../store/schema.ts';
import { inTransaction } from '../../store/transaction.ts';
import { readCheckpoint, shownCheckpoint } from './checkpoint.ts';
import { checkJobId } from './ids.ts';
import type { JobFields, JobFilter, JobPosting, JobState } from './shapes.ts';

/** Only states of the contract are stored. */
interface Vocabulary {
  readonly state: JobState;
}

export type StoredJob = Omit<JobTable, keyof Vocabulary> & Vocabulary;

/** A posting without what it says, which is read by itself. */
export type ListedJob = Omit<StoredJob, 'fields'>;

const listedColumns = [
  ...(['id', 'workspace_id', 'account_id', 'state', 'checkpoint', 'claimed_until', 'claimed_by'] as const),
  ...(['publication', 'created_at', 'updated_at'] as const),
] as const satisfies readonly (keyof ListedJob)[];

const visibleJobs = (database: Database, { workspaceId, accountIds }: Caller) =>
  database
    .selectFrom('jobs')
    .select(listedColumns)
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
    .select('fields')
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (job === undefined) {
    throw new ServiceError('resource_not_found', { detail: 'The account has no job with this id.' });
  }
  return job;
}

/** The postings that have one of these ids, at least one, in any order. */
export const findJobs = (database: Database, caller: Caller, jobIds: readonly string[]): Promise<ListedJob[]> =>
  visibleJobs(database, caller).where('id', 'in', jobIds).execute();

/** What those of these postings say that the key can see. */
export const readJobFields = (
  { database, budget }: { readonly database: Database; readonly budget: ReadBudget },
  context: RequestContext,
  jobIds: readonly string[],
): Promise<(JobFields | null)[]> => {
  const visible = (ids: readonly string[]) =>
    visibleJobs(database, context.caller).clearSelect().select('id').where('id', 'in', ids);
  return readLarge(budget, context, jobIds, {
    sizes: (ids) => visible(ids).select(bytesOf('fields').as('bytes')).execute(),
    read: async (ids) => {
      const rows = await visible(ids).select('fields').execute();
      return rows.map(({ id, fields }) => [id, readJsonColumn<JobFields>(fields)] as const);
    },
  });
};

/** The postings that a filter lets through. @throws ServiceError `account_mismatch` for an account beyond the key */
function listedJobs(database: Database, caller: Caller, { account_id, job_state: states = [] }: JobFilter) {
  let query = visibleJobs(database, caller);
  if (account_id !== undefined) {
    requireAccount(caller, account_id);
    query = query.where('account_id', '=', account_id);
  }
  if (states.length > 0) query = query.where('state', 'in', states);
  return query;
}

const newestFirst = byCreation('jobs', 'desc');

/** Pages of postings, newest first, in the order of the requests. An error stands for a page that cannot be read. */
export const pagesOfJobs = (
  database: Database,
  caller: Caller,
  requests: readonly (PageRequest & { readonly filter: JobFilter })[],
): Promise<(Page<ListedJob> | Error)[]> =>
  readTogether(
    requests,
    ({ filter, ...page }) => startPage(listedJobs(database, caller, filter), newestFirst, page),
    (pages) => selectPages(database, pages, newestFirst),
  );

/** The sizes of lists, in the order of their filters. An error stands for one that cannot be counted. */
export const countJobs = (
  database: Database,
  caller: Caller,
  filters: readonly JobFilter[],
): Promise<(number | Error)[]> =>
  readTogether(
    filters,
    (filter) => listedJobs(database, caller, filter).clearSelect().select('id'),
    (lists) => countRows(database, lists, maxTotalCount),
  );

/** Postings of every workspace, to be watched. */
export const watchedJobs = (database: Database): RowSource<ListedJob> => ({
  read: (ids) =>
    database.selectFrom('jobs').select(listedColumns).$narrowType<Vocabulary>().where('id', 'in', ids).execute(),
  async versions(ids) {
    const rows = await database
      .selectFrom('jobs')
      .select(['id', 'state', 'checkpoint', 'updated_at'])
      .where('id', 'in', ids)
      .execute();
    return rows.map(({ id, ...version }) => ({ id, version: JSON.stringify(version) }));
  },
});

/** In a transaction, so that a connection that is lost with its commit is told from one that was lost before. */
export async function insertJob(database: Database, job: StoredJob): Promise<void> {
  await inTransaction(database, (transaction) => transaction.insertInto('jobs').values(job).execute());
}

export const fieldsOf = ({ fields }: Pick<StoredJob, 'fields'>): JobFields => readJsonColumn(fields);

/** The posting as callers see it. */
export const toPosting = (job: ListedJob, now: Date): JobPosting => ({
  object: 'PnetJobPosting',
  job_id: job.id,
  account_id: job.account_id,
  job_state: job.state,
  checkpoint: shownCheckpoint(readCheckpoint(job.checkpoint), now),
  created_at: new Date(job.created_at).toISOString(),
  updated_at: new Date(job.updated_at).toISOString(),
});
