/** The parameters of a request, out of its body or the query of its URL. */
import { ServiceError } from '../../kernel/errors.ts';
import { hasFewEntries, isShallow, maxJsonDepth, maxJsonEntries } from '../../kernel/lib/json-limits.ts';
import { LimitError } from '../cost/limits.ts';
import type { SentParameters, Stage } from '../exchange.ts';

/** @throws ServiceError `malformed_request` for what is not one request, or nested too deeply; LimitError for lists that are too long */
export const readRequest = (): Stage => async (exchange) => {
  const { http } = exchange;
  const body: unknown = http.method === 'GET' ? parametersIn(http.url) : await http.json();
  if (Array.isArray(body)) exchange.batchSize = body.length;
  exchange.sent = reasonable(requestIn(body));
  return null;
};

function requestIn(body: unknown): SentParameters {
  if (Array.isArray(body)) {
    throw new ServiceError('malformed_request', { detail: 'Send one request: there are no batches.' });
  }
  if (typeof body === 'object' && body !== null) return body;
  throw new ServiceError('malformed_request', { detail: 'The body must be a JSON object.' });
}

/** The parameters in the query of a URL, which are texts, or JSON. An empty one is not there. */
function parametersIn(url: string): SentParameters {
  const search = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const text = (name: string) => search.get(name) || null;
  try {
    return {
      query: text('query'),
      documentId: text('documentId'),
      doc_id: text('doc_id'),
      operationName: text('operationName'),
      variables: JSON.parse(search.get('variables') || 'null'),
      extensions: JSON.parse(search.get('extensions') || 'null'),
    };
  } catch (cause) {
    const detail = 'The query of the URL has a part that is not valid JSON.';
    throw new ServiceError('malformed_request', { detail, cause });
  }
}

function reasonable<T>(request: T): T {
  if (!hasFewEntries(request)) throw new LimitError('entries', maxJsonEntries);
  if (isShallow(request)) return request;
  const detail = `The request is nested more than ${maxJsonDepth} levels deep.`;
  throw new ServiceError('malformed_request', { detail });
}
