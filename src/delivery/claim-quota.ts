/** How many deliveries to claim for each destination: the room that the lanes have, shared fairly. */
import { type Parts, partFor, type Standing, taken } from './standing.ts';

/** How much of something can be claimed: deliveries, or bytes of their payloads. */
export interface Room {
  /** Over all destinations. */
  readonly total: number;
  /** Over those that are not quick. */
  readonly parts: Parts;
  /** For one destination whose room is not `default`. Zero or less for none. */
  readonly perDestination: ReadonlyMap<string, number>;
  readonly default: number;
}

/** The room that the lanes have, as plain data, because it is shared out where the queue is read. */
export interface ClaimQuota extends Room {
  readonly bytes: Room;
  /** Of the destinations that have a lane. */
  readonly standings: ReadonlyMap<string, Standing>;
  /** The destination that was served last: the round robin continues behind it. */
  readonly cursor: string;
}

/** A destination with deliveries due. */
export interface Claimant {
  readonly id: string;
  /** Whether it has been failing since its last success. */
  readonly failing: boolean;
}

export const standingOf = ({ standings }: Pick<ClaimQuota, 'standings'>, { id, failing }: Claimant): Standing =>
  standings.get(id) ?? (failing ? 'slow' : 'young');

/**
 * Shares the quota over the destinations: each gets an equal part of what is left, up to its own room. One without room
 * for bytes could claim nothing of its share, which would be lost to the others.
 * @param due the destinations that have deliveries due, in the order of the round robin
 * @returns how many deliveries to claim for each destination that gets any, in the same order
 */
export function allocateFairly(due: readonly Claimant[], quota: ClaimQuota): [string, number][] {
  const roomOf = (id: string) => roomIn(quota, id);
  let seats = quota.parts;
  const eligible = due.filter((each) => {
    const standing = standingOf(quota, each);
    if (roomOf(each.id) <= 0 || roomIn(quota.bytes, each.id) <= 0) return false;
    if (partFor(standing, seats) <= 0 || partFor(standing, quota.bytes.parts) <= 0) return false;
    seats = taken(standing, seats, 1);
    return true;
  });
  const shares: [string, number][] = [];
  let { total: left, parts } = quota;
  for (const [index, each] of eligible.entries()) {
    const standing = standingOf(quota, each);
    const equal = Math.ceil(left / (eligible.length - index));
    const count = Math.min(roomOf(each.id), equal, partFor(standing, parts));
    if (count <= 0) continue;
    shares.push([each.id, count]);
    left -= count;
    parts = taken(standing, parts, count);
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

export function createRoomTaker(room: Room, standing: (webhookId: string) => Standing): RoomTaker {
  let { total: left, parts } = room;
  const leftOf = new Map(room.perDestination);
  return {
    take(webhookId, bytes) {
      const ofDestination = leftOf.get(webhookId) ?? room.default;
      const stands = standing(webhookId);
      if (left <= 0 || ofDestination <= 0 || partFor(stands, parts) <= 0) return false;
      left -= bytes;
      leftOf.set(webhookId, ofDestination - bytes);
      parts = taken(stands, parts, bytes);
      return true;
    },
  };
}
