/**
 * Single flight: equal concurrent reads of one owner (an API key) share a call. A change by the owner ends the sharing,
 * as reads in flight may return older data.
 *
 * Not undici's `deduplicate` interceptor: nothing can tell it of a change, it joins a request however long that has
 * hung, and when the first caller disconnects, the request fails for all.
 */

import { TimeoutError } from '../kernel/lib/deadline.ts';
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

interface Waiter {
  readonly resolve: (value: Shared) => void;
  readonly reject: (reason: unknown) => void;
  /** Waits no more. */
  readonly leave: () => void;
}

interface Flight {
  /** Unless it has settled. Work that is slow to notice it holds up nobody, and nobody uses what comes of it. */
  readonly end: (reason: unknown) => void;
  readonly startedAt: number;
  readonly waiting: Set<Waiter>;
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
    const ends = new AbortController();
    const waiting = new Set<Waiter>();
    let settled = false;
    /** @returns who waits */
    const settle = (): readonly Waiter[] => {
      settled = true;
      clearTimeout(timer);
      if (flights.get(key) === flight) flights.delete(key);
      if (flights.size === 0 && flightsByOwner.get(owner) === flights) flightsByOwner.delete(owner);
      const waiters = [...waiting];
      for (const { leave } of waiters) leave();
      return waiters;
    };
    const end = (reason: unknown) => {
      if (settled) return;
      for (const { reject } of settle()) reject(reason);
      ends.abort(reason);
    };
    const timer = setTimeout(() => end(new TimeoutError(message)), lastsMs);
    const flight: Flight = { end, startedAt: elapsed(), waiting };
    work(ends.signal).then((value) => {
      if (!settled) {
        for (const { resolve } of settle()) {
          value.retain();
          resolve(value);
        }
      }
      value.release();
    }, end);
    flights.set(key, flight);
    return flight;
  }

  return {
    run<T extends Shared>(owner: string, key: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      const current = flightsByOwner.get(owner)?.get(key);
      const joinable = current !== undefined && elapsed() - current.startedAt < joinableMs;
      const flight = joinable ? current : start(owner, key, work);
      // Callers with the same key run the same work, so the type is theirs.
      return wait(flight, signal) as Promise<T>;
    },
    forget(owner) {
      flightsByOwner.delete(owner);
    },
  };
}

function wait({ waiting, end }: Flight, signal: AbortSignal): Promise<Shared> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      waiter.leave();
      reject(signal.reason);
      if (waiting.size === 0) end(signal.reason);
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
