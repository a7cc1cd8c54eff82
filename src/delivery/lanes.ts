/**
 * Fairness over endpoints: each has a lane with a limit of its own, which grows while the endpoint keeps up and shrinks
 * when it does not. An endpoint that hangs fills its lane and nothing else.
 */
import type { Demand } from './claim-quota.ts';
import type { Job } from './queue.ts';

export interface LaneLimits {
  /** Requests at once, over all endpoints, that have begun within `patienceMs`. */
  readonly slots: number;
  /** Requests at once, over all endpoints, however old. */
  readonly allSlots: number;
  /** Requests at once to one endpoint, at the most and at first. */
  readonly perEndpoint: number;
  readonly initial: number;
  /** A request that has lasted this long is slow: it does not count against the slots of the others any more. */
  readonly patienceMs: number;
}

export const laneLimits: LaneLimits = { slots: 256, allSlots: 1_024, perEndpoint: 128, initial: 8, patienceMs: 1_000 };

/**
 * More deliveries are claimed than can be sent at once, so that places are filled while results are being stored, and one
 * commit serves many: over all endpoints, and of one that keeps up.
 */
const readyFactors = { all: 2, endpoint: 4 } as const;

/** Lanes that are kept when nothing is in them, so that an endpoint keeps the trust that it has earned, or lost. */
const keptLanes = 2_000;

interface Lane {
  /** Requests that the endpoint is trusted to take at once. */
  cap: number;
  sending: number;
  /** Claimed, and waiting for a place. */
  ready: Job[];
}

export interface Lanes {
  /** What more to claim; null where there is no room. */
  demand(): Demand | null;
  add(job: Job): void;
  /** The next job that there is room for; null where there is none. */
  take(): Job | null;
  /** A request has ended. */
  ended(job: Job, result: 'well' | 'badly' | 'slowly'): void;
  /** Empties the lane of an endpoint, or all of them. */
  withdraw(webhookId?: string): Job[];
  /** Requests at this moment. */
  readonly sending: number;
  /** Jobs that wait for a place. */
  readonly ready: number;
}

/** @param clock milliseconds by a clock that never jumps */
export function createLanes(limits: LaneLimits, clock: () => number): Lanes {
  const lanes = new Map<string, Lane>();
  /** Those with something ready, in the order in which they are served. */
  const line = new Set<Lane>();
  /** Requests by their beginning, the oldest first, as long as they count against the slots. */
  const young = new Map<Job, number>();
  let sending = 0;
  let ready = 0;
  /** Where the next round over the endpoints begins. */
  let last = '';

  const laneOf = (webhookId: string, failing: boolean): Lane => {
    let lane = lanes.get(webhookId);
    if (lane === undefined) {
      lane = { cap: failing ? 1 : limits.initial, sending: 0, ready: [] };
      lanes.set(webhookId, lane);
    }
    return lane;
  };
  const age = () => {
    const past = clock() - limits.patienceMs;
    for (const [job, began] of young) {
      if (began > past) return;
      young.delete(job);
    }
  };
  const prune = () => {
    for (const [id, lane] of lanes) if (lane.sending === 0 && lane.ready.length === 0) lanes.delete(id);
  };
  return {
    demand() {
      age();
      const places = Math.min(readyFactors.all * limits.slots - young.size, limits.allSlots - sending) - ready;
      if (places <= 0) return null;
      const rooms = new Map<string, number>();
      for (const [id, lane] of lanes) {
        // Nothing is kept ready for an endpoint that is slow: it would wait out its lease.
        const cap = lane.cap > limits.initial ? readyFactors.endpoint * lane.cap : lane.cap;
        const room = cap - lane.sending - lane.ready.length;
        if (room !== limits.initial) rooms.set(id, room);
      }
      return { places, rooms, otherRoom: limits.initial, after: last };
    },
    add(job) {
      last = job.target.webhookId;
      const lane = laneOf(last, job.target.failing);
      lane.ready.push(job);
      line.add(lane);
      ready += 1;
    },
    take() {
      age();
      if (young.size >= limits.slots || sending >= limits.allSlots || ready === 0) return null;
      for (const lane of line) {
        if (lane.sending >= lane.cap) continue;
        const job = lane.ready.shift() as Job;
        // To the end of the line: the other endpoints come first now.
        line.delete(lane);
        if (lane.ready.length > 0) line.add(lane);
        lane.sending += 1;
        sending += 1;
        ready -= 1;
        young.set(job, clock());
        return job;
      }
      return null;
    },
    ended(job, result) {
      const { webhookId, failing } = job.target;
      const lane = laneOf(webhookId, failing);
      lane.sending -= 1;
      sending -= 1;
      // An endpoint that answers well, but takes its time, is trusted with no more than before.
      age();
      const quick = young.delete(job);
      if (result === 'well' && quick) lane.cap = Math.min(limits.perEndpoint, lane.cap + 1);
      if (result === 'slowly') lane.cap = Math.max(1, Math.floor(lane.cap / 2));
      if (lanes.size > keptLanes) prune();
    },
    withdraw(webhookId) {
      const emptied = [...line].filter((lane) => webhookId === undefined || lane === lanes.get(webhookId));
      for (const each of emptied) line.delete(each);
      const withdrawn = emptied.flatMap((each) => each.ready.splice(0));
      ready -= withdrawn.length;
      return withdrawn;
    },
    get sending() {
      return sending;
    },
    get ready() {
      return ready;
    },
  };
}
