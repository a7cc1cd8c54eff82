import type { Plugin } from 'graphql-yoga';
import { ServiceError, toEnvelope } from '../../errors.ts';
import { hasFewEntries, isShallow, maxJsonDepth, maxJsonEntries } from '../../json-limits.ts';
import { LimitError } from '../cost/limits.ts';
import { errorBody } from '../error-extensions.ts';
import type { Incoming } from '../graphql-context.ts';
import { documentIdsIn } from '../parameters.ts';

/**
 * Hands Yoga the body that the HTTP server has read, as it does for REST: one limit on its size and one way to refuse it.
 * Yoga's own refusals that have no body get the envelope of the contract.
 */
export function useJsonRequests(): Plugin<object, Incoming> {
  return {
    onRequest({ serverContext: { http, body }, endResponse, fetchAPI }) {
      if (!isBatch(body)) return;
      const failure = noBatches();
      http.facts.errors = [failure.type];
      const refusals = Array(body.length).fill(errorBody(toEnvelope(failure, http.id)));
      endResponse(fetchAPI.Response.json(refusals, { status: failure.status }));
    },
    onRequestParse({ request, serverContext: { body }, requestParser, setRequestParser }) {
      if (request.method === 'POST') setRequestParser(() => reasonable(requestIn(body)));
      // Variables and extensions are JSON in the query of the URL, of which Yoga expects that it is valid.
      else if (requestParser !== undefined) {
        setRequestParser(async (get) => {
          const parameters = await refusingInvalidJson(() => requestParser(get));
          return reasonable({ ...parameters, ...documentIdsIn(new URL(get.url).searchParams) });
        });
      }
    },
    onResponse({ response, setResponse, serverContext, fetchAPI }) {
      if (response.status < 400 || response.body !== null) return;
      // The status of HTTP stays. That of the envelope belongs to its type, of which the contract has no more.
      const failure = new ServiceError('malformed_request', {
        detail:
          response.status === 406
            ? 'Accept application/graphql-response+json or application/json; for a subscription, text/event-stream or multipart/mixed;subscriptionSpec=1.0.'
            : 'The endpoint takes GraphQL requests: GET, or POST of application/json.',
      });
      const headers = new Headers(response.headers);
      headers.set('content-type', 'application/json; charset=utf-8');
      const body = JSON.stringify(errorBody(toEnvelope(failure, serverContext.http.id)));
      setResponse(new fetchAPI.Response(body, { status: response.status, headers }));
    },
  };
}

const noBatches = () => new ServiceError('malformed_request', { detail: 'Send one request: there are no batches.' });

/** A batch is refused with a response to each of its requests, as its client expects them. A longer one has a single response. */
const maxResponses = 100;

const isBatch = (body: unknown): body is readonly unknown[] =>
  Array.isArray(body) && body.length > 0 && body.length <= maxResponses;

/** @throws ServiceError `malformed_request` for a body that is not one request */
function requestIn(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  if (Array.isArray(body)) throw noBatches();
  throw new ServiceError('malformed_request', { detail: 'The body must be a JSON object.' });
}

/**
 * @throws LimitError for a request whose lists are too long; ServiceError `malformed_request` for one that is nested too
 *   deeply, also where nothing reads it
 */
function reasonable<T>(request: T): T {
  if (!hasFewEntries(request)) throw new LimitError('entries', maxJsonEntries);
  if (isShallow(request)) return request;
  throw new ServiceError('malformed_request', {
    detail: `The request is nested more than ${maxJsonDepth} levels deep.`,
  });
}

async function refusingInvalidJson<T>(parse: () => T | Promise<T>): Promise<T> {
  try {
    return await parse();
  } catch (cause) {
    throw new ServiceError('malformed_request', {
      detail: 'The query of the URL has a part that is not valid JSON.',
      cause,
    });
  }
}
