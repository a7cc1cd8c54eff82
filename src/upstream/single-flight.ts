/**
 * Single flight: equal reads that are in flight at the same time share one call. A flight belongs to an owner (an API
 * key) and is never shared with another. A change that the owner makes ends the sharing of the reads in flight: what
 * they return may be older than the change.
 *
 * Not undici's `deduplicate` interceptor: nothing can tell it of a change, it joins a request however long that has
 * hung, and when the caller that came first disconnects, the request fails for all that joined it.
 */
import { type Deadline, deadline } from '../kernel/lib/deadline.ts';

export interface SingleFlight {
  /**
   * Runs the work, or joins the flight of the same owner and key.
   * @param signal ends the waiting of this caller; the work is aborted when nobody waits for it any more
   * @returns rejects with the reason of the signal, or of the flight's own deadline, when that comes first
   */
  run<T>(owner: string, key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Lets no later call join the flights that the owner has now. */
  forget(owner: string): void;
}

interface Flight {
  readonly result: Promise<unknown>;
  readonly limit: Deadline;
  readonly startedAt: number;
  waiting: number;
  settled: boolean;
}

/** How long a flight lasts, in milliseconds from its start. */
export interface FlightTimes {
  /** Then its deadline ends it. */
  readonly lastsMs: number;
  /** Until then another caller may join: one that hangs must not hold up everybody. */
  readonly joinableMs: number;
  /** The message of its deadline. */
  readonly message: string;
}

/** @param elapsed milliseconds of a clock that only goes forward */
export function createSingleFlight({ lastsMs, joinableMs, message }: FlightTimes, elapsed: () => number): SingleFlight {
  const flightsByOwner = new Map<string, Map<string, Flight>>();

  function start(owner: string, key: string, work: (signal: AbortSignal) => Promise<unknown>): Flight {
    const flights = flightsByOwner.get(owner) ?? new Map<string, Flight>();
    flightsByOwner.set(owner, flights);
    const limit = deadline(lastsMs, null, message);
    // Work that is slow to notice its end holds up nobody.
    const result = unlessAborted(work(limit.signal), limit.signal);
    const flight: Flight = { result, limit, startedAt: elapsed(), waiting: 0, settled: false };
    const settle = () => {
      limit[Symbol.dispose]();
      flight.settled = true;
      if (flights.get(key) === flight) flights.delete(key);
      if (flights.size === 0 && flightsByOwner.get(owner) === flights) flightsByOwner.delete(owner);
    };
    result.then(settle, settle);
    flights.set(key, flight);
    return flight;
  }

  return {
    async run<T>(owner: string, key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) {
      signal.throwIfAborted();
      const current = flightsByOwner.get(owner)?.get(key);
      const joinable =
        current !== undefined && !current.limit.signal.aborted && elapsed() - current.startedAt < joinableMs;
      const flight = joinable ? current : start(owner, key, work);
      flight.waiting += 1;
      try {
        // Callers with the same key run the same work: its result has the type that each of them expects.
        return (await unlessAborted(flight.result, signal)) as T;
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0 && !flight.settled) flight.limit.abort(signal.reason);
      }
    },
    forget(owner) {
      flightsByOwner.delete(owner);
    },
  };
}

/** Settles as `work` does, or rejects with the signal's reason if the signal aborts first. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const leave = () => signal.removeEventListener('abort', abort);
    work.then(resolve, reject).finally(leave).catch(reject);
  });
}
