/** Lease on a posting: one request at a time acts on it, and stores what the network has carried out. */
import { mayHaveActed, ServiceError } from '../../kernel/errors.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { JobProvider, NetworkPosting, ProviderSession, PublishStep } from '../../providers/provider.ts';
import { DatabaseFault, unconfirmed } from '../../store/faults.ts';
import { createLeases, type LeaseDependencies, type LeaseOptions, type RowLease } from '../../store/lease.ts';
import type { JobTable } from '../../store/schema.ts';
import type { InLine } from '../../store/workspace-lines.ts';

/** Only tests set it. */
export type LeaseTuning = Partial<Pick<LeaseOptions, 'leaseMs' | 'waitMs' | 'onWait'>>;

/** Per posting and process. */
export const maxWaiting = 50;

/** Longer than a lease, to outlive that of a dead process; shorter than the timeout of gateways in front. */
export const defaultWaitMs = 15_000;
/** Long enough for a busy process to renew it. */
const defaultLeaseMs = 8_000;

const leaseRetrySeconds = 5;

export interface JobLease extends AsyncDisposable {
  /** @throws Error, storing nothing, when another request has the expired lease; ServiceError of unknown outcome */
  store(change: Partial<Pick<JobTable, 'state' | 'fields' | 'checkpoint' | 'publication'>>): Promise<void>;
  /** Stores the state of the publication, which callers do not see. @throws Error as `store` does */
  mark(publication: JobTable['publication']): Promise<void>;
  /** Logs the failure of a write about a failed request: the caller must learn why the request failed. */
  note(write: Promise<void>): Promise<void>;
}

type JobLeases = ReturnType<typeof jobLeases>;

export interface JobLeaseDependencies extends LeaseDependencies {
  /** For statements that may meet a lock, never for calls of a network. */
  readonly inLine: InLine;
}

export function jobLeases(dependencies: JobLeaseDependencies, tuning: LeaseTuning = {}) {
  const { database, inLine, now, logger } = dependencies;
  const timing = { leaseMs: defaultLeaseMs, waitMs: defaultWaitMs, ...tuning };
  const leases = createLeases('jobs', dependencies, { ...timing, maxWaiting, busy });

  function leaseOf(jobId: string, { holder, [Symbol.dispose]: end }: RowLease): JobLease {
    /** Matches nothing once another request has taken the expired lease. */
    const held = database.updateTable('jobs').where('id', '=', jobId).where('claimed_by', '=', holder);
    async function change(values: Partial<JobTable>): Promise<void> {
      const { numUpdatedRows } = await held.set(values).executeTakeFirst();
      if (numUpdatedRows === 0n) throw new Error(`The lease on job ${jobId} expired before its outcome was stored`);
    }
    return {
      store: (outcome) =>
        change({ ...outcome, updated_at: now().getTime() }).catch((error: unknown) => {
          throw error instanceof DatabaseFault ? unconfirmed(error) : error;
        }),
      mark: (publication) => change({ publication }),
      note: (write) =>
        write.catch((err: unknown) =>
          logger.error({ err, jobId }, 'what a failed request leaves behind could not be stored'),
        ),
      async [Symbol.asyncDispose]() {
        try {
          await held.set({ claimed_until: 0, claimed_by: null }).execute();
        } catch (err) {
          // The outcome is stored. The lease ends by itself; until then the posting is locked.
          logger.warn({ err, jobId }, 'the lease on a job could not be released');
        } finally {
          end();
        }
      },
    };
  }

  return {
    /** @throws ServiceError `service_unavailable` when no turn comes in time, `request_timeout` when `signal` aborts */
    async acquire(jobId: string, { caller: { workspaceId }, signal }: RequestContext): Promise<JobLease> {
      const lease = await leases.acquire<never>(jobId, signal, async (columns) => {
        const taking = database
          .updateTable('jobs')
          .set(columns)
          .where('id', '=', jobId)
          .where(({ eb, or, not }) => or([not(leases.lasts()), eb('claimed_by', '=', columns.claimed_by)]));
        // Only this one: later ones store what the network has carried out, and must not wait behind others.
        const { numUpdatedRows } = await inLine({ workspaceId, subject: jobId, signal }, () =>
          taking.executeTakeFirst(),
        );
        return numUpdatedRows === 1n ? 'taken' : 'busy';
      });
      return leaseOf(jobId, lease);
    },
  };
}

/** Runs work under a lease. @throws ServiceError as `acquire`, or as the work */
export async function underLease<Value>(
  leases: JobLeases,
  jobId: string,
  context: RequestContext,
  work: (lease: JobLease) => Promise<Value>,
): Promise<Value> {
  const lease = await leases.acquire(jobId, context);
  try {
    return await work(lease);
  } finally {
    await lease[Symbol.asyncDispose]();
  }
}

const busy = () =>
  new ServiceError('service_unavailable', {
    detail: `Other requests are acting on this job. This one was not carried out: try again in ${leaseRetrySeconds} seconds.`,
    headers: { 'retry-after': String(leaseRetrySeconds) },
  });

/**
 * Knowledge of a draft's publication. A network may have published it unheard: the deadline passed, the connection
 * broke, the process died. So that it is not published (and paid for) twice, the possibility is stored before each call
 * that can publish, and looked up before the next: `unknown` once such a call has begun, until the network refuses, or the
 * caller stores a success; `published` in whatever state.
 */
export async function attemptPublication(lease: JobLease, call: () => Promise<PublishStep>): Promise<PublishStep> {
  await lease.mark('unknown');
  try {
    return await call();
  } catch (error) {
    // If the write fails, the publication stays unknown, and the next request asks the network.
    if (error instanceof ServiceError && !mayHaveActed(error)) await lease.note(lease.mark(null));
    throw error;
  }
}

/** Stores the outcome. @throws ServiceError `action_already_performed`, or of a network that cannot say */
export async function settlePublication(
  network: JobProvider,
  session: ProviderSession,
  draft: NetworkPosting,
  lease: JobLease,
  signal: AbortSignal,
): Promise<void> {
  const state = await network.findPublished(session, draft, signal);
  if (state === null) return lease.mark(null);
  await lease.store({ state, checkpoint: null, publication: 'published' });
  throw new ServiceError('action_already_performed', {
    detail: `An earlier request, whose response was lost, has published the draft: its state is ${state}.`,
  });
}
