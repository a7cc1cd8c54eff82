/** How long the result of a check is kept, in milliseconds. */
const keptMs = 1_000;

/**
 * A check that anybody may ask for: one is under way at a time, and its result, a failure too, is kept for a second.
 * @param elapsed milliseconds of a clock that only goes forward
 */
export function sharedCheck(
  check: () => Promise<void>,
  elapsed: () => number = () => performance.now(),
): () => Promise<void> {
  let last: Promise<void> | null = null;
  let keptUntil = 0;
  return () => {
    if (last !== null && elapsed() < keptUntil) return last;
    const current = check();
    last = current;
    keptUntil = Number.POSITIVE_INFINITY;
    const settled = () => {
      keptUntil = elapsed() + keptMs;
    };
    current.then(settled, settled);
    return current;
  };
}
