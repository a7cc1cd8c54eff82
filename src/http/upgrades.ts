/** WebSocket requests and their refusals (RFC 6455, section 4.2). */
import type { IncomingMessage } from 'node:http';
import { malformedRequest, ServiceError } from '../kernel/errors.ts';
import { shortened } from '../kernel/issues.ts';
import { commaList } from '../kernel/lib/comma-list.ts';
import { isAllowedOrigin, type Origins } from './cors.ts';
import { HttpRefusal } from './http-refusal.ts';
import { pathIn } from './request-head.ts';

export interface SocketRoute {
  readonly path: string;
  readonly protocol: string;
  /** Pages that may open it, besides its own origin's. */
  readonly origins: Origins;
}

const socketVersion = '13';

const key = /^[+/0-9A-Za-z]{22}==$/;

/** Undefined for a request that gets a WebSocket. @param route the only one */
export function socketRefusal(raw: IncomingMessage, route: SocketRoute | null): ServiceError | undefined {
  const { method, headers, url = '' } = raw;
  const path = pathIn(url);
  if (route === null || path.replace(/\/$/, '') !== route.path) {
    const there = route === null ? '' : ` GraphQL has one at ${route.path}.`;
    return new ServiceError('resource_not_found', { detail: `There is no WebSocket at ${shortened(path)}.${there}` });
  }
  if (method !== 'GET') {
    return new HttpRefusal(405, { detail: 'A WebSocket begins with GET.', headers: { allow: 'GET' } });
  }
  if (raw.httpVersion !== '1.1') return malformedRequest('A WebSocket begins with HTTP/1.1.');
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
    return malformedRequest('A request for a WebSocket has no body: leave out Content-Length and Transfer-Encoding.');
  }
  if (headers['sec-websocket-version'] !== socketVersion) {
    const wanted = { upgrade: 'websocket', 'sec-websocket-version': socketVersion };
    return new HttpRefusal(426, { detail: `Use version ${socketVersion} of WebSocket (RFC 6455).`, headers: wanted });
  }
  if (!key.test(headers['sec-websocket-key'] ?? ''))
    return malformedRequest('Sec-WebSocket-Key must be 16 bytes in base64.');
  if (!commaList(headers['sec-websocket-protocol'] ?? '').includes(route.protocol)) {
    return malformedRequest(
      `Ask for the subprotocol ${route.protocol}, as the library graphql-ws does: no other is spoken.`,
    );
  }
  if (mayOpen(headers, route.origins)) return undefined;
  return new ServiceError('resource_access_restricted', {
    detail: 'Pages of this origin may not open the WebSocket: CORS_ORIGINS does not allow it.',
  });
}

/** Browsers always name a page's origin. */
function mayOpen({ origin, host = '' }: IncomingMessage['headers'], origins: Origins): boolean {
  return origin === undefined || isAllowedOrigin(origin, origins) || URL.parse(origin)?.host === host.toLowerCase();
}
