/** The parameters of a GraphQL request, as they were sent. */
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { hasFewEntries, isShallow } from '../../json-limits.ts';
import type { Values } from './arguments.ts';
import { Fallback } from './fallback.ts';

export interface Parameters {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Values;
}

/** @throws Fallback for parameters that the executor may refuse; ServiceError for a body that cannot be read */
export async function readParameters(request: IncomingRequest): Promise<Parameters> {
  return parametersOf(request.raw.method === 'GET' ? parametersIn(request.raw.url) : await request.json());
}

/** The parameters in the query of a URL, which are texts, or JSON. An empty one is not there. */
function parametersIn(url = ''): object {
  const search = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const json = (name: string): unknown => {
    try {
      return JSON.parse(search.get(name) || 'null');
    } catch {
      throw new Fallback('parameters');
    }
  };
  return {
    query: search.get('query'),
    operationName: search.get('operationName') || null,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function parametersOf(request: unknown): Parameters {
  if (!isObject(request)) throw new Fallback('no request');
  // Clients tell of themselves in the extensions, as Apollo's does. None of them means anything here.
  const { query, operationName = null, variables = null, extensions = null, ...others } = request;
  if (typeof query !== 'string') throw new Fallback('parameters');
  if (operationName !== null && typeof operationName !== 'string') throw new Fallback('parameters');
  if (variables !== null && !isObject(variables)) throw new Fallback('parameters');
  if (extensions !== null && !isObject(extensions)) throw new Fallback('parameters');
  if (Object.keys(others).length > 0 || !hasFewEntries(request) || !isShallow(request))
    throw new Fallback('parameters');
  return { query, operationName, variables: variables ?? {} };
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
