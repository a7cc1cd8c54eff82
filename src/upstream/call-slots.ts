import { type AbortSignalLike, onAbort } from '../kernel/lib/abort-signal.ts';

/** Slots for concurrent calls, one per connection. Waiting callers take turns, and none ever has all slots. */

/** To be called exactly once. */
export type ReleaseSlot = () => void;

const maxShare = 0.75;
/** Waiting calls of a caller per slot: further ones would only time out. */
const waitingPerSlot = 32;
/** Waiting calls in all, as a multiple of a caller's. */
const waitingCallers = 4;

interface CallerQueue {
  taken: number;
  readonly waiting: Set<() => void>;
}

export function createCallSlots(slots: number) {
  // One slot alone is everybody's.
  const perCaller = Math.max(1, Math.min(Math.ceil(slots * maxShare), slots - 1));
  const maxWaiting = slots * waitingPerSlot;
  /** Callers that hold slots or wait, least recently served first. */
  const queues = new Map<string, CallerQueue>();
  let taken = 0;
  let waiting = 0;

  function grant(keyId: string, queue: CallerQueue): ReleaseSlot {
    taken += 1;
    queue.taken += 1;
    return () => {
      taken -= 1;
      queue.taken -= 1;
      if (queue.taken === 0 && queue.waiting.size === 0) queues.delete(keyId);
      if (waiting > 0) next();
    };
  }

  function next(): void {
    for (const [keyId, queue] of queues) {
      const [first] = queue.waiting;
      if (first === undefined || queue.taken >= perCaller) continue;
      queues.delete(keyId);
      queues.set(keyId, queue);
      first();
      return;
    }
  }

  const queueOf = (keyId: string): CallerQueue => {
    const queue = queues.get(keyId) ?? { taken: 0, waiting: new Set() };
    queues.set(keyId, queue);
    return queue;
  };

  function waitIn(queue: CallerQueue, keyId: string, signal: AbortSignalLike): Promise<ReleaseSlot | null> {
    return new Promise((resolve) => {
      const leave = () => {
        waiting -= 1;
        queue.waiting.delete(enter);
        signal.removeEventListener('abort', expire);
      };
      const enter = () => {
        leave();
        resolve(grant(keyId, queue));
      };
      const expire = () => {
        leave();
        if (queue.taken === 0 && queue.waiting.size === 0) queues.delete(keyId);
        resolve(null);
      };
      waiting += 1;
      queue.waiting.add(enter);
      onAbort(signal, expire);
    });
  }

  return {
    get taken() {
      return taken;
    },
    get waiting() {
      return waiting;
    },
    tryTake(keyId: string) {
      if (taken >= slots || (queues.get(keyId)?.taken ?? 0) >= perCaller) return null;
      return grant(keyId, queueOf(keyId));
    },
    /** Waits for the caller's turn; null when it is ended first, or too many wait already. */
    async wait(keyId: string, signal: AbortSignalLike) {
      const isFull = waiting >= maxWaiting * waitingCallers || (queues.get(keyId)?.waiting.size ?? 0) >= maxWaiting;
      return signal.aborted || isFull ? null : waitIn(queueOf(keyId), keyId, signal);
    },
  };
}
