/**
 * Requests in flight by age. A young one takes a shared slot, an old one only its place. A probe, the first request to
 * a destination of which none has ended, gives up its slot sooner: thousands of new destinations may hang at the same
 * moment, and each costs a slot once.
 */
import type { Clock } from '../kernel/lib/time-units.ts';
import type { ClaimedDelivery } from './queue.ts';

export interface AgeLimits {
  /** Then a request is slow, and takes no slot. */
  readonly slowAfterMs: number;
  /** Then a probe takes no slot, though it may still end quickly. */
  readonly probeMs: number;
  /** Then a probe times out if untried destinations wait for its place. */
  readonly yieldAfterMs: number;
}

export function createInFlight({ slowAfterMs, probeMs, yieldAfterMs }: AgeLimits, clock: Clock) {
  /** Taken, and whether as probes. */
  const taken = new Map<ClaimedDelivery, boolean>();
  /** Start times of probes, and of requests with a slot; the oldest first. */
  const probes = new Map<ClaimedDelivery, number>();
  const inSlots = { probes: new Map<ClaimedDelivery, number>(), others: new Map<ClaimedDelivery, number>() };
  const leaveSlot = (delivery: ClaimedDelivery) =>
    taken.delete(delivery) || inSlots.probes.delete(delivery) || inSlots.others.delete(delivery);
  const begunBy = (begun: ReadonlyMap<ClaimedDelivery, number>, line: number, count = begun.size) => {
    const older: ClaimedDelivery[] = [];
    for (const [delivery, began] of begun) {
      if (began > line || older.length >= count) break;
      older.push(delivery);
    }
    return older;
  };
  return {
    take(delivery: ClaimedDelivery, isProbe: boolean) {
      taken.set(delivery, isProbe);
    },
    /** Its age counts from here. */
    begin(delivery: ClaimedDelivery) {
      const isProbe = taken.get(delivery) === true;
      const now = clock();
      taken.delete(delivery);
      if (isProbe) probes.set(delivery, now);
      inSlots[isProbe ? 'probes' : 'others'].set(delivery, now);
    },
    /** @returns whether it still took a slot, and whether it was quick */
    end(delivery: ClaimedDelivery) {
      // Others than probes keep their slot until they are slow.
      const began = probes.get(delivery) ?? inSlots.others.get(delivery) ?? Number.NEGATIVE_INFINITY;
      const isQuick = clock() - began < slowAfterMs;
      probes.delete(delivery);
      return { tookSlot: leaveSlot(delivery), isQuick };
    },
    /** @returns requests that became too old for a slot */
    expire() {
      const now = clock();
      const expired = begunBy(inSlots.others, now - slowAfterMs);
      if (inSlots.probes.size > 0) expired.push(...begunBy(inSlots.probes, now - probeMs));
      for (const delivery of expired) leaveSlot(delivery);
      return expired;
    },
    isProbe: (delivery: ClaimedDelivery) => taken.get(delivery) ?? probes.has(delivery),
    /** The oldest yielding probes, up to `count`. */
    yielding: (count: number) => begunBy(probes, clock() - yieldAfterMs, count),
    /** Null without taken slots. */
    nextSlotMs() {
      const [probe] = inSlots.probes.values();
      const [other] = inSlots.others.values();
      if (probe === undefined && other === undefined) return null;
      const ends = Math.min(
        (probe ?? Number.POSITIVE_INFINITY) + probeMs,
        (other ?? Number.POSITIVE_INFINITY) + slowAfterMs,
      );
      return Math.max(0, ends - clock());
    },
    get slots() {
      return taken.size + inSlots.probes.size + inSlots.others.size;
    },
  };
}
