/**
 * Fairness over destinations: each fills its own lane (lane.ts) and no other, and all that hang or are unknown leave
 * places to those that answer (standing.ts).
 */
import type { Clock } from '../kernel/lib/time-units.ts';
import { createByteBudget } from './byte-budget.ts';
import type { ClaimQuota } from './claim-quota.ts';
import { type AgeLimits, createInFlight } from './in-flight.ts';
import { createLane, isIdle, type Lane, type LaneResult, limitAfter, limitOf, roomOf, standingOfLane } from './lane.ts';
import type { ClaimedDelivery } from './queue.ts';
import { lesser, partFor, partsOf, type Standing } from './standing.ts';

export interface LaneLimits extends AgeLimits {
  /** Over all destinations, without requests too old for a slot. */
  readonly slots: number;
  /** The slots of the start. Each request that ends, or is slow, adds one. */
  readonly firstSlots: number;
  /** Requests over all destinations, whatever their age. */
  readonly allSlots: number;
  /** A lane's highest limit. */
  readonly perDestination: number;
  /** A lane's first limit. */
  readonly initial: number;
  /** Size of the payloads, waiting and in flight. */
  readonly bytes: number;
}

export const laneLimits: LaneLimits = {
  slots: 256,
  firstSlots: 16,
  allSlots: 1_024,
  perDestination: 128,
  initial: 8,
  slowAfterMs: 1_000,
  // 768 new destinations get their first request in a second, not 192.
  probeMs: 250,
  // Few working receivers take longer, and their next request has the whole deadline.
  yieldAfterMs: 2_000,
  bytes: 64 * 1024 * 1024,
};

/** Claims in times of the slots: slots are filled while results are stored, and one commit serves many. */
const claimsPerSlot = 2;

/** Kept lanes: a destination keeps the limit that it has earned or lost. */
const maxLanes = 10_000;

export type Lanes = ReturnType<typeof createLanes>;

/** Load of the lanes of one standing. */
interface Load {
  queued: number;
  sending: number;
  /** Requests in flight that have a slot. */
  recent: number;
  /** Lanes with queued deliveries, in their order. */
  readonly rotation: Set<Lane>;
}

