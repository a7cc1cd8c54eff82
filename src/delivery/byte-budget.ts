/**
 * How many bytes of payloads a process has in memory, and how many more it may claim. As with slots, slow requests leave
 * a part of the budget to others, and so does each destination, and so do all that are not quick.
 */
import type { Room } from './claim-quota.ts';
import type { ClaimedDelivery } from './queue.ts';
import { lesser, partsOf, type Standing } from './standing.ts';

/** What a delivery is doing: it waits for a slot, is in flight, or has been for so long that it counts as slow. */
export type Holding = 'queued' | 'quick' | 'slow';

/**
 * What part of the budget those can have that are not slow, what part one destination can have, and what part is claimed at
 * once: claims are read and encoded without a pause.
 */
const part = { notSlow: 1 / 2, destination: 1 / 8, claim: 1 / 16 } as const;

export interface ByteBudget {
  /** Counts a delivery for something else; null before it is claimed, and when it is over. */
  move(delivery: ClaimedDelivery, from: Holding | null, to: Holding | null): void;
  /** The room for more claims; null if there is none. */
  room(standing: (webhookId: string) => Standing): Room | null;
}

/** @param limit bytes; the last delivery that is claimed within it may exceed it */
export function createByteBudget(limit: number): ByteBudget {
  const byDestination = new Map<string, { notSlow: number; slow: number }>();

  return {
    move({ body, destination: { webhookId } }, from, to) {
      const bytes = body instanceof Error ? 0 : body.byteLength;
      const held = byDestination.get(webhookId) ?? { notSlow: 0, slow: 0 };
      if (from !== null) held[from === 'slow' ? 'slow' : 'notSlow'] -= bytes;
      if (to !== null) held[to === 'slow' ? 'slow' : 'notSlow'] += bytes;
      if (held.notSlow + held.slow > 0) byDestination.set(webhookId, held);
      else byDestination.delete(webhookId);
    },
    room(standing) {
      const all = { quick: 0, young: 0, slow: 0 };
      const notSlow = { quick: 0, young: 0, slow: 0 };
      for (const [id, held] of byDestination) {
        all[standing(id)] += held.notSlow + held.slow;
        notSlow[standing(id)] += held.notSlow;
      }
      const sum = ({ quick, young, slow }: typeof all) => quick + young + slow;
      const left = Math.min(limit * part.notSlow - sum(notSlow), limit - sum(all));
      if (left <= 0) return null;
      const ofDestination = limit * part.destination;
      return {
        total: Math.min(left, limit * part.claim),
        parts: lesser(partsOf(limit * part.notSlow, notSlow), partsOf(limit, all)),
        perDestination: new Map([...byDestination].map(([id, held]) => [id, ofDestination - held.notSlow - held.slow])),
        default: ofDestination,
      };
    },
  };
}
