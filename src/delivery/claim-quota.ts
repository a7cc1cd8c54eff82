/** The lanes' room, shared fairly over destinations. */
import { type Parts, partFor, type Standing, taken } from './standing.ts';

/** Claimable deliveries, or bytes of their payloads. */
export interface Room {
  readonly total: number;
  /** Over destinations that are not quick. */
  readonly parts: Parts;
  /** For destinations whose room is not `default`; none at zero or less. */
  readonly perDestination: ReadonlyMap<string, number>;
  readonly default: number;
}

/** The lanes' room as plain data, as it is shared out where the queue is read. */
export interface ClaimQuota extends Room {
  readonly bytes: Room;
  readonly standings: ReadonlyMap<string, Standing>;
  /** The destination served last: the round robin continues behind it. */
  readonly cursor: string;
}

export interface Claimant {
  readonly id: string;
  /** Since its last success. */
  readonly failing: boolean;
}

export const standingOfClaimant = ({ standings }: Pick<ClaimQuota, 'standings'>, { id, failing }: Claimant): Standing =>
  standings.get(id) ?? (failing ? 'slow' : 'young');

export interface Allocation {
  /** Deliveries to claim by destination, in the order of the round robin. */
  readonly shares: readonly (readonly [webhookId: string, count: number])[];
  /** Unknown destinations without a share, because others that are not quick hold their parts. */
  readonly waiting: number;
  /** Whether others got none only for want of these parts: those behind them may get some. */
  readonly isServed: boolean;
}

/**
 * Equal parts of what is left, up to each destination's room. Without room for bytes there is no share, which would be
 * lost to the others.
 * @param due in the order of the round robin
 */
export function allocateFairly(due: readonly Claimant[], quota: ClaimQuota): Allocation {
  const roomOf = (id: string) => roomIn(quota, id);
  let [seats, waiting] = [quota.parts, 0];
  const eligible = due.filter((each) => {
    const standing = standingOfClaimant(quota, each);
    if (roomOf(each.id) <= 0 || roomIn(quota.bytes, each.id) <= 0) return false;
    if (partFor(standing, seats) <= 0 || partFor(standing, quota.bytes.parts) <= 0) {
      if (standing === 'young') waiting += 1;
      return false;
    }
    seats = taken(standing, seats, 1);
    return true;
  });
  const shares: [string, number][] = [];
  let { total: left, parts } = quota;
  for (const [index, each] of eligible.entries()) {
    const standing = standingOfClaimant(quota, each);
    const equal = Math.ceil(left / (eligible.length - index));
    const count = Math.min(roomOf(each.id), equal, partFor(standing, parts));
    if (count <= 0) continue;
    shares.push([each.id, count]);
    left -= count;
    parts = taken(standing, parts, count);
  }
  return { shares, waiting, isServed: waiting === 0 && shares.length === eligible.length };
}

const roomIn = ({ perDestination, default: usual }: Room, id: string): number => perDestination.get(id) ?? usual;

export interface RoomTaker {
  /** As long as there is room for the first byte: a delivery beyond all room goes, too. @returns whether there was */
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
