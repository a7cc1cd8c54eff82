/**
 * Places of a caller: so many of its operations are executed at once. What one has begun is a queue that others stand
 * behind, in the database most of all: a thread of SQLite answers in the order in which it is asked, and what was read
 * waits in memory. An operation takes one place, and none for its parts: those that wait for each other would never end.
 */
import { retrySoon, ServiceError } from './errors.ts';
import { onAbort } from './lib/abort-signal.ts';
import { createKeyedLock } from './lib/keyed-lock.ts';
import type { SetUp } from './set-up.ts';

type Kind = 'query' | 'mutation';

/** In front of a service whose calls have slots (upstream/call-slots.ts). */
const proxy = { query: 256, mutation: 1_024 };

/** Places of each caller. Mutations may wait for seconds, for a posting or a locked row. */
export const placeLimits: Readonly<Record<SetUp, Readonly<Record<Kind, number>>>> = {
  embedded: { query: 16, mutation: 64 },
  'own-webhooks': { query: 64, mutation: 256 },
  'own-keys': proxy,
  'forwarded-keys': proxy,
};

export type LeavePlace = () => void;

export type Places = ReturnType<typeof createPlaces>;

/** @param stopping who waits then is refused, and tries another process */
export function createPlaces(limits: Readonly<Record<Kind, number>>, stopping: AbortSignal) {
  const locks = {
    query: createKeyedLock(Number.POSITIVE_INFINITY, () => limits.query),
    mutation: createKeyedLock(Number.POSITIVE_INFINITY, () => limits.mutation),
  };
  onAbort(stopping, () => {
    for (const lock of Object.values(locks)) lock.refuseAll(stopped());
  });
  return {
    /**
     * A place at once, or a promise of it, until the signal aborts. @param caller a key or, without one, an address
     * @throws (or rejects with) the signal's reason; ServiceError `service_unavailable` once the gateway stops
     */
    take(caller: string, kind: Kind, signal: () => AbortSignal): LeavePlace | Promise<LeavePlace> {
      const lock = locks[kind];
      const leave = lock.tryAcquire(caller);
      if (leave !== null) return leave;
      if (stopping.aborted) throw stopped();
      return lock.acquire(caller, { signal: signal() });
    },
  };
}

const stopped = () =>
  new ServiceError('service_unavailable', {
    detail: 'The gateway is stopping. Try again.',
    headers: retrySoon,
    outcomeUnknown: false,
  });
