/**
 * Single flight: equal concurrent reads of one owner (an API key) share a call. A change by the owner ends the sharing,
 * as reads in flight may return older data.
 *
 * Not undici's `deduplicate` interceptor: nothing can tell it of a change, it joins a request however long that has
 * hung, and when the first caller disconnects, the request fails for all.
 */

import { type AbortSignalLike, Deadline, onAbort } from '../kernel/lib/abort-signal.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { Shared } from '../kernel/request-context.ts';

interface Waiter {
  readonly resolve: (value: Shared) => void;
  readonly reject: (reason: unknown) => void;
  readonly leave: () => void;
}

interface Flight {
  /** Work that is slow to notice its end holds up nobody, and nobody uses its result. */
  readonly limit: Deadline;
  readonly startedAt: number;
  readonly waiting: Set<Waiter>;
}

interface FlightTimes {
  readonly lastsMs: number;
  /** Joinable until then: a hanging call must not hold up everybody. */
  readonly joinableMs: number;
  readonly message: string;
}

export function createSingleFlight({ lastsMs, joinableMs, message }: FlightTimes, clock: Clock) {
  const flightsByOwner = new Map<string, Map<string, Flight>>();

  function start(owner: string, key: string, work: (limit: Deadline) => Promise<Shared>): Flight {
    const flights = flightsByOwner.get(owner) ?? new Map<string, Flight>();
    flightsByOwner.set(owner, flights);
    const limit = new Deadline(lastsMs, null, message);
    const waiting = new Set<Waiter>();
    const settle = (): readonly Waiter[] => {
      limit[Symbol.dispose]();
      if (flights.get(key) === flight) flights.delete(key);
      if (flights.size === 0 && flightsByOwner.get(owner) === flights) flightsByOwner.delete(owner);
      const waiters = [...waiting];
      for (const { leave } of waiters) leave();
      return waiters;
    };
    const flight: Flight = { limit, startedAt: clock(), waiting };
    onAbort(limit, () => {
      for (const { reject } of settle()) reject(limit.reason);
    });
    work(limit).then(
      (value) => {
        if (!limit.aborted) {
          for (const { resolve } of settle()) {
            value.retain();
            resolve(value);
          }
        }
        value.release();
      },
      (error: unknown) => limit.abort(error),
    );
    flights.set(key, flight);
    return flight;
  }

  return {
    /**
     * Runs the work, or joins the flight of the same owner and key; it is aborted when nobody waits for it any more.
     * @returns a result that each caller releases; rejects with the reason of `signal`, or of the flight's deadline
     */
    run<T extends Shared>(
      owner: string,
      key: string,
      work: (limit: Deadline) => Promise<T>,
      signal: AbortSignalLike,
    ): Promise<T> {
      if (signal.aborted) return Promise.reject(signal.reason);
      const current = flightsByOwner.get(owner)?.get(key);
      const joinable = current !== undefined && clock() - current.startedAt < joinableMs;
      const flight = joinable ? current : start(owner, key, work);
      // Callers with the same key run the same work, so the type is theirs.
      return wait(flight, signal) as Promise<T>;
    },
    forget(owner: string) {
      flightsByOwner.delete(owner);
    },
  };
}

function wait({ waiting, limit }: Flight, signal: AbortSignalLike): Promise<Shared> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiter.leave();
      reject(signal.reason);
      if (waiting.size === 0) limit.abort(signal.reason);
    };
    const leave = () => {
      waiting.delete(waiter);
      signal.removeEventListener('abort', abort);
    };
    const waiter: Waiter = { resolve, reject, leave };
    waiting.add(waiter);
    onAbort(signal, abort);
  });
}
