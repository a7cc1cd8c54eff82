/** Stored postings and drafts that a caller may see. Changing one takes a lease (lease.ts). */

import { sql } from 'kysely';
import { type Caller, type Reach, requireAccount } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { RandomBytes } from '../../kernel/ids.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import { amongAccounts, isInWorkspace, nameContains } from '../../store/conditions.ts';
import type { Database } from '../../store/database.ts';
import { jsonEntries, readJsonColumn } from '../../store/json.ts';
import { byCreation, keysetBy, keysetsOf, listOf, unbounded } from '../../store/keyset.ts';
import type { CountedList } from '../../store/keyset-pages.ts';
import { columnBytes, readExtracts } from '../../store/large-rows.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import type { JobTable, Tables } from '../../store/schema.ts';
import { shortReadByIds } from '../../store/short-reads.ts';
import type { RowSource } from '../../store/watch-feed.ts';
import { readCheckpoint, shownCheckpoint } from './checkpoint.ts';
import {
  defaultJobOrder,
  type JobFields,
  type JobFieldsRequest,
  type JobFilter,
  type JobOrder,
  type JobPosting,
  type JobState,
} from './shapes.ts';

/** Only states of the contract are stored. */
interface StoredWords {
  readonly state: JobState;
}

export type StoredJob = Omit<JobTable, keyof StoredWords> & StoredWords;

/** Without the contents, which are read separately. */
type ListedJob = Omit<StoredJob, 'fields'>;

const listedJobColumns = [
  ...(['id', 'workspace_id', 'account_id', 'state', 'checkpoint', 'claimed_until', 'claimed_by'] as const),
  ...(['publication', 'created_at', 'updated_at'] as const),
] as const satisfies readonly (keyof ListedJob)[];

const storedJobs = (database: Database) =>
  database.selectFrom('jobs').select(listedJobColumns).$narrowType<StoredWords>();

/** Those that the key can see. */
const jobsById = (database: Database, { workspaceId, accountIds }: Reach, jobIds: readonly string[]) =>
  storedJobs(database)
    .where('id', 'in', jobIds)
    .where(isInWorkspace('jobs', workspaceId))
    .where(amongAccounts(accountIds, 'account_id'));

/** @throws ServiceError `invalid_resource_identifier` or `resource_not_found`, also for a posting of another account */
export async function requireJob(
  database: Database,
  caller: Caller,
  accountId: string,
  jobId: string,
): Promise<StoredJob> {
  if (!isJobId(jobId)) {
    throw new ServiceError('invalid_resource_identifier', { detail: 'The job id is malformed: it has digits only.' });
  }
  const job = await jobsById(database, caller, [jobId])
    .select('fields')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (job === undefined) {
    throw new ServiceError('resource_not_found', { detail: 'The account has no job with this id.' });
  }
  return job;
}

/** @param jobIds at least one. @returns in any order */
export const selectJobs = (database: Database, caller: Caller, jobIds: readonly string[]): Promise<ListedJob[]> =>
  shortReadByIds(database, 'jobs by id', jobIds, caller, (reach, ids) => jobsById(database, reach, ids));

/** Some fields of those postings that the key can see. */
export async function selectJobFields(
  { database, budget }: { readonly database: Database; readonly budget: ReadBudget },
  context: RequestContext,
  { job_ids, fields: names }: JobFieldsRequest,
): Promise<(JobFields | null)[]> {
  const entries = jsonEntries('fields', names);
  const visible = (ids: readonly string[]) => jobsById(database, context.caller, ids).clearSelect().select('id');
  const texts = await readExtracts(budget, context, job_ids, {
    sizes: (ids) => visible(ids).select(columnBytes('fields').as('bytes')).execute(),
    async read(ids) {
      const rows = await visible(ids).select(entries.as('fields')).execute();
      return rows.map(({ id, fields }) => [id, fields] as const);
    },
  });
  return texts.map((text) => (text === null ? null : readJsonColumn<JobFields>(text)));
}

/** @throws ServiceError `account_mismatch` for an account beyond the key */
function listedJobs(database: Database, reach: Reach, { account_id, states = [], query: text }: JobFilter) {
  let query = jobsOf(database, reach).where(amongAccounts(reach.accountIds, 'account_id'));
  if (account_id !== undefined) {
    requireAccount(reach, account_id);
    query = query.where('account_id', '=', account_id);
  }
  if (states.length > 0) query = query.where('state', 'in', states);
  if (text !== undefined) query = query.where(nameContains('jobs', text));
  return query;
}

