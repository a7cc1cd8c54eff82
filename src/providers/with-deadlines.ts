/** A deadline for whatever an adapter does, so that a network that never answers holds up no caller for ever. */
import { ServiceError } from '../errors.ts';
import type { Networks } from './provider.ts';

/** Milliseconds for one call of a network. Shorter than the lease of a claim, which must outlast every call. */
export const networkDeadlineMs = 30_000;

/**
 * The same networks, each call of which ends by the deadline with `errors/request_timeout`. The adapter's signal aborts
 * then, but an adapter that does not listen to it is not waited for either.
 */
export function withDeadlines({ pnet, photonet }: Networks, deadlineMs = networkDeadlineMs): Networks {
  const within = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) =>
    withinDeadline(deadlineMs, signal, work);
  return {
    pnet: {
      listPosts: (session, query, signal) => within(signal, (ends) => pnet.listPosts(session, query, ends)),
      editPosting: (session, posting, signal) => within(signal, (ends) => pnet.editPosting(session, posting, ends)),
      publish: (session, draft, options, signal) =>
        within(signal, (ends) => pnet.publish(session, draft, options, ends)),
      solveCheckpoint: (session, draft, checkpoint, input, signal) =>
        within(signal, (ends) => pnet.solveCheckpoint(session, draft, checkpoint, input, ends)),
    },
    photonet: {
      listPosts: (session, query, signal) => within(signal, (ends) => photonet.listPosts(session, query, ends)),
    },
  };
}

async function withinDeadline<T>(
  deadlineMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const timeout = new ServiceError('request_timeout', {
      detail: 'The network did not respond in time. Try again; contact support if it persists.',
    });
    late.reject(timeout);
    deadline.abort(timeout);
  }, deadlineMs);
  try {
    return await Promise.race([work(AbortSignal.any([signal, deadline.signal])), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
