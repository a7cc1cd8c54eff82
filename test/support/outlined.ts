/** Texts and numbers that are the same in every run. */
const lasting: ReadonlySet<string> = new Set(['__typename', 'type', 'status', 'code', 'event', 'state']);

/** A response with the types of values that differ between two runs in their place. */
export function outlined(value: unknown, key = ''): unknown {
  // What was created in one instant has no order.
  if (Array.isArray(value)) return value.map((each) => JSON.stringify(outlined(each, key))).sort();
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([name, each]) => [name, outlined(each, name)]);
  return lasting.has(key) || value === null ? value : typeof value;
}
