import { onAbort } from '../kernel/lib/on-abort.ts';

/** First-come lock per key within the process. */

export interface KeyedLock {
  /** @returns releases the lock, once. @throws QueueFull; the reason of `signal` */
  acquire(key: string, signal: AbortSignal, onWait: () => void): Promise<() => void>;
}

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** @param maxWaiting per key */
export function createKeyedLock(maxWaiting: number): KeyedLock {
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
    async acquire(key, signal, onWait) {
      signal.throwIfAborted();
      const line = lines.get(key);
      if (line === undefined) {
        lines.set(key, new Set());
        return () => release(key);
      }
      if (line.size >= maxWaiting) throw new QueueFull();
      const lock = Promise.withResolvers<void>();
      const giveUp = () => {
        line.delete(lock.resolve);
        lock.reject(signal.reason);
      };
      line.add(lock.resolve);
      onAbort(signal, giveUp);
      onWait();
      try {
        await lock.promise;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
      return () => release(key);
    },
  };
}
