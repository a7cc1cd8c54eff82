import { requireAccount } from '../auth/account-access.ts';
import type { Caller } from '../auth/caller.ts';
import { actingSession } from '../auth/session.ts';
import { ServiceError } from '../errors.ts';
import type { RandomBytes } from '../ids.ts';
import type { CursorCodec } from '../paging.ts';
import type { JobProvider, NetworkPosting, ProviderSession, PublishStep } from '../providers/provider.ts';
import type { RequestContext } from '../request-context.ts';
import type { Database } from '../store/database.ts';
import { readPage } from '../store/keyset.ts';
import type { JobTable } from '../store/schema.ts';
import { checkJobId, isJobId, newJobId } from './ids.ts';
import { type Claim, claimJob } from './lease.ts';
import type { JobsPort } from './port.ts';
import type { CheckpointType, JobFields, JobPosting, JobPublishResult, JobState } from './shapes.ts';
import { jobListLimits } from './shapes.ts';

/** A checkpoint in the database: what is shown of it, and what the network needs to go on. */
interface StoredCheckpoint {
  readonly type: CheckpointType;
  readonly challenge: string;
  readonly attempts_left: number;
  readonly expires_at: number;
}

/** Wrong inputs after which a checkpoint closes, and how long it stays open. The contract leaves both open. */
const checkpointAttempts = 5;
const checkpointLifetimeMs = 15 * 60 * 1_000;

/**
 * A change that has begun is carried through: its caller may go away, but what came of it at the network must be stored.
 * The deadline of the network still ends it.
 */
const carriedThrough = new AbortController().signal;

/** Postings in our own database, published through the account's network. */
export function embeddedJobs({
  database,
  network,
  cursors,
  now,
  randomBytes,
}: {
  readonly database: Database;
  readonly network: JobProvider;
  readonly cursors: CursorCodec;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
}): JobsPort {
  const sessionOf = ({ caller }: RequestContext, accountId: string): Promise<ProviderSession> =>
    actingSession(database, caller, accountId, { types: ['PNET'], unseen: 'resource_not_found' });

  /** Runs `act` on a draft that nobody else acts on meanwhile, and stores what came of it. */
  async function advance(
    call: RequestContext,
    { account_id, draft_id }: { readonly account_id: string; readonly draft_id: string },
    act: (session: ProviderSession, draft: JobTable, claim: Claim) => Promise<PublishStep>,
  ): Promise<JobPublishResult> {
    const session = await sessionOf(call, account_id);
    requireDraft(await findJob(database, call.caller, account_id, draft_id));
    await using claim = await claimJob(database, draft_id, now);
    // The claim may have waited for nothing, but the draft may have changed before it was ours.
    const draft = requireDraft(await findJob(database, call.caller, account_id, draft_id));
    const step = await act(session, draft, claim);
    if (step.kind === 'published') {
      await claim.store({ state: step.state, checkpoint: null });
      return { object: 'PnetJobPostingPublished', job_state: step.state, job_id: draft_id };
    }
    await claim.store({ checkpoint: JSON.stringify(openCheckpoint(step, now())) });
    return { object: 'PnetJobPostingPublishCheckpoint', type: step.type, job_id: draft_id };
  }

  return {
    async edit(call, { job_id, account_id, ...fields }) {
      const session = await sessionOf(call, account_id);
      requireEditable(await findJob(database, call.caller, account_id, job_id));
      await using claim = await claimJob(database, job_id, now);
      const job = requireEditable(await findJob(database, call.caller, account_id, job_id));
      const edited = { ...(JSON.parse(job.fields) as JobFields), ...fields };
      await network.editPosting(session, { jobId: job_id, fields: edited }, carriedThrough);
      await claim.store({ fields: JSON.stringify(edited) });
      return { object: 'PnetJobPostingEdited', job_id };
    },

    publish: (call, request) =>
      advance(call, request, (session, draft) => network.publish(session, posting(draft), request, carriedThrough)),

    solveCheckpoint: (call, request) =>
      advance(call, request, async (session, draft, claim) => {
        const checkpoint = requireOpen(draft, now());
        try {
          return await network.solveCheckpoint(session, posting(draft), checkpoint, request.input, carriedThrough);
        } catch (error) {
          const after = error instanceof ServiceError ? afterFailure(checkpoint, error) : checkpoint;
          if (after !== checkpoint) await claim.store({ checkpoint: after === null ? null : JSON.stringify(after) });
          throw error;
        }
      }),

    async createDraft(call, { account_id, ...fields }) {
      await sessionOf(call, account_id);
      const made = now().getTime();
      const job: JobTable = {
        id: newJobId(randomBytes),
        workspace_id: call.caller.workspaceId,
        account_id,
        state: 'draft',
        fields: JSON.stringify(fields),
        checkpoint: null,
        claimed_until: 0,
        created_at: made,
        updated_at: made,
      };
      await database.insertInto('jobs').values(job).execute();
      return toPosting(job, now());
    },

    async find({ caller }, jobIds) {
      const wellFormed = jobIds.filter(isJobId);
      if (wellFormed.length === 0) return jobIds.map(() => null);
      const rows = await visibleJobs(database, caller).where('id', 'in', wellFormed).execute();
      const byId = new Map(rows.map((row) => [row.id, toPosting(row, now())]));
      return jobIds.map((id) => byId.get(id) ?? null);
    },

    async list({ caller }, { account_id = null, job_state = null, cursor, limit = jobListLimits.limit.default }) {
      if (account_id !== null) requireAccount(caller, account_id);
      const scope = ['jobs', caller.keyId, account_id, job_state];
      const page = await readPage(cursors, scope, { cursor, limit }, (place, count) => {
        let query = visibleJobs(database, caller).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(count);
        if (account_id !== null) query = query.where('account_id', '=', account_id);
        if (job_state !== null) query = query.where('state', '=', job_state);
        if (place !== null) {
          query = query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('created_at', 'id'), '<', tuple(place.created_at, place.id)),
          );
        }
        return query.execute();
      });
      return { ...page, items: page.items.map((row) => toPosting(row, now())) };
    },
  };
}

