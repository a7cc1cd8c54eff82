/** How many deliveries to claim for each destination: the room that the lanes have, shared fairly. */

/** How much of something can be claimed: deliveries, or bytes of their payloads. */
export interface Room {
  /** Over all destinations. */
  readonly total: number;
  /** For one destination whose room is not `default`. Zero or less for none. */
  readonly perDestination: ReadonlyMap<string, number>;
  readonly default: number;
}

/** The room that the lanes have, as plain data, because it is shared out where the queue is read. */
export interface ClaimQuota extends Room {
  readonly bytes: Room;
  /** The destination that was served last: the round robin continues behind it. */
  readonly cursor: string;
}

/**
 * Shares the quota over the destinations: each gets an equal part of what is left, up to its own room. One without room
 * for bytes could claim nothing of its share, which would be lost to the others.
 * @param due the ids of the destinations that have deliveries due, in the order of the round robin
 * @returns how many deliveries to claim for each destination that gets any, in the same order
 */
export function allocateFairly(due: readonly string[], quota: ClaimQuota): [string, number][] {
  const roomOf = (id: string) => roomIn(quota, id);
  const eligible = due.filter((id) => roomOf(id) > 0 && roomIn(quota.bytes, id) > 0);
  const shares: [string, number][] = [];
  let left = quota.total;
  for (const [index, id] of eligible.entries()) {
    if (left <= 0) break;
    const count = Math.min(roomOf(id), Math.ceil(left / (eligible.length - index)));
    shares.push([id, count]);
    left -= count;
  }
  return shares;
}

const roomIn = ({ perDestination, default: usual }: Room, id: string): number => perDestination.get(id) ?? usual;

/** Takes room for deliveries, one after the other. */
export interface RoomTaker {
  /**
   * Takes room for a delivery, as long as there is room for its first byte: so one that is larger than all room goes, too.
   * @returns whether there was room
   */
  take(webhookId: string, bytes: number): boolean;
}

export function createRoomTaker({ total, perDestination, default: usual }: Room): RoomTaker {
  let left = total;
  const leftOf = new Map(perDestination);
  return {
    take(webhookId, bytes) {
      const ofDestination = leftOf.get(webhookId) ?? usual;
      if (left <= 0 || ofDestination <= 0) return false;
      left -= bytes;
      leftOf.set(webhookId, ofDestination - bytes);
      return true;
    },
  };
}
