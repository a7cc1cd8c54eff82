/** The GraphQL face on the shared HTTP server: what HTTP says of a request before its door reads it. */

import type { IncomingRequest } from '../http/incoming-request.ts';
import { codingRefusal, HttpRefusal, httpStatusOf, type Refuse } from '../http/refusals.ts';
import { mediaTypeOf } from '../http/request-headers.ts';
import type { Route } from '../http/router.ts';
import { sendJson } from '../http/send.ts';
import { toEnvelope } from '../kernel/errors.ts';
import type { Doors } from './doors/doors.ts';
import { endpoint } from './endpoint.ts';
import { errorBody } from './kit/error-extensions.ts';

export interface GraphQLOptions {
  readonly doors: Doors;
  /** Served to browsers that open the endpoint; null treats a browser like any other client. */
  readonly page: EndpointPage | null;
}

/** A page at the endpoint. */
export interface EndpointPage {
  /** What the page needs, under the endpoint. */
  readonly routes: readonly Route[];
  /** Whether a browser opens the endpoint as a page. */
  wants(request: IncomingRequest): boolean;
  send(request: IncomingRequest): Promise<void>;
}

export interface GraphQLFace {
  readonly routes: readonly Route[];
  /** Loads what no request has asked for so far. What cannot be loaded fails the first request that needs it, which loads it again. */
  warmUp(): Promise<void>;
}

/** GraphQL at the endpoint, with GraphiQL and its assets if they are configured. */
export function createGraphQL({ doors, page }: GraphQLOptions): GraphQLFace {
  async function serve(request: IncomingRequest): Promise<void> {
    const { method, headers } = request;
    const refusal = codingRefusal(headers);
    if (refusal !== undefined) throw refusal;
    if (page?.wants(request)) return page.send(request);
    if (method === 'POST' && hasBody(request)) {
      requireJson(request);
      await request.json();
    }
    await doors.serve(request);
  }

  const routes: Route[] = [
    // What to read of an operation is for its document to say: there is no HEAD (GraphQL over HTTP, section 6.1).
    { method: 'GET', path: endpoint, hasHead: false, serve },
    { method: 'POST', path: endpoint, serve },
    ...(page?.routes ?? []),
  ];
  return { routes: routes.map((route) => ({ ...route, refuse })), warmUp: doors.warmUp };
}

const refuse: Refuse = (request, failure) =>
  sendJson(request, httpStatusOf(failure), errorBody(toEnvelope(failure, request.id)));

/** JSON only: a form could be submitted by another site without a preflight request. */
function requireJson({ headers }: IncomingRequest): void {
  if (mediaTypeOf(headers) === 'application/json') return;
  throw new HttpRefusal(415, { detail: 'Send the body as application/json.' });
}

const hasBody = ({ raw: { headers } }: IncomingRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