const jobsOf = (database: Database, { workspaceId }: Reach) =>
  storedJobs(database).where('workspace_id', '=', workspaceId);

/** The postings that are looked at for a list, by its index; null if these are those that fit. */
export const slicedJobs = (database: Database, caller: Reach, { account_id, states = [], query: text }: JobFilter) =>
  caller.accountIds === null && account_id === undefined && states.length === 0 && text === undefined
    ? null
    : [jobsOf(database, caller)];

/** As {@link listedJobs}. */
export function countedJobs(database: Database, caller: Caller, filter: JobFilter): CountedList<Tables, 'jobs'> {
  const query = listedJobs(database, caller, filter).clearSelect().select('id');
  const ranges = slicedJobs(database, caller, filter);
  return ranges === null
    ? { query }
    : { keyset: byCreation('jobs', 'desc'), bounds: unbounded, ranges, fitting: [query] };
}

/** Up to this size, reading all of a content costs less than taking entries out of it, which the database parses it for. */
const maxSmallContent = 8_192;

/** With contents that are small; null for the others. */
const withSmallContents = (jobs: ReturnType<typeof listedJobs>) =>
  jobs.select(
    sql<string | null>`case when ${columnBytes('fields')} <= ${sql.lit(maxSmallContent)} then fields end`.as('content'),
  );

/** @param withContent adds {@link withSmallContents}. @throws ServiceError as {@link listedJobs} */
export function jobList(database: Database, caller: Caller, filter: JobFilter, withContent: boolean) {
  const name = slicedJobs(database, caller, filter) === null ? `jobs ${withContent}` : null;
  return listOf(caller, name, {}, (reach) => {
    const query = listedJobs(database, reach, filter);
    return withContent ? withSmallContents(query) : query;
  });
}

/** A job of a list, read with its content or without. */
type ContentRow = ListedJob & { readonly content?: string | null };

/** Within the budget of the operation: beyond it, contents are left to {@link selectJobFields}, whose fields say why. */
export async function toPostings(
  { budget, now }: { readonly budget: ReadBudget; readonly now: () => Date },
  context: RequestContext,
  jobs: readonly ContentRow[],
): Promise<JobPosting[]> {
  const bytes = jobs.reduce((sum, { content }) => sum + Buffer.byteLength(content ?? ''), 0);
  const giveBack = bytes === 0 ? null : await budget.take(context, bytes).catch(unlessRefused);
  if (context.whenPrinted === undefined) giveBack?.();
  return jobs.map((job) => {
    const posting = toPosting(job, now());
    return giveBack === null || typeof job.content !== 'string'
      ? posting
      : { ...posting, content: readJsonColumn<JobFields>(job.content) };
  });
}

function unlessRefused(error: unknown): null {
  if (error instanceof ServiceError) return null;
  throw error;
}

export const jobKeyset = keysetsOf<JobOrder, 'created_at' | 'updated_at' | 'id'>(defaultJobOrder, {
  created_at_desc: byCreation('jobs', 'desc'),
  created_at_asc: byCreation('jobs', 'asc'),
  updated_at_desc: keysetBy('jobs', 'updated_at', 'desc'),
  updated_at_asc: keysetBy('jobs', 'updated_at', 'asc'),
});

export const watchedJobs = (database: Database): RowSource<ListedJob> => ({
  read: (ids) => storedJobs(database).where('id', 'in', ids).execute(),
  versionOf: ({ state, checkpoint, updated_at }) => JSON.stringify([state, checkpoint, updated_at]),
});

export const storedFields = ({ fields }: Pick<StoredJob, 'fields'>): JobFields => readJsonColumn(fields);

/** An empty text clears a field. */
export const withoutCleared = (fields: JobFields): JobFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

export const toPosting = (job: ListedJob, now: Date): JobPosting => ({
  object: 'PnetJobPosting',
  job_id: job.id,
  account_id: job.account_id,
  job_state: job.state,
  checkpoint: shownCheckpoint(readCheckpoint(job.checkpoint), job.id, now),
  created_at: job.created_at,
  updated_at: job.updated_at,
});

/** Creates the id of a posting or a draft: digits only, as the network's; 15, the first of which is not zero. */
export const newJobId = (randomBytes: RandomBytes): string =>
  (100_000_000_000_000n + (randomBytes(8).readBigUInt64BE() % 900_000_000_000_000n)).toString();

export const isJobId = (value: string): boolean => /^\d+$/.test(value);
