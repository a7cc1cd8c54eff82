/**
 * The lane of one destination: a queue in memory with a limit of requests at once. The limit is AIMD (additive increase,
 * multiplicative decrease): one more after each quick success, half after a sign of overload, and one after a request that
 * hung. One that is not known to answer gets a single request.
 */
import type { ClaimedDelivery } from './queue.ts';
import type { Standing } from './standing.ts';

/** How a request ended, as the limiter sees it: `overload` shrinks the lane, `failure` leaves it as it is. */
export type LaneResult = 'success' | 'failure' | 'overload';

export interface Lane {
  /** Requests at once, once it has answered. */
  limit: number;
  sending: number;
  /** Of the requests in flight, those that are slow. */
  slow: number;
  /** Claimed, and waiting for a slot. */
  queued: ClaimedDelivery[];
  /** How the last request ended; null before the first has. */
  ended: 'quick' | 'slow' | null;
}

/** The limits of each lane. */
export interface LimitsOfLane {
  readonly initial: number;
  readonly perDestination: number;
}

/** For one that keeps up, more is claimed than can be sent at once, by this factor. */
const prefetch = 4;

/** @param failing whether the destination has been failing since its last success */
export const createLane = ({ initial }: LimitsOfLane, failing: boolean): Lane => ({
  limit: failing ? 1 : initial,
  sending: 0,
  slow: 0,
  queued: [],
  ended: failing ? 'slow' : null,
});

export function standingOf({ slow, ended }: Lane): Standing {
  if (slow > 0 || ended === 'slow') return 'slow';
  return ended === 'quick' ? 'quick' : 'young';
}

export const isIdle = ({ sending, queued }: Lane): boolean => sending === 0 && queued.length === 0;

/** Requests at once, as the destination stands. */
export function limitOf(lane: Lane, { initial }: LimitsOfLane): number {
  if (lane.ended === null) return 1;
  return standingOf(lane) === 'quick' ? lane.limit : Math.min(lane.limit, initial);
}

/** Deliveries that can be claimed. Nothing is prefetched for one that is slow: it would wait until its lease ends. */
export function roomOf(lane: Lane, limits: LimitsOfLane): number {
  const limit = limitOf(lane, limits);
  return (limit > limits.initial ? prefetch * limit : limit) - lane.sending - lane.queued.length;
}

/** The limit after a request has ended. One that succeeds slowly is trusted with the initial limit and no more. */
export function limitAfter(
  { limit }: Lane,
  { initial, perDestination }: LimitsOfLane,
  { result, quick }: { readonly result: LaneResult; readonly quick: boolean },
): number {
  if (result === 'success') {
    const highest = quick ? perDestination : initial;
    return limit < highest ? limit + 1 : limit;
  }
  if (!quick) return 1;
  return result === 'overload' ? Math.max(1, Math.floor(limit / 2)) : limit;
}
