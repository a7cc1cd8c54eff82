/** Locks within the process, by key: who comes first has it first. */
import { onAbort } from '../kernel/lib/abort-signal.ts';

interface Wait {
  readonly signal?: AbortSignal;
  readonly onWait?: () => void;
}

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** @param maxWaiting per key */
export function createKeyedLock(maxWaiting = Number.POSITIVE_INFINITY) {
  /** Waiting requests by locked key; a set keeps the order of arrival. */
  const lines = new Map<string, Set<() => void>>();

  function release(key: string): void {
    const line = lines.get(key);
    const [next] = line ?? [];
    if (next === undefined) {
      lines.delete(key);
      return;
    }
    line?.delete(next);
    next();
  }

  return {
    /** @returns releases the lock, once. @throws QueueFull; the reason of `signal` */
    async acquire(key: string, { signal, onWait }: Wait = {}): Promise<() => void> {
      signal?.throwIfAborted();
      const line = lines.get(key);
      if (line === undefined) {
        lines.set(key, new Set());
        return () => release(key);
      }
      if (line.size >= maxWaiting) throw new QueueFull();
      const lock = Promise.withResolvers<void>();
      const giveUp = () => {
        line.delete(lock.resolve);
        lock.reject(signal?.reason);
      };
      line.add(lock.resolve);
      if (signal !== undefined) onAbort(signal, giveUp);
      onWait?.();
      try {
        await lock.promise;
      } finally {
        signal?.removeEventListener('abort', giveUp);
      }
      return () => release(key);
    },
  };
}
