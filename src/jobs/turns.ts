/** A lock for each key within the process: one holder at a time, and the others in the order in which they came. */

export interface Turns {
  /**
   * Waits for the turn of the caller.
   * @param onWait called once if somebody else has the turn
   * @returns gives the turn to the next in line; to be called exactly once
   * @throws QueueFull when too many wait, and the reason of `signal` when it aborts first
   */
  take(key: string, signal: AbortSignal, onWait: () => void): Promise<() => void>;
}

/** Too many wait for the same key. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** @param maxWaiting how many may wait for one key */
export function createTurns(maxWaiting: number): Turns {
  /** Those who wait, by the key that somebody has. A set keeps the order in which they came. */
  const lines = new Map<string, Set<() => void>>();

  function pass(key: string): void {
    const line = lines.get(key);
    const [next] = line ?? [];
    if (line === undefined || next === undefined) return void lines.delete(key);
    line.delete(next);
    next();
  }

  return {
    async take(key, signal, onWait) {
      signal.throwIfAborted();
      const line = lines.get(key);
      if (line === undefined) {
        lines.set(key, new Set());
        return () => pass(key);
      }
      if (line.size >= maxWaiting) throw new QueueFull();
      const turn = Promise.withResolvers<void>();
      const giveUp = () => {
        line.delete(turn.resolve);
        turn.reject(signal.reason);
      };
      line.add(turn.resolve);
      signal.addEventListener('abort', giveUp, { once: true });
      onWait();
      try {
        await turn.promise;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
      return () => pass(key);
    },
  };
}
