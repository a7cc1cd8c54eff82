/**
 * Knowledge of a draft's publication. A network may have published it unheard: the deadline passed, the connection
 * broke, the process died. So that it is not published (and paid for) twice, the possibility is stored before each call
 * that can publish, and looked up before the next: `unknown` once such a call has begun, `published` in whatever state.
 */
import { mayHaveActed, ServiceError } from '../../kernel/errors.ts';
import type { JobProvider, NetworkPosting, ProviderSession, PublishStep } from '../../providers/provider.ts';
import type { JobLease } from './lease.ts';

/** The publication is `unknown` until the network refuses, or the caller stores a success. */
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
