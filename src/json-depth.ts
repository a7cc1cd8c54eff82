/** How deeply JSON of a caller may be nested: whatever stores or sends a value may recurse into it. */

/** Levels of objects and lists. Far deeper than any request of the contract. */
export const maxJsonDepth = 64;

/** Whether a value has at most {@link maxJsonDepth} levels. It has no recursion, which a deeper value would exhaust. */
export function isShallow(value: unknown): boolean {
  let level = isNested(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxJsonDepth) return false;
    const next: object[] = [];
    for (const each of level) {
      const inner: unknown[] = Array.isArray(each) ? each : Object.values(each);
      for (const value of inner) if (isNested(value)) next.push(value);
    }
    level = next;
  }
  return true;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
