/**
 * Single flight: equal concurrent reads of one owner (an API key) share a call. A change by the owner ends the sharing,
 * as reads in flight may return older data.
 *
 * Not undici's `deduplicate` interceptor: nothing can tell it of a change, it joins a request however long that has
 * hung, and when the first caller disconnects, the request fails for all.
 */

import { type Deadline, deadline } from '../kernel/lib/deadline.ts';
import { onAbort } from '../kernel/lib/on-abort.ts';
import type { Shared } from '../kernel/wire-response.ts';

export interface SingleFlight {
  /**
   * Runs the work, or joins the flight of the same owner and key; it is aborted when nobody waits for it any more.
   * @returns a result that each caller releases; rejects with the reason of `signal`, or of the flight's deadline
   */
  run<T extends Shared>(
    owner: string,
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
  forget(owner: string): void;
}

interface Flight {
  readonly result: Promise<Shared>;
  readonly limit: Deadline;
  readonly startedAt: number;
  waiting: number;
  settled: boolean;
  /** Once it is there: used by the flight until nobody waits for it. */
  value: Shared | null;
}

export interface FlightTimes {
  readonly lastsMs: number;
  /** Joinable until then: a hanging call must not hold up everybody. */
  readonly joinableMs: number;
  readonly message: string;
}

/** @param elapsed monotonic milliseconds */
export function createSingleFlight({ lastsMs, joinableMs, message }: FlightTimes, elapsed: () => number): SingleFlight {
  const flightsByOwner = new Map<string, Map<string, Flight>>();

  function start(owner: string, key: string, work: (signal: AbortSignal) => Promise<Shared>): Flight {
    const flights = flightsByOwner.get(owner) ?? new Map<string, Flight>();
    flightsByOwner.set(owner, flights);
    const limit = deadline(lastsMs, null, message);
    // Work that is slow to notice its end holds up nobody, and nobody uses what comes of it.
    const result = unlessAborted(work(limit.signal), limit.signal, (late) => late.release());
    const flight: Flight = { result, limit, startedAt: elapsed(), waiting: 0, settled: false, value: null };
    const settle = () => {
      limit[Symbol.dispose]();
      flight.settled = true;
      if (flights.get(key) === flight) flights.delete(key);
      if (flights.size === 0 && flightsByOwner.get(owner) === flights) flightsByOwner.delete(owner);
    };
    result.then((value) => {
      settle();
      if (flight.waiting === 0) value.release();
      else flight.value = value;
    }, settle);
    flights.set(key, flight);
    return flight;
  }

  return {
    async run<T extends Shared>(
      owner: string,
      key: string,
      work: (signal: AbortSignal) => Promise<T>,
      signal: AbortSignal,
    ) {
      signal.throwIfAborted();
      const current = flightsByOwner.get(owner)?.get(key);
      const joinable =
        current !== undefined && !current.limit.signal.aborted && elapsed() - current.startedAt < joinableMs;
      const flight = joinable ? current : start(owner, key, work);
      flight.waiting += 1;
      try {
        const value = await unlessAborted(flight.result, signal, () => undefined);
        value.retain();
        // Callers with the same key run the same work, so the type is theirs.
        return value as T;
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0) leave(flight, signal);
      }
    },
    forget(owner) {
      flightsByOwner.delete(owner);
    },
  };
}

function leave({ settled, limit, value }: Flight, { reason }: AbortSignal): void {
  if (settled) value?.release();
  else limit.abort(reason);
}

/** Settles as `work`, or rejects with the signal's reason. @param discard takes a value that comes after that */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, discard: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let aborted = false;
    const abort = () => {
      aborted = true;
      reject(signal.reason);
    };
    onAbort(signal, abort);
    work.then(
      (value) => {
        signal.removeEventListener('abort', abort);
        if (aborted) discard(value);
        else resolve(value);
      },
      (reason: unknown) => {
        signal.removeEventListener('abort', abort);
        reject(reason);
      },
    );
  });
}
