/** Splits items by number and weight; one that is heavier is a part of its own. */
export function* parts<Item>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
  most: { readonly items: number; readonly weight: number },
): Generator<readonly Item[]> {
  let part: Item[] = [];
  let total = 0;
  for (const item of items) {
    const weight = weightOf(item);
    if (part.length === most.items || (part.length > 0 && total + weight > most.weight)) {
      yield part;
      [part, total] = [[], 0];
    }
    part.push(item);
    total += weight;
  }
  if (part.length > 0) yield part;
}