export function createLanes(limits: LaneLimits, clock: Clock) {
  const lanes = new Map<string, Lane>();
  const emptyLoad = (): Load => ({ queued: 0, sending: 0, recent: 0, rotation: new Set() });
  const loads: Readonly<Record<Standing, Load>> = { quick: emptyLoad(), young: emptyLoad(), slow: emptyLoad() };
  /** In their order of service. */
  let turns: readonly Standing[] = ['quick', 'young', 'slow'];
  const inFlight = createInFlight(limits, clock);
  const bytes = createByteBudget(limits.bytes);
  /** Grows: a process that dies young has claimed little, and one that cannot cope stays slow. */
  let slots = Math.min(limits.firstSlots, limits.slots);
  let cursor = '';

  const sum = (of: 'queued' | 'sending') => loads.quick[of] + loads.young[of] + loads.slow[of];
  /** Claims of destinations that are not quick. */
  const held = (of: 'sending' | 'recent') => ({
    young: loads.young[of] + loads.young.queued,
    slow: loads.slow[of] + loads.slow.queued,
  });
  const laneOf = ({ destination: { webhookId, failing } }: ClaimedDelivery): Lane => {
    let lane = lanes.get(webhookId);
    if (lane === undefined) {
      lane = createLane(limits, failing);
      lanes.set(webhookId, lane);
    }
    return lane;
  };
  const count = (lane: Lane, sign: 1 | -1) => {
    const load = loads[standingOfLane(lane)];
    load.queued += sign * lane.queued.length;
    load.sending += sign * lane.sending;
    load.recent += sign * (lane.sending - lane.slow);
  };
  /** Keeps counts and turns right over a lane's change. */
  const change = (lane: Lane, work: () => void) => {
    const before = standingOfLane(lane);
    count(lane, -1);
    work();
    count(lane, 1);
    if (standingOfLane(lane) !== before || lane.queued.length === 0) loads[before].rotation.delete(lane);
    if (lane.queued.length > 0) loads[standingOfLane(lane)].rotation.add(lane);
  };
  const addSlot = () => {
    slots = Math.min(limits.slots, slots + 1);
  };
  const expire = () => {
    for (const delivery of inFlight.expire()) {
      addSlot();
      const lane = laneOf(delivery);
      change(lane, () => {
        lane.slow += 1;
      });
      bytes.move(delivery, 'quick', 'slow');
    }
  };
  /** Requests that can begin now: new ones may hang, and take at most half of the places left. */
  const free = () => {
    const places = limits.allSlots - sum('sending');
    return Math.min(slots, places) - inFlight.slots;
  };
  const admits = (standing: Standing): boolean => {
    if (standing === 'quick') return true;
    const inSlots = partsOf(slots, { young: loads.young.recent, slow: loads.slow.recent });
    const inPlaces = partsOf(limits.allSlots, { young: loads.young.sending, slow: loads.slow.sending });
    return partFor(standing, lesser(inSlots, inPlaces)) > 0;
  };
  const place = (lane: Lane, delivery: ClaimedDelivery) => {
    // Behind the other destinations.
    loads[standingOfLane(lane)].rotation.delete(lane);
    change(lane, () => {
      lane.queued.shift();
      lane.sending += 1;
    });
    inFlight.take(delivery, lane.ended === null);
    bytes.move(delivery, 'queued', 'quick');
    return delivery;
  };
  const takeFrom = (standing: Standing): ClaimedDelivery | null => {
    // The part of the free places with which a lone destination reaches the highest limit: many leave some to each other.
    const part = limits.perDestination / (limits.allSlots - limits.perDestination);
    const share = Math.max(1, Math.ceil((limits.allSlots - sum('sending')) * part));
    for (const lane of loads[standing].rotation) {
      const [delivery] = lane.queued;
      if (delivery === undefined || lane.sending >= Math.min(limitOf(lane, limits), share)) continue;
      return place(lane, delivery);
    }
    return null;
  };
  /** Idle lanes that are not quick first: failing is stored. */
  const prune = () => {
    for (const anyStanding of [false, true]) {
      if (lanes.size <= maxLanes) return;
      for (const [id, lane] of lanes) {
        if (isIdle(lane) && (anyStanding || standingOfLane(lane) !== 'quick')) lanes.delete(id);
      }
    }
  };
  const standingIn = (webhookId: string): Standing => {
    const lane = lanes.get(webhookId);
    return lane === undefined ? 'young' : standingOfLane(lane);
  };
  return {
    /** Null without room for claims. */
    quota(): ClaimQuota | null {
      expire();
      const queued = sum('queued');
      const total = Math.min(claimsPerSlot * slots - inFlight.slots, limits.allSlots - sum('sending')) - queued;
      const bytesLeft = bytes.room(standingIn);
      if (total <= 0 || bytesLeft === null) return null;
      const perDestination = new Map<string, number>();
      const standings = new Map<string, Standing>();
      for (const [id, lane] of lanes) {
        standings.set(id, standingOfLane(lane));
        const room = roomOf(lane, limits);
        if (room !== 1) perDestination.set(id, room);
      }
      const parts = lesser(partsOf(claimsPerSlot * slots, held('recent')), partsOf(limits.allSlots, held('sending')));
      return { total, parts, perDestination, default: 1, standings, bytes: bytesLeft, cursor };
    },
    add(delivery: ClaimedDelivery) {
      const lane = laneOf(delivery);
      change(lane, () => lane.queued.push(delivery));
      bytes.move(delivery, null, 'queued');
      cursor = delivery.destination.webhookId;
    },
    resumeAfter(webhookId: string) {
      cursor = webhookId;
    },
    /** Null if none can be sent now; ends with `release`. */
    take() {
      expire();
      if (free() <= 0) return null;
      for (const standing of turns) {
        const delivery = admits(standing) ? takeFrom(standing) : null;
        if (delivery === null) continue;
        if (turns.at(-1) !== standing) turns = [...turns.filter((each) => each !== standing), standing];
        return delivery;
      }
      return null;
    },
    /** Its request begins: until here, nothing says how quick its destination is. */
    begin: (delivery: ClaimedDelivery) => inFlight.begin(delivery),
    release(delivery: ClaimedDelivery, result: LaneResult) {
      const lane = laneOf(delivery);
      expire();
      const { tookSlot, isQuick } = inFlight.end(delivery);
      if (tookSlot) addSlot();
      change(lane, () => {
        lane.sending -= 1;
        if (!tookSlot) lane.slow -= 1;
        if (result === 'unsent') return;
        lane.limit = limitAfter(lane, limits, { result, quick: isQuick });
        lane.ended = isQuick ? 'quick' : 'slow';
      });
      bytes.move(delivery, tookSlot ? 'quick' : 'slow', null);
      if (lanes.size > maxLanes) prune();
    },
    /** Probes to end, as so many untried destinations find no place. */
    yielding(waiting: number) {
      const places = partsOf(limits.allSlots, held('sending')).notQuick;
      const hasBytes = (bytes.room(standingIn)?.parts.notQuick ?? 0) > 0;
      return inFlight.yielding(hasBytes ? waiting - places : waiting);
    },
    /** A probe: the first request to a destination of which none has ended. */
    isProbe: (delivery: ClaimedDelivery) => inFlight.isProbe(delivery),
    /** Milliseconds until a slot comes free by age; null if none will. */
    nextSlotMs: () => (sum('queued') === 0 ? null : inFlight.nextSlotMs()),
    /** Back to few slots, as the claims may have caused a failure. */
    restart() {
      slots = Math.min(limits.firstSlots, limits.slots);
    },
    drain(webhookId?: string) {
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
    /** Without slow requests. */
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
