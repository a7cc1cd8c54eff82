/** GraphQL on the shared HTTP server, up to its door. */

import { HttpRefusal, httpStatusOf } from '../http/http-refusal.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { mediaTypeOf, requireNoCoding } from '../http/request-head.ts';
import type { Route } from '../http/router.ts';
import { type Refuse, sendJson } from '../http/send.ts';
import type { Doors } from './doors/doors.ts';
import { endpoint } from './endpoint.ts';
import { errorBody } from './kit/errors.ts';

interface GraphQLOptions {
  readonly doors: Doors;
  /** Null treats a browser like any other client. */
  readonly page: EndpointPage | null;
}

export interface EndpointPage {
  readonly routes: readonly Route[];
  wants(request: IncomingRequest): boolean;
  send(request: IncomingRequest): Promise<void>;
}

export function graphqlRoutes({ doors, page }: GraphQLOptions): readonly Route[] {
  function serve(request: IncomingRequest): Promise<void> {
    const { method, headers } = request;
    requireNoCoding(headers);
    if (method === 'GET' && page?.wants(request)) return page.send(request);
    if (method === 'POST' && hasBody(request)) requireJson(request);
    return doors.serve(request);
  }

  const routes: Route[] = [
    // A document decides what is read: there is no HEAD (GraphQL over HTTP, section 6.1).
    { method: 'GET', path: endpoint, hasHead: false, serve },
    { method: 'POST', path: endpoint, serve },
    ...(page?.routes ?? []),
  ];
  return routes.map((route) => ({ ...route, refuse: refuseInGraphQL }));
}

const refuseInGraphQL: Refuse = (request, failure) =>
  sendJson(request, httpStatusOf(failure), errorBody(failure, request.id));

/** Another site could submit a form without a preflight request. */
function requireJson({ headers }: IncomingRequest): void {
  if (mediaTypeOf(headers) === 'application/json') return;
  throw new HttpRefusal(415, { detail: 'Send the body as application/json.' });
}

const hasBody = ({ raw: { headers } }: IncomingRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
