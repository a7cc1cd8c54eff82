/** Names that clients choose, such as those of operations: a label can have only so many values. */

/** What stands for the names beyond the bound. */
export const otherName = 'other';

/**
 * Lets the first names through that it meets, and replaces all others.
 * @param most different names
 */
export function boundedNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= most) return otherName;
    known.add(name);
    return name;
  };
}
