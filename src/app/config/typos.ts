import { ConfigError } from '../../kernel/config-error.ts';
import { type Environment, fileVariable } from './variable.ts';

/** Letters; short names are like many others. */
const nearnessOf = (name: string): number => (name.length < 10 ? 1 : 2);

/** Variables of earlier versions, and their replacements. */
const removed: Readonly<Record<string, string>> = {
  PERSISTED_QUERIES: 'each process keeps the documents of persisted queries for itself',
};

/**
 * A mistyped variable, or a file for one that takes none, would be ignored, and the gateway would start with a default: on another
 * database, for example. If ours is set too, the other is somebody else's.
 * @throws ConfigError for the first of them
 */
export function refuseTypos(names: readonly string[], environment: Environment): void {
  const known = new Set(names);
  const missing = names.filter((name) => !environment[name]);
  for (const [given, value] of Object.entries(environment)) {
    if (value === undefined || value === '' || known.has(given)) continue;
    const instead = Object.hasOwn(removed, given) ? removed[given] : undefined;
    if (instead !== undefined)
      throw new ConfigError(`${given} is a variable of earlier versions: ${instead}. Unset it`);
    const valued = missing.find((name) => fileVariable(name) === given.toUpperCase());
    if (valued !== undefined && !known.has(fileVariable(valued)))
      throw new ConfigError(
        `${given} is not a variable of the gateway: a file can have the value of secrets only. Set ${valued}`,
      );
    const meant = missing.find((name) => isNear(given.toUpperCase(), name));
    if (meant === undefined) continue;
    throw new ConfigError(`${given} is not a variable of the gateway. Did you mean ${meant}?`);
  }
}

function isNear(given: string, name: string): boolean {
  const limit = nearnessOf(name);
  return Math.abs(given.length - name.length) <= limit && distance(given, name) <= limit;
}

/** Letters added, left out, replaced, or swapped with the next (optimal string alignment). */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
