/** Clients choose names, such as those of operations: labels need a bound. */

/** Stands for names beyond the bound. */
export const otherName = 'other';

export function boundedNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= most) return otherName;
    known.add(name);
    return name;
  };
}
