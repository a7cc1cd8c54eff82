/** Reads that are asked for one by one and made together. */
import { ServiceError } from '../kernel/errors.ts';

/**
 * Reads what several requests ask for.
 * @param prepare the query of a request. A ServiceError that it throws costs only that request.
 * @param read the results of queries, in their order; it is not called without queries
 * @returns in the order of the requests
 */
export async function readTogether<Request, Query, Result>(
  requests: readonly Request[],
  prepare: (request: Request) => Query,
  read: (queries: readonly Query[]) => Promise<readonly Result[]>,
): Promise<(Result | Error)[]> {
  const queries: Query[] = [];
  /** Of each request: the place of its query, or why there is none. */
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

/** The one result of one request. @throws it, if it is an error */
export function onlyOf<Result>([result = missing()]: readonly (Result | Error)[]): Result {
  if (result instanceof Error) throw result;
  return result;
}

const missing = () => new Error('A read returned fewer results than it had queries');
