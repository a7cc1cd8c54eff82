/** A lock for each key within the process: one holder at a time, and the others in the order in which they came. */

export interface KeyedLock {
  /**
   * Waits for the lock of a key.
   * @param onWait called once if somebody else holds it
   * @returns releases the lock to the next in line; to be called exactly once
   * @throws QueueFull when too many wait, and the reason of `signal` when it aborts first
   */
  acquire(key: string, signal: AbortSignal, onWait: () => void): Promise<() => void>;
}

/** Too many wait for the same key. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** @param maxWaiting how many may wait for one key */
export function createKeyedLock(maxWaiting: number): KeyedLock {
  /** Those who wait, by the key that is locked. A set keeps the order in which they came. */
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
      signal.addEventListener('abort', giveUp, { once: true });
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
