/** Bytes of payloads in memory. As with slots, each destination, and all that are not quick, leave a part to others. */
import type { Room } from './claim-quota.ts';
import type { ClaimedDelivery } from './queue.ts';
import { lesser, partsOf, type Standing } from './standing.ts';

/** State of a delivery: waits for a slot, is in flight, or takes so long that it counts as slow. */
type Holding = 'queued' | 'quick' | 'slow';

/** Shares of those not slow, of one destination, and of one claim, as claims are read and encoded without a pause. */
const share = { notSlow: 1 / 2, destination: 1 / 8, claim: 1 / 16 } as const;

/** @param limit bytes; the last delivery claimed within it may exceed it */
export function createByteBudget(limit: number) {
  const byDestination = new Map<string, { notSlow: number; slow: number }>();

  return {
    /** From one account to another; null before the claim and after the end. */
    move({ body, destination: { webhookId } }: ClaimedDelivery, from: Holding | null, to: Holding | null) {
      const bytes = body instanceof Error ? 0 : body.byteLength;
      const held = byDestination.get(webhookId) ?? { notSlow: 0, slow: 0 };
      if (from !== null) held[from === 'slow' ? 'slow' : 'notSlow'] -= bytes;
      if (to !== null) held[to === 'slow' ? 'slow' : 'notSlow'] += bytes;
      if (held.notSlow + held.slow > 0) byDestination.set(webhookId, held);
      else byDestination.delete(webhookId);
    },
    /** Null without room for claims. */
    room(standing: (webhookId: string) => Standing): Room | null {
      const all = { quick: 0, young: 0, slow: 0 };
      const notSlow = { quick: 0, young: 0, slow: 0 };
      for (const [id, held] of byDestination) {
        all[standing(id)] += held.notSlow + held.slow;
        notSlow[standing(id)] += held.notSlow;
      }
      const sum = ({ quick, young, slow }: typeof all) => quick + young + slow;
      const left = Math.min(limit * share.notSlow - sum(notSlow), limit - sum(all));
      if (left <= 0) return null;
      const ofDestination = limit * share.destination;
      return {
        total: Math.min(left, limit * share.claim),
        parts: lesser(partsOf(limit * share.notSlow, notSlow), partsOf(limit, all)),
        perDestination: new Map([...byDestination].map(([id, held]) => [id, ofDestination - held.notSlow - held.slow])),
        default: ofDestination,
      };
    },
  };
}
