import { requireSession } from '../../auth/session.ts';
import { mayActFor } from '../../kernel/caller.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import { type CursorCodec, fitsNothing, type Page } from '../../kernel/paging.ts';
import { printedItems, printedPages } from '../../kernel/printed-pages.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { Vault } from '../../kernel/secrets/vault.ts';
import type { JobProvider, NetworkPosting, ProviderSession, PublishStep } from '../../providers/provider.ts';
import { storeWithRows } from '../../store/key-response.ts';
import { startPage } from '../../store/keyset.ts';
import { countLists, selectPages } from '../../store/keyset-pages.ts';
import type { ReadBudget } from '../../store/read-budget.ts';
import { findByIds, onlyOf, readTogether, requireFound } from '../../store/reads.ts';
import { rowBytes, type StoredBytes } from '../../store/stored-bytes.ts';
import { inTransaction } from '../../store/transaction.ts';
import { createRowWatch } from '../../store/watch-feed.ts';
import {
  afterFailure,
  failureOf,
  openCheckpoint,
  readCheckpoint,
  requireOpen,
  shownCheckpoint,
  writeCheckpoint,
} from './checkpoint.ts';
import {
  attemptPublication,
  type JobLease,
  type JobLeaseDependencies,
  jobLeases,
  type LeaseTuning,
  settlePublication,
  underLease,
} from './lease.ts';
import type { JobsPort } from './port.ts';
import {
  countedJobs,
  isJobId,
  jobKeyset,
  jobList,
  newJobId,
  requireJob,
  type StoredJob,
  selectJobFields,
  selectJobs,
  slicedJobs,
  storedFields,
  toPosting,
  toPostings,
  watchedJobs,
  withoutCleared,
} from './repository.ts';
import { type JobPageRequest, type JobPosting, type JobPublishResult, jobListLimits, jobListScope } from './shapes.ts';
import { solutionFailure } from './unsolved-checkpoint.ts';

/** A change outlives its caller's connection, as its outcome must be stored; the network's deadline may end it. */
const neverAborted = new AbortController().signal;

interface EmbeddedJobsDependencies extends JobLeaseDependencies {
  readonly network: JobProvider;
  readonly vault: Vault;
  readonly cursors: CursorCodec;
  readonly budget: ReadBudget;
  readonly storedBytes: Pick<StoredBytes, 'requireRoom' | 'addForGood'>;
  readonly tuning?: LeaseTuning | undefined;
}

