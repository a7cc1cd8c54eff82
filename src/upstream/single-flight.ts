/**
 * Equal reads that are under way at the same time are one. A flight belongs to an owner (an API key): it is never shared
 * with another. A change that the owner makes ends the sharing of the reads that were under way: what they answer may be
 * older than the change.
 */

export interface Flights {
  /**
   * Waits for the flight of this key, taking off where none can be joined. `signal` ends the waiting; the flight is
   * aborted when nobody waits for it any more.
   */
  join<T>(owner: string, key: string, fly: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Lets no later call join the owner's present flights. */
  close(owner: string): void;
}

interface Flight {
  readonly landing: Promise<unknown>;
  readonly controller: AbortController;
  readonly since: number;
  waiting: number;
  landed: boolean;
}

/**
 * @param joinableMs how old a flight may be for another to join it: one that hangs must not take everybody with it
 * @param elapsed milliseconds of a clock that only goes forward
 */
export function flights(joinableMs: number, elapsed: () => number): Flights {
  const owners = new Map<string, Map<string, Flight>>();

  function takeOff(owner: string, key: string, fly: (signal: AbortSignal) => Promise<unknown>): Flight {
    const mine = owners.get(owner) ?? new Map<string, Flight>();
    owners.set(owner, mine);
    const controller = new AbortController();
    const flight: Flight = { landing: fly(controller.signal), controller, since: elapsed(), waiting: 0, landed: false };
    const landed = () => {
      flight.landed = true;
      if (mine.get(key) === flight) mine.delete(key);
      if (mine.size === 0 && owners.get(owner) === mine) owners.delete(owner);
    };
    flight.landing.then(landed, landed);
    mine.set(key, flight);
    return flight;
  }

  return {
    async join<T>(owner: string, key: string, fly: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) {
      signal.throwIfAborted();
      const present = owners.get(owner)?.get(key);
      const joined =
        present !== undefined && !present.controller.signal.aborted && elapsed() - present.since < joinableMs
          ? present
          : takeOff(owner, key, fly);
      joined.waiting += 1;
      try {
        return (await unlessAborted(joined.landing, signal)) as T;
      } finally {
        joined.waiting -= 1;
        if (joined.waiting === 0 && !joined.landed) joined.controller.abort(signal.reason);
      }
    },
    close(owner) {
      owners.delete(owner);
    },
  };
}

/** Settles as `work` does, or rejects with the signal's reason before. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
