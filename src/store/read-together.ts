import { ServiceError } from '../kernel/errors.ts';

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