function visibleJobs(database: Database, caller: Caller) {
  const query = database.selectFrom('jobs').selectAll().where('workspace_id', '=', caller.workspaceId);
  return caller.accountIds === null ? query : query.where('account_id', 'in', [...caller.accountIds]);
}

/** The posting of that account. One that belongs to another account looks unknown. */
async function findJob(database: Database, caller: Caller, accountId: string, jobId: string): Promise<JobTable> {
  checkJobId(jobId);
  const job = await visibleJobs(database, caller)
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (job === undefined)
    throw new ServiceError('resource_not_found', { detail: 'The account has no job with this id.' });
  return job;
}

function requireEditable(job: JobTable): JobTable {
  if (job.state !== 'closed') return job;
  throw new ServiceError('action_already_performed', { detail: 'The job is closed: it cannot be edited any more.' });
}

function requireDraft(job: JobTable): JobTable {
  if (job.state === 'draft') return job;
  throw new ServiceError('action_already_performed', {
    detail: `The draft has been published: its state is ${job.state}.`,
  });
}

function requireOpen(draft: JobTable, now: Date): StoredCheckpoint {
  const checkpoint = storedCheckpoint(draft);
  if (checkpoint === null) {
    throw new ServiceError('checkpoint_error', { detail: 'No checkpoint is open for this draft: publish it first.' });
  }
  if (checkpoint.attempts_left === 0) {
    throw new ServiceError('checkpoint_error', {
      detail: `The checkpoint closed after ${checkpointAttempts} wrong inputs: publish the draft again.`,
    });
  }
  if (checkpoint.expires_at <= now.getTime()) {
    throw new ServiceError('expired_link', { detail: 'The checkpoint has expired: publish the draft again.' });
  }
  return checkpoint;
}

const openCheckpoint = (step: Extract<PublishStep, { kind: 'checkpoint' }>, now: Date): StoredCheckpoint => ({
  type: step.type,
  challenge: step.challenge,
  attempts_left: checkpointAttempts,
  expires_at: now.getTime() + checkpointLifetimeMs,
});

/** What a failed solution leaves of a checkpoint: the same, one with an attempt less, or none. */
function afterFailure(checkpoint: StoredCheckpoint, { errorName }: ServiceError): StoredCheckpoint | null {
  switch (errorName) {
    case 'invalid_checkpoint_solution':
      return { ...checkpoint, attempts_left: checkpoint.attempts_left - 1 };
    case 'checkpoint_error':
    case 'expired_link':
      return null;
    default:
      return checkpoint;
  }
}

const storedCheckpoint = (job: JobTable): StoredCheckpoint | null =>
  job.checkpoint === null ? null : JSON.parse(job.checkpoint);

const posting = (job: JobTable): NetworkPosting => ({ jobId: job.id, fields: JSON.parse(job.fields) });

function toPosting(job: JobTable, now: Date): JobPosting {
  const checkpoint = storedCheckpoint(job);
  const open = checkpoint !== null && checkpoint.attempts_left > 0 && checkpoint.expires_at > now.getTime();
  return {
    object: 'PnetJobPosting',
    job_id: job.id,
    account_id: job.account_id,
    job_state: job.state as JobState,
    fields: JSON.parse(job.fields),
    checkpoint: open
      ? {
          type: checkpoint.type,
          attempts_left: checkpoint.attempts_left,
          expires_at: new Date(checkpoint.expires_at).toISOString(),
        }
      : null,
    created_at: new Date(job.created_at).toISOString(),
    updated_at: new Date(job.updated_at).toISOString(),
  };
}
