/**
 * Fairness over endpoints: each has a lane with a limit of its own, which grows while the endpoint keeps up and shrinks
 * when it does not. An endpoint that hangs fills its lane and nothing else.
 */
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

export const laneLimits: LaneLimits = { slots: 128, allSlots: 1_024, perEndpoint: 64, initial: 8, patienceMs: 1_000 };

/**
 * More deliveries are claimed than can be sent at once, so that places are filled while results are being stored, and one
 * commit serves many.
 */
const readyFactor = 4;

/** Lanes that are kept when nothing is in them, so that an endpoint keeps the trust that it has earned, or lost. */
const keptLanes = 10_000;

interface Lane {
  /** Requests that the endpoint is trusted to take at once. */
  cap: number;
  sending: number;
  /** Claimed, and waiting for a place. */
  ready: Job[];
}

export interface Lanes {
  /** How many more deliveries to claim of each endpoint. */
  share(due: readonly string[]): [string, number][];
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
    const line = clock() - limits.patienceMs;
    for (const [job, began] of young) {
      if (began > line) return;
      young.delete(job);
    }
  };
  const prune = () => {
    for (const [id, lane] of lanes) if (lane.sending === 0 && lane.ready.length === 0) lanes.delete(id);
  };
  /** Each endpoint once, the one behind the last that was served first. */
  const inTurn = (ids: readonly string[]): string[] => {
    const sorted = [...ids].sort();
    const start = sorted.findIndex((id) => id > last);
    return start <= 0 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
  };

  return {
    share(due) {
      age();
      let budget = Math.min(readyFactor * limits.slots - young.size, limits.allSlots - sending) - ready;
      const shares: [string, number][] = [];
      const ids = inTurn(due);
      for (const [index, id] of ids.entries()) {
        if (budget <= 0) break;
        const lane = lanes.get(id);
        // Nothing is kept ready for an endpoint that is slow: it would wait out its lease.
        const cap = lane?.cap ?? limits.initial;
        const room =
          (cap > limits.initial ? readyFactor * cap : cap) -
          (lane === undefined ? 0 : lane.sending + lane.ready.length);
        const count = Math.min(room, Math.ceil(budget / (ids.length - index)));
        if (count <= 0) continue;
        shares.push([id, count]);
        budget -= count;
        last = id;
      }
      return shares;
    },
    add(job) {
      laneOf(job.target.webhookId, job.target.failing).ready.push(job);
      ready += 1;
    },
    take() {
      age();
      if (young.size >= limits.slots || sending >= limits.allSlots || ready === 0) return null;
      for (const [id, lane] of lanes) {
        const job = lane.sending < lane.cap ? lane.ready.shift() : undefined;
        if (job === undefined) continue;
        // To the end of the line: the other endpoints come first now.
        lanes.delete(id);
        lanes.set(id, lane);
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
      young.delete(job);
      if (result === 'well') lane.cap = Math.min(limits.perEndpoint, lane.cap + 1);
      if (result === 'slowly') lane.cap = Math.max(1, Math.floor(lane.cap / 2));
      if (lanes.size > keptLanes) prune();
    },
    withdraw(webhookId) {
      const ids = webhookId === undefined ? [...lanes.keys()] : [webhookId];
      const withdrawn = ids.flatMap((id) => lanes.get(id)?.ready.splice(0) ?? []);
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
