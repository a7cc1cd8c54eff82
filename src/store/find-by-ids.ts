import { ServiceError } from '../kernel/errors.ts';
import { shortList } from '../kernel/issues.ts';

/**
 * Finds rows by id with at most one query.
 * @param isFindable false for an id that no visible row can have: it never reaches the database
 * @param read reads the rows with these ids, in any order; it is not called without ids
 * @returns the rows in the order of `ids`; null for each id that `read` did not find
 */
export async function findByIds<Row extends { readonly id: string }>(
  ids: readonly string[],
  isFindable: (id: string) => boolean,
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<(Row | null)[]> {
  const findable = ids.filter(isFindable);
  const rows = findable.length === 0 ? [] : await read(findable);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** @throws ServiceError `resource_not_found` that names the ids for which there is null among what was found */
export function requireFound(kind: string, ids: readonly string[], found: readonly unknown[]): void {
  const unknown = ids.filter((_, place) => found[place] === null);
  if (unknown.length === 0) return;
  throw new ServiceError('resource_not_found', { detail: `No ${kind} has the id ${shortList(unknown)}.` });
}
