/**
 * Fairness over destinations. Each has a lane (lane.ts): a queue in memory with a limit of its own. A destination that hangs
 * fills its own lane and no other, and all that hang or are unknown leave places to those that answer (standing.ts).
 */
import { createByteBudget } from './byte-budget.ts';
import type { ClaimQuota } from './claim-quota.ts';
import { createLane, isIdle, type Lane, type LaneResult, limitAfter, limitOf, roomOf, standingOf } from './lane.ts';
import type { ClaimedDelivery } from './queue.ts';
import { lesser, partFor, partsOf, type Standing } from './standing.ts';

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
 * More deliveries are claimed than can be sent at once, over all destinations, so that slots are filled while results are
 * being stored and one commit serves many.
 */
const prefetch = 2;

/** Lanes that are kept, so that a destination keeps the limit that it has earned or lost. */
const maxLanes = 10_000;

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

/** What the lanes of one standing hold. */
interface Load {
  queued: number;
  sending: number;
  /** Of those that are sent, the ones that take a slot. */
  recent: number;
  /** Lanes with queued deliveries, in the order in which they are served. */
  readonly rotation: Set<Lane>;
}

/** @param clock monotonic milliseconds */
export function createLanes(limits: LaneLimits, clock: () => number): Lanes {
  const lanes = new Map<string, Lane>();
  const emptyLoad = (): Load => ({ queued: 0, sending: 0, recent: 0, rotation: new Set() });
  const loads: Readonly<Record<Standing, Load>> = { quick: emptyLoad(), young: emptyLoad(), slow: emptyLoad() };
  /** The standings, in the order in which they are served. */
  let turns: readonly Standing[] = ['quick', 'young', 'slow'];
  /** Requests that take a slot, with the time at which they began, the oldest first. */
  const recent = new Map<ClaimedDelivery, number>();
  const bytes = createByteBudget(limits.bytes);
  /** Slots, as many as there are now: a process that dies young has claimed little, and one that cannot cope goes on slowly. */
  let slots = Math.min(limits.firstSlots, limits.slots);
  let cursor = '';

  const sum = (of: 'queued' | 'sending') => loads.quick[of] + loads.young[of] + loads.slow[of];
  const laneOf = ({ destination: { webhookId, failing } }: ClaimedDelivery): Lane => {
    let lane = lanes.get(webhookId);
    if (lane === undefined) {
      lane = createLane(limits, failing);
      lanes.set(webhookId, lane);
    }
    return lane;
  };
  const count = (lane: Lane, sign: 1 | -1) => {
    const load = loads[standingOf(lane)];
    load.queued += sign * lane.queued.length;
    load.sending += sign * lane.sending;
    load.recent += sign * (lane.sending - lane.slow);
  };
  /** Changes a lane, and where it is counted and waits for its turn. */
  const change = (lane: Lane, work: () => void) => {
    const before = standingOf(lane);
    count(lane, -1);
    work();
    count(lane, 1);
    if (standingOf(lane) !== before || lane.queued.length === 0) loads[before].rotation.delete(lane);
    if (lane.queued.length > 0) loads[standingOf(lane)].rotation.add(lane);
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
      const lane = laneOf(delivery);
      change(lane, () => {
        lane.slow += 1;
      });
      bytes.move(delivery, 'quick', 'slow');
    }
  };
  /** Requests that can begin now. What has begun just now may hang, too: it takes half of the places that are left at most. */
  const free = () => {
    const places = limits.allSlots - sum('sending');
    return Math.min(slots, places) - recent.size;
  };
  const admits = (standing: Standing): boolean => {
    const inSlots = partsOf(slots, { young: loads.young.recent, slow: loads.slow.recent });
    const inPlaces = partsOf(limits.allSlots, { young: loads.young.sending, slow: loads.slow.sending });
    return partFor(standing, lesser(inSlots, inPlaces)) > 0;
  };
  const begin = (lane: Lane, delivery: ClaimedDelivery) => {
    // To the end of the rotation: the other destinations come first now.
    loads[standingOf(lane)].rotation.delete(lane);
    change(lane, () => {
      lane.queued.shift();
      lane.sending += 1;
    });
    recent.set(delivery, clock());
    bytes.move(delivery, 'queued', 'quick');
    return delivery;
  };
  const takeFrom = (standing: Standing): ClaimedDelivery | null => {
    // The part of the free places with which a destination alone reaches the highest limit: of many, each leaves some to others.
    const part = limits.perDestination / (limits.allSlots - limits.perDestination);
    const share = Math.max(1, Math.ceil((limits.allSlots - sum('sending')) * part));
    for (const lane of loads[standing].rotation) {
      const [delivery] = lane.queued;
      if (delivery === undefined || lane.sending >= Math.min(limitOf(lane, limits), share)) continue;
      return begin(lane, delivery);
    }
    return null;
  };
  /** Those that are idle and not quick first: whether they fail is stored. */
  const prune = () => {
    for (const anyStanding of [false, true]) {
      if (lanes.size <= maxLanes) return;
      for (const [id, lane] of lanes) {
        if (isIdle(lane) && (anyStanding || standingOf(lane) !== 'quick')) lanes.delete(id);
      }
    }
  };
  const standingIn = (webhookId: string): Standing => {
    const lane = lanes.get(webhookId);
    return lane === undefined ? 'young' : standingOf(lane);
  };
  return {
    quota() {
      expireRecent();
      const queued = sum('queued');
      const total = Math.min(prefetch * slots - recent.size, limits.allSlots - sum('sending')) - queued;
      const bytesLeft = bytes.room(standingIn);
      if (total <= 0 || bytesLeft === null) return null;
      const perDestination = new Map<string, number>();
      const standings = new Map<string, Standing>();
      for (const [id, lane] of lanes) {
        standings.set(id, standingOf(lane));
        const room = roomOf(lane, limits);
        if (room !== 1) perDestination.set(id, room);
      }
      const held = (of: 'sending' | 'recent') => ({
        young: loads.young[of] + loads.young.queued,
        slow: loads.slow[of] + loads.slow.queued,
      });
      const parts = lesser(partsOf(prefetch * slots, held('recent')), partsOf(limits.allSlots, held('sending')));
      return { total, parts, perDestination, default: 1, standings, bytes: bytesLeft, cursor };
    },
    add(delivery) {
      const lane = laneOf(delivery);
      change(lane, () => lane.queued.push(delivery));
      bytes.move(delivery, null, 'queued');
      cursor = delivery.destination.webhookId;
    },
    take() {
      expireRecent();
      if (free() <= 0) return null;
      for (const standing of turns) {
        const delivery = admits(standing) ? takeFrom(standing) : null;
        if (delivery === null) continue;
        turns = [...turns.filter((each) => each !== standing), standing];
        return delivery;
      }
      return null;
    },
    release(delivery, result) {
      const lane = laneOf(delivery);
      expireRecent();
      const quick = leaveRecent(delivery);
      change(lane, () => {
        lane.sending -= 1;
        if (!quick) lane.slow -= 1;
        lane.limit = limitAfter(lane, limits, { result, quick });
        lane.ended = quick ? 'quick' : 'slow';
      });
      bytes.move(delivery, quick ? 'quick' : 'slow', null);
      if (lanes.size > maxLanes) prune();
    },
    restart() {
      slots = Math.min(limits.firstSlots, limits.slots);
    },
    drain(webhookId) {
      const own = webhookId === undefined ? [...lanes.values()] : [lanes.get(webhookId) ?? []].flat();
      const drained = own.flatMap((lane) => {
        const { queued } = lane;
        if (queued.length > 0) {
          change(lane, () => {
            lane.queued = [];
          });
        }
        return queued;
      });
      for (const delivery of drained) bytes.move(delivery, 'queued', null);
      return drained;
    },
    get slots() {
      return slots;
    },
    limits: () => [...lanes.values()].map(({ limit }) => limit),
    get sending() {
      return sum('sending');
    },
    get queued() {
      return sum('queued');
    },
  };
}
