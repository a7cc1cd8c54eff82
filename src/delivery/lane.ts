/**
 * A destination's lane: a queue in memory with a limit of concurrent requests, AIMD (additive increase, multiplicative
 * decrease): one more after each quick success, half after a sign of overload, one after a request that hung, and a
 * single request until a destination answers.
 */
import type { ClaimedDelivery } from './queue.ts';
import type { Standing } from './standing.ts';

/** A request's end: `overload` shrinks the lane, `failure` leaves it, `unsent` says nothing. */
export type LaneResult = 'success' | 'failure' | 'overload' | 'unsent';

export interface Lane {
  /** Concurrent requests, once it has answered. */
  limit: number;
  sending: number;
  slow: number;
  /** Claimed, without a slot. */
  queued: ClaimedDelivery[];
  /** The last request's end; null before the first. */
  ended: 'quick' | 'slow' | null;
}

interface LimitsOfLane {
  readonly initial: number;
  readonly perDestination: number;
}

/** Claims for a destination that keeps up, in times of its limit. */
const claimsPerRequest = 4;

/** @param failing since the destination's last success */
export const createLane = ({ initial }: LimitsOfLane, failing: boolean): Lane => ({
  limit: failing ? 1 : initial,
  sending: 0,
  slow: 0,
  queued: [],
  ended: failing ? 'slow' : null,
});

export function standingOfLane({ slow, ended }: Lane): Standing {
  if (slow > 0 || ended === 'slow') return 'slow';
  return ended === 'quick' ? 'quick' : 'young';
}

export const isIdle = ({ sending, queued }: Lane): boolean => sending === 0 && queued.length === 0;

/** Concurrent requests, by the destination's standing. */
export function limitOf(lane: Lane, { initial }: LimitsOfLane): number {
  if (lane.ended === null) return 1;
  return standingOfLane(lane) === 'quick' ? lane.limit : Math.min(lane.limit, initial);
}

/** Claimable deliveries. None are prefetched for a slow destination: they would wait until their leases end. */
export function roomOf(lane: Lane, limits: LimitsOfLane): number {
  const limit = limitOf(lane, limits);
  return (limit > limits.initial ? claimsPerRequest * limit : limit) - lane.sending - lane.queued.length;
}

/** The limit after a request. Slow success earns the initial limit and no more. */
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
