/** Locks within the process, by key: who comes first has a place first. */
import { onAbort } from './abort-signal.ts';

interface Line {
  running: number;
  /** In the order of arrival. */
  readonly waiting: Set<PromiseWithResolvers<void>>;
}

interface Wait {
  readonly signal?: AbortSignal;
  readonly onWait?: () => void;
}

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** @param maxWaiting per key. @param places how many have the lock of a key at once */
export function createKeyedLock(maxWaiting = Number.POSITIVE_INFINITY, places: (key: string) => number = () => 1) {
  const lines = new Map<string, Line>();

  function admit(key: string, line: Line): void {
    for (const next of line.waiting) {
      if (line.running >= places(key)) break;
      line.waiting.delete(next);
      line.running += 1;
      next.resolve();
    }
  }

  /** The next in line has its place already when the one before it goes. */
  function release(key: string, line: Line): void {
    line.running -= 1;
    admit(key, line);
    if (line.running === 0) lines.delete(key);
  }

  function tryAcquire(key: string): (() => void) | null {
    const line = lines.get(key) ?? { running: 0, waiting: new Set() };
    // There may be more places than when they came.
    admit(key, line);
    if (line.running >= places(key)) return null;
    lines.set(key, line);
    line.running += 1;
    return () => release(key, line);
  }

  /** All who wait. */
  function refuse(key: string, error: unknown): void {
    const { waiting } = lines.get(key) ?? {};
    for (const lock of waiting ?? []) lock.reject(error);
    waiting?.clear();
  }

  return {
    /** @returns releases the lock, once; null if one would have to wait */
    tryAcquire,
    /** @returns releases the lock, once. @throws QueueFull; the reason of `signal`; what {@link refuse} is given */
    async acquire(key: string, { signal, onWait }: Wait = {}): Promise<() => void> {
      signal?.throwIfAborted();
      const acquired = tryAcquire(key);
      if (acquired !== null) return acquired;
      const line = lines.get(key) ?? { running: 0, waiting: new Set() };
      lines.set(key, line);
      if (line.waiting.size >= maxWaiting) throw new QueueFull();
      const lock = Promise.withResolvers<void>();
      const giveUp = () => {
        line.waiting.delete(lock);
        lock.reject(signal?.reason);
      };
      line.waiting.add(lock);
      if (signal !== undefined) onAbort(signal, giveUp);
      onWait?.();
      try {
        await lock.promise;
      } finally {
        signal?.removeEventListener('abort', giveUp);
      }
      return () => release(key, line);
    },
    refuse,
    refuseAll(error: unknown): void {
      for (const key of lines.keys()) refuse(key, error);
    },
  };
}