/** Postings in our own database, published through the account's network. */
export function embeddedJobs(dependencies: EmbeddedJobsDependencies): JobsPort {
  const { database, inLine, network, vault, cursors, budget, now, randomBytes, storedBytes, tuning } = dependencies;
  const leases = jobLeases(dependencies, tuning);
  const sessionOf = ({ caller }: RequestContext, accountId: string): Promise<ProviderSession> =>
    requireSession(database, vault, caller, accountId, { types: ['PNET'], notFoundAs: 'resource_not_found' });

  /** Takes the next step of a publication, under a lease, and stores the outcome. */
  async function advance(
    context: RequestContext,
    { account_id, draft_id }: { readonly account_id: string; readonly draft_id: string },
    takeStep: (session: ProviderSession, draft: StoredJob, lease: JobLease) => Promise<PublishStep>,
  ): Promise<JobPublishResult> {
    const session = await sessionOf(context, account_id);
    const readDraft = async () => requireDraft(await requireJob(database, context.caller, account_id, draft_id));
    await readDraft();
    return underLease(leases, draft_id, context, async (lease) => {
      // Another request may have changed the draft before the lease was ours.
      const draft = await readDraft();
      if (draft.publication === 'unknown') {
        await settlePublication(network, session, toNetwork(draft), lease, neverAborted);
      }
      const step = await takeStep(session, draft, lease);
      if (step.kind === 'published') {
        await lease.store({ state: step.state, checkpoint: null, publication: 'published' });
        return { object: 'PnetJobPostingPublished', job_state: step.state, job_id: draft_id };
      }
      await lease.store({ checkpoint: writeCheckpoint(openCheckpoint(step, now())), publication: null });
      return { object: 'PnetJobPostingPublishCheckpoint', type: step.type, job_id: draft_id };
    });
  }

  const { find, found } = printedItems<JobPosting | null>({
    name: 'jobs',
    lacks: ['content'],
    async find({ caller }, jobIds) {
      const jobs = await findByIds(jobIds, isJobId, (ids) => selectJobs(database, caller, ids));
      return jobs.map((job) => job && toPosting(job, now()));
    },
  });
  const changes = createRowWatch(watchedJobs(database));

  const readLists: JobsPort['lists'] = async (context, requests) => {
    const { caller } = context;
    // Pages of one statement have the same columns.
    const withContent = requests.some((request) => request.withContent === true);
    return readTogether(
      requests,
      ({ cursor, limit = jobListLimits.limit.default, withContent: _, ...filter }) => {
        const scope = ['jobs', caller.keyId, ...jobListScope(filter)];
        const listed = jobList(database, caller, filter, withContent);
        const ranges = slicedJobs(database, caller, filter);
        const place = { cursors, scope, cursor, limit };
        return startPage(listed, jobKeyset(filter), place, { ranges, isEmpty: fitsNothing(filter) });
      },
      async (started) => {
        const pages = await selectPages({ database, budget }, context, started);
        return Promise.all(
          pages.map(async ({ items, cursor }) => ({
            items: await toPostings({ budget, now }, context, items),
            cursor,
          })),
        );
      },
    );
  };

  const { lists, pages } = printedPages<JobPageRequest, Page<JobPosting>>({
    name: 'jobs',
    lists: readLists,
    requestFor: (request, keys) => ({ ...request, withContent: keys.has('content') }),
    isWhole: ({ items }, keys) => !keys.has('content') || items.every(({ content }) => isObject(content)),
  });

  return {
    async edit(context, { job_id, account_id, ...changes }) {
      const session = await sessionOf(context, account_id);
      const readJob = async () => requireEditable(await requireJob(database, context.caller, account_id, job_id));
      await readJob();
      return underLease(leases, job_id, context, async (lease) => {
        const job = await readJob();
        const fields = withoutCleared({ ...storedFields(job), ...changes });
        const text = JSON.stringify(fields);
        const growth = Buffer.byteLength(text) - Buffer.byteLength(job.fields);
        if (growth > 0) await storedBytes.requireRoom(job.workspace_id);
        await network.editPosting(session, { jobId: job_id, fields }, neverAborted);
        await lease.store({ fields: text });
        storedBytes.addForGood(job.workspace_id, growth);
        return { object: 'PnetJobPostingEdited', job_id };
      });
    },

    publish: (context, request) =>
      advance(context, request, (session, draft, lease) =>
        attemptPublication(lease, () => network.publish(session, toNetwork(draft), request, neverAborted)),
      ),

    solveCheckpoint: (context, request) =>
      advance(context, request, async (session, draft, lease) => {
        const checkpoint = requireOpen(readCheckpoint(draft.checkpoint), now());
        try {
          return await attemptPublication(lease, () =>
            network.solveCheckpoint(session, toNetwork(draft), checkpoint, request.input, neverAborted),
          );
        } catch (error) {
          const after = afterFailure(checkpoint, error);
          if (after !== checkpoint) await lease.note(lease.store({ checkpoint: writeCheckpoint(after) }));
          throw solutionFailure(failureOf(error, after), shownCheckpoint(after, draft.id, now()));
        }
      }),

    async createDraft(context, { account_id, ...fields }) {
      // An account that cannot act on a draft cannot have one either.
      await network.checkSession(await sessionOf(context, account_id), context.signal);
      const { workspaceId } = context.caller;
      await storedBytes.requireRoom(workspaceId);
      const createdAt = now().getTime();
      const job: StoredJob = {
        id: newJobId(randomBytes),
        workspace_id: workspaceId,
        account_id,
        state: 'draft',
        fields: JSON.stringify(withoutCleared(fields)),
        checkpoint: null,
        claimed_until: 0,
        claimed_by: null,
        publication: null,
        created_at: createdAt,
        updated_at: createdAt,
      };
      const posting = toPosting(job, now());
      // A transaction tells a connection lost in the commit from one lost before.
      await inLine({ workspaceId, subject: account_id, signal: context.signal }, () =>
        inTransaction(database, async (transaction) => {
          await transaction.insertInto('jobs').values(job).execute();
          await storeWithRows(transaction, context.atomicKey, posting);
        }),
      );
      storedBytes.addForGood(workspaceId, rowBytes + Buffer.byteLength(job.fields));
      return posting;
    },

    find,
    found,
    fields: (context, request) => selectJobFields({ database, budget }, context, request),
    async watch(context, { job_ids }) {
      requireFound('job', job_ids, await find(context, job_ids));
      const { caller, signal } = context;
      return changes.watch(job_ids, signal, (job) =>
        job.workspace_id === caller.workspaceId && mayActFor(caller, job.account_id) ? toPosting(job, now()) : null,
      );
    },
    lists,
    pages,
    list: async (context, request) => onlyOf(await lists(context, [request])),
    counts: (context, filters) =>
      countLists({ database, budget }, context, filters, (filter) => countedJobs(database, context.caller, filter)),
  };
}

/** @throws ServiceError `action_already_performed` when the posting is closed */
function requireEditable(job: StoredJob): StoredJob {
  if (job.state !== 'closed') return job;
  throw new ServiceError('action_already_performed', { detail: 'The job is closed: it can no longer be edited.' });
}

/** @throws ServiceError `action_already_performed` when the draft has been published */
function requireDraft(job: StoredJob): StoredJob {
  // A network may publish a draft and keep it in the state draft.
  if (job.state === 'draft' && job.publication !== 'published') return job;
  throw new ServiceError('action_already_performed', {
    detail: `The draft has already been published: its state is ${job.state}.`,
  });
}

const toNetwork = (job: StoredJob): NetworkPosting => ({ jobId: job.id, fields: storedFields(job) });
