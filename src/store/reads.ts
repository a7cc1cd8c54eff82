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

/** Reads for several requests together, in their order. @param prepare a ServiceError costs only its request */
export async function readTogether<Request, Query, Result>(
  requests: readonly Request[],
  prepare: (request: Request) => Query,
  read: (queries: readonly Query[]) => Promise<readonly Result[]>,
): Promise<(Result | Error)[]> {
  const queries: Query[] = [];
  /** The index of each request's query, or why there is none. */
  const places = requests.map((request) => {
    try {
      return queries.push(prepare(request)) - 1;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  });
  const results = queries.length === 0 ? [] : await read(queries);
  return places.map((place) => (typeof place === 'number' ? (results[place] ?? missing()) : place));
}

/** Result of a single request. @throws it, if it is an error */
export function onlyOf<Result>([result = missing()]: readonly (Result | Error)[]): Result {
  if (result instanceof Error) throw result;
  return result;
}

const missing = () => new Error('A read returned fewer results than it had queries');
