/**
 * Fairness over destinations. Each has a lane: a queue in memory with a concurrency limit of its own. The limit is AIMD
 * (additive increase, multiplicative decrease): one more after each quick success, half after a sign of overload. A
 * destination that hangs fills its own lane and no other.
 */
import { createByteBudget } from './byte-budget.ts';
import type { ClaimQuota } from './claim-quota.ts';
import type { ClaimedDelivery } from './queue.ts';

export interface LaneLimits {
  /** Requests at once over all destinations, counting those that began within `slowAfterMs`. */
  readonly slots: number;
  /** So many of the slots there are at first. Each request that ends, or is slow, adds one. */
  readonly firstSlots: number;
  /** Requests at once over all destinations, whatever their age. */
  readonly allSlots: number;
  /** The highest limit of a lane. */
  readonly perDestination: number;
  /** The first limit of a lane. */
  readonly initial: number;
  /** After this long a request is slow: it no longer takes one of the slots that destinations share. */
  readonly slowAfterMs: number;
  /** Bytes of payloads, waiting and in flight. */
  readonly bytes: number;
}

export const laneLimits: LaneLimits = {
  slots: 256,
  firstSlots: 16,
  allSlots: 1_024,
  perDestination: 128,
  initial: 8,
  slowAfterMs: 1_000,
  bytes: 64 * 1024 * 1024,
};

/**
 * More deliveries are claimed than can be sent at once, so that slots are filled while results are being stored and one
 * commit serves many: by these factors over all destinations, and for one that keeps up.
 */
const prefetch = { all: 2, destination: 4 } as const;

/** Idle lanes that are kept, so that a destination keeps the limit that it has earned or lost. */
const maxLanes = 2_000;

/** How a request ended, as the limiter sees it: `overload` shrinks the lane, `failure` leaves it as it is. */
export type LaneResult = 'success' | 'failure' | 'overload';

interface Lane {
  /** Requests at once. */
  limit: number;
  sending: number;
  /** Claimed, and waiting for a slot. */
  queued: ClaimedDelivery[];
}

export interface Lanes {
  /** The room for more claims; null if there is none. */
  quota(): ClaimQuota | null;
  add(delivery: ClaimedDelivery): void;
  /** Takes a slot for the next delivery; null if no delivery can be sent now. Ends with `release`. */
  take(): ClaimedDelivery | null;
  /** Gives back the slot of a delivery. */
  release(delivery: ClaimedDelivery, result: LaneResult): void;
  /** Goes back to few slots: what was claimed may be the reason of a failure. */
  restart(): void;
  /** Removes the queued deliveries of one destination, or of all. */
  drain(webhookId?: string): ClaimedDelivery[];
  /** Requests that can be made at once, without slow ones. */
  readonly slots: number;
  /** The limits of the lanes that are known. */
  limits(): readonly number[];
  /** Requests at this moment. */
  readonly sending: number;
  /** Deliveries that wait for a slot. */
  readonly queued: number;
}

/** @param clock monotonic milliseconds */
export function createLanes(limits: LaneLimits, clock: () => number): Lanes {
  const lanes = new Map<string, Lane>();
  /** Lanes with queued deliveries, in the order in which they are served. */
  const rotation = new Set<Lane>();
  /** Requests that take a slot, with the time at which they began, the oldest first. */
  const recent = new Map<ClaimedDelivery, number>();
  const bytes = createByteBudget(limits.bytes);
  /** Slots, as many as there are now: a process that dies young has claimed little, and one that cannot cope goes on slowly. */
  let slots = Math.min(limits.firstSlots, limits.slots);
  let sending = 0;
  let queued = 0;
  let cursor = '';

  const laneOf = (webhookId: string, failing: boolean): Lane => {
    let lane = lanes.get(webhookId);
    if (lane === undefined) {
      lane = { limit: failing ? 1 : limits.initial, sending: 0, queued: [] };
      lanes.set(webhookId, lane);
    }
    return lane;
  };
  const leaveRecent = (delivery: ClaimedDelivery): boolean => {
    const left = recent.delete(delivery);
    if (left) slots = Math.min(limits.slots, slots + 1);
    return left;
  };
  const expireRecent = () => {
    const line = clock() - limits.slowAfterMs;
    for (const [delivery, began] of recent) {
      if (began > line) return;
      leaveRecent(delivery);
      bytes.move(delivery, 'quick', 'slow');
    }
  };
  const prune = () => {
    for (const [id, lane] of lanes) if (lane.sending === 0 && lane.queued.length === 0) lanes.delete(id);
  };
  return {
    quota() {
      expireRecent();
      const total = Math.min(prefetch.all * slots - recent.size, limits.allSlots - sending) - queued;
      const bytesLeft = bytes.room();
      if (total <= 0 || bytesLeft === null) return null;
      const perDestination = new Map<string, number>();
      for (const [id, lane] of lanes) {
        // Nothing is prefetched for a destination that is slow: it would wait until its lease ends.
        const limit = lane.limit > limits.initial ? prefetch.destination * lane.limit : lane.limit;
        const room = limit - lane.sending - lane.queued.length;
        if (room !== limits.initial) perDestination.set(id, room);
      }
      return { total, perDestination, default: limits.initial, bytes: bytesLeft, cursor };
    },
    add(delivery) {
      const { webhookId, failing } = delivery.destination;
      const lane = laneOf(webhookId, failing);
      lane.queued.push(delivery);
      rotation.add(lane);
      queued += 1;
      bytes.move(delivery, null, 'queued');
      cursor = webhookId;
    },
    take() {
      expireRecent();
      if (recent.size >= slots || sending >= limits.allSlots) return null;
      for (const lane of rotation) {
        if (lane.sending >= lane.limit) continue;
        const delivery = lane.queued.shift();
        // To the end of the rotation: the other destinations come first now.
        rotation.delete(lane);
        if (delivery === undefined) continue;
        if (lane.queued.length > 0) rotation.add(lane);
        lane.sending += 1;
        sending += 1;
        queued -= 1;
        recent.set(delivery, clock());
        bytes.move(delivery, 'queued', 'quick');
        return delivery;
      }
      return null;
    },
    release(delivery, result) {
      const { webhookId, failing } = delivery.destination;
      const lane = laneOf(webhookId, failing);
      lane.sending -= 1;
      sending -= 1;
      expireRecent();
      // A destination that succeeds slowly keeps the limit that it has.
      const quick = leaveRecent(delivery);
      bytes.move(delivery, quick ? 'quick' : 'slow', null);
      if (result === 'success' && quick) lane.limit = Math.min(limits.perDestination, lane.limit + 1);
      if (result === 'overload') lane.limit = Math.max(1, Math.floor(lane.limit / 2));
      if (lanes.size > maxLanes) prune();
    },
    restart() {
      slots = Math.min(limits.firstSlots, limits.slots);
    },
    drain(webhookId) {
      const drained = [...rotation].filter((lane) => webhookId === undefined || lane === lanes.get(webhookId));
      for (const lane of drained) rotation.delete(lane);
      const deliveries = drained.flatMap((lane) => lane.queued.splice(0));
      queued -= deliveries.length;
      for (const delivery of deliveries) bytes.move(delivery, 'queued', null);
      return deliveries;
    },
    get slots() {
      return slots;
    },
    limits: () => [...lanes.values()].map(({ limit }) => limit),
    get sending() {
      return sending;
    },
    get queued() {
      return queued;
    },
  };
}
