import { ServiceError } from '../kernel/errors.ts';
import { shortList } from '../kernel/issues.ts';

/** In the order of `ids`; null if missing. @param isFindable false for ids that are not worth a read */
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

/** @throws ServiceError `resource_not_found` with the ids at whose place `found` has null */
export function requireFound(kind: string, ids: readonly string[], found: readonly unknown[]): void {
  const unknown = ids.filter((_, place) => found[place] === null);
  if (unknown.length === 0) return;
  throw new ServiceError('resource_not_found', { detail: `No ${kind} has the id ${shortList(unknown)}.` });
}
