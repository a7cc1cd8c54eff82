/**
 * How many bytes of payloads a process has in memory, and how many more it may claim. As with slots, slow requests leave
 * a part of the budget to others, and so does each destination.
 */
import type { Room } from './claim-quota.ts';
import type { ClaimedDelivery } from './queue.ts';

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
  room(): Room | null;
}

/** @param limit bytes; the last delivery that is claimed within it may exceed it */
export function createByteBudget(limit: number): ByteBudget {
  const held: Record<Holding, number> = { queued: 0, quick: 0, slow: 0 };
  const byDestination = new Map<string, number>();

  const countFor = (webhookId: string, bytes: number) => {
    const count = (byDestination.get(webhookId) ?? 0) + bytes;
    if (count > 0) byDestination.set(webhookId, count);
    else byDestination.delete(webhookId);
  };
  return {
    move({ body, destination }, from, to) {
      const bytes = body instanceof Error ? 0 : body.byteLength;
      if (from !== null) held[from] -= bytes;
      if (to !== null) held[to] += bytes;
      if (from === null) countFor(destination.webhookId, bytes);
      if (to === null) countFor(destination.webhookId, -bytes);
    },
    room() {
      const notSlow = held.queued + held.quick;
      const left = Math.min(limit * part.notSlow - notSlow, limit - notSlow - held.slow);
      if (left <= 0) return null;
      const ofDestination = limit * part.destination;
      return {
        total: Math.min(left, limit * part.claim),
        perDestination: new Map([...byDestination].map(([id, bytes]) => [id, ofDestination - bytes])),
        default: ofDestination,
      };
    },
  };
}
