/**
 * What is known of the publication of a draft. A network may have published a draft although nobody heard of it: the
 * deadline passed, the connection broke, the process died. So that a draft is not published (and paid for) a second time,
 * what may have happened is stored before each call that can publish, and looked up before the next one.
 */
import { mayHaveActed, ServiceError } from '../../kernel/errors.ts';
import type { JobProvider, NetworkPosting, ProviderSession, PublishStep } from '../../providers/provider.ts';
import type { JobLease } from './lease.ts';

/**
 * `unknown`: a call that can publish has begun, and its outcome is not known. `published`: the network has published the
 * draft, in whatever state. Null: not published.
 */
export type Publication = 'unknown' | 'published' | null;

/**
 * Makes a call that may publish the draft. The publication is `unknown` from here on, unless the network refuses the
 * call; storing a success is up to the caller.
 */
export async function attemptPublication(lease: JobLease, call: () => Promise<PublishStep>): Promise<PublishStep> {
  await lease.mark('unknown');
  try {
    return await call();
  } catch (error) {
    // If it cannot be stored, the publication stays unknown, and the next request asks the network.
    if (error instanceof ServiceError && !mayHaveActed(error)) await lease.note(lease.mark(null));
    throw error;
  }
}

/**
 * Finds out what became of a publication whose outcome is unknown, and stores it.
 * @throws ServiceError `action_already_performed` when the network has published the draft, or the error of the network
 *   when it cannot say
 */
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
