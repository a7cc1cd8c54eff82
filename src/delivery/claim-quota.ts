/** How much is claimed of which endpoint: what there is room for, shared out over the endpoints that have something due. */

/** What there is room for, as data: which endpoints have something due is known where the queue is. */
export interface Demand {
  /** Deliveries in all. */
  readonly places: number;
  /** Deliveries of one endpoint, where it is another number than `otherRoom`; zero or less for none. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly otherRoom: number;
  /** The endpoint that was served last: the round goes on behind it. */
  readonly after: string;
}

/** How many deliveries to claim of each endpoint. @param due the endpoints that have some due, in no order */
export function allot(due: readonly string[], { places, rooms, otherRoom, after }: Demand): [string, number][] {
  const roomOf = (id: string) => rooms.get(id) ?? otherRoom;
  const able = inTurn(
    due.filter((id) => roomOf(id) > 0),
    after,
  );
  const shares: [string, number][] = [];
  let left = places;
  for (const [index, id] of able.entries()) {
    if (left <= 0) break;
    const count = Math.min(roomOf(id), Math.ceil(left / (able.length - index)));
    shares.push([id, count]);
    left -= count;
  }
  return shares;
}

/** Each endpoint once, the one behind the last that was served first. */
function inTurn(ids: readonly string[], last: string): string[] {
  const sorted = [...ids].sort();
  const start = sorted.findIndex((id) => id > last);
  return start <= 0 ? sorted : [...sorted.slice(start), ...sorted.slice(0, start)];
}
