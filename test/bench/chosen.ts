/** The names that a variable of the environment lists, separated by commas; the usual ones if it is not set. */
export function chosen<Name extends string>(
  variable: string,
  names: readonly Name[],
  usual: readonly Name[] = names,
): readonly Name[] {
  const value = process.env[variable];
  if (value === undefined) return usual;
  const listed = value.split(',').map((name) => name.trim());
  const unknown = listed.find((name) => !names.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`${variable} names ${unknown}. Choose from ${names.join(', ')}.`);
  return names.filter((name) => listed.includes(name));
}
