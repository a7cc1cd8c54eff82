/** Gates of a request, before its document. */
import type { Admission } from '../../auth/admission.ts';
import { parametersOfUrl } from '../../http/query.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { hasFewEntries, isShallow, maxJsonDepth, maxJsonEntries, parseJson } from '../../kernel/lib/json-text.ts';
import { LimitError } from '../cost/limits.ts';
import type { SentParameters, Stage } from '../exchange.ts';

/** @throws ServiceError `malformed_request` for no request, or too much nesting; LimitError for long lists */
export const readRequest = (): Stage => async (exchange) => {
  const { http } = exchange;
  const body: unknown = http.method === 'GET' ? parametersIn(http.url) : await http.json();
  if (Array.isArray(body)) exchange.batchSize = body.length;
  exchange.sent = reasonable(requestIn(body));
  return null;
};

function requestIn(body: unknown): SentParameters {
  if (Array.isArray(body)) {
    throw new ServiceError('malformed_request', { detail: 'Send one request at a time: batches are not supported.' });
  }
  if (typeof body === 'object' && body !== null) return body;
  throw new ServiceError('malformed_request', { detail: 'The body must be a JSON object.' });
}

/** Texts, or JSON; an empty one counts as missing. */
function parametersIn(url: string): SentParameters {
  const query = parametersOfUrl(url);
  const text = (name: string) => query(name)[0] || null;
  const json = (name: string): SentParameters['variables'] => {
    const sent = text(name);
    return sent === null ? null : parseJson(sent, `The query parameter ${name}`);
  };
  return {
    query: text('query'),
    documentId: text('documentId'),
    doc_id: text('doc_id'),
    operationName: text('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function reasonable<T>(request: T): T {
  if (!hasFewEntries(request)) throw new LimitError('entries', maxJsonEntries);
  if (isShallow(request)) return request;
  const detail = `The request is nested more than ${maxJsonDepth} levels deep.`;
  throw new ServiceError('malformed_request', { detail });
}

/** Identifies and counts, by key or else by address. @throws ServiceError as {@link Admission} */
export const admit =
  ({ admitAnyone }: Admission): Stage =>
  async (exchange) => {
    exchange.caller = await admitAnyone(exchange.http);
    return null;
  };
