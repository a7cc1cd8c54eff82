/** Counts by name, without those of 0: names come and go. */
export type Tally = Map<string, number>;

/** @param more negative to take away. @returns the new count */
export function addTo(tally: Tally, name: string, more: number): number {
  const count = (tally.get(name) ?? 0) + more;
  if (count === 0) tally.delete(name);
  else tally.set(name, count);
  return count;
}
