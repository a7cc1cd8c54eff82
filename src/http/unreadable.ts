import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { malformedRequest, ServiceError, toEnvelope } from '../kernel/errors.ts';
import { stringify } from '../kernel/lib/json-text.ts';
import { http } from '../kernel/lib/node-http.ts';
import { privateHeaders } from './headers.ts';
import { toOriginForm } from './request-head.ts';
import { lingerMs } from './unread-bodies.ts';

/** Responses before such a refusal. Bytes behind it are an error again. */
const awaited = new WeakSet<ServerResponse>();

/** node:http's error for bytes that are no request. */
export interface ConnectionError {
  readonly code?: string;
  readonly rawPacket?: unknown;
}

/** The error of a request that has not arrived when the gateway stops. */
export const lateAtStop: ConnectionError = { code: 'STOPPING' };

/** What can be known of a request that is not whole. */
type KnownHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** The failure as the route has it, and headers that all its responses have. */
export type RefusalFor = (
  failure: ServiceError,
  head: KnownHead,
) => { readonly failure: ServiceError; readonly headers: Readonly<Record<string, string>> };

/** Refuses bytes that are no HTTP request. node:http has no response for them: it is written to the socket. */
export function refuseUnreadable(
  error: ConnectionError,
  socket: Socket,
  {
    logger,
    refusalFor = (failure) => ({ failure, headers: {} }),
    last,
  }: {
    readonly logger: Logger;
    readonly last?: ServerResponse | undefined;
    readonly refusalFor?: RefusalFor;
  },
): void {
  // A request received whole has its response first.
  if (last?.req.complete && !last.closed && error.code !== 'ECONNRESET') {
    if (awaited.has(last)) return;
    awaited.add(last);
    last.once('close', () => refuseUnreadable(error, socket, { logger, refusalFor }));
    return;
  }
  // A second error: the response to the first is on its way.
  if (socket.writableEnded && !socket.destroyed) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  // The packet with the error need not be the first of its request.
  const head = last?.req.complete === false ? last.req : headIn(error);
  const { failure, headers } = refusalFor(unreadable(error.code), head);
  respondOn(socket, failure, logger, { code: error.code, headers });
}

function headIn({ rawPacket }: ConnectionError): KnownHead {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const [, method, url] = /^([A-Z]+) (\S*)/.exec(text) ?? [];
  // Browsers send it whatever is wrong with the rest.
  const [, origin] = /\r\norigin: *(\S+) *\r\n/i.exec(text) ?? [];
  const head = { method, url, headers: { origin } };
  toOriginForm(head);
  return head;
}

export function respondOn(
  socket: Duplex,
  failure: ServiceError,
  logger: Logger,
  {
    code,
    headers = {},
  }: { readonly code?: string | undefined; readonly headers?: Readonly<Record<string, string>> | undefined } = {},
): void {
  // After CONNECT node:http handles no errors: a client that is gone would end the process.
  socket.on('error', () => socket.destroy());
  const envelope = toEnvelope(failure, randomUUID());
  const body = stringify(envelope);
  socket.end(
    `HTTP/1.1 ${envelope.status} ${http.STATUS_CODES[envelope.status]}\r\nx-request-id: ${envelope.instance}\r\n` +
      Object.entries({ ...privateHeaders, ...failure.headers, ...headers })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      'content-type: application/json; charset=utf-8\r\nconnection: close\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // Closing at once could reset the connection before the client has read the response (RFC 9112, section 9.6); waiting
  // for the client would let it stay half-open.
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(linger));
  logger.info({ reqId: envelope.instance, status: envelope.status, code }, 'request');
}

function unreadable(code = ''): ServiceError {
  switch (code) {
    case 'HPE_INVALID_URL':
      return new ServiceError('unescaped_characters', {
        detail: 'The path contains characters that must be percent-encoded.',
      });
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('content_too_large', { detail: 'The headers of the request are too large.' });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return malformedRequest('The request did not arrive in time.');
    case lateAtStop.code:
      return new ServiceError('service_unavailable', { detail: 'The gateway is stopping.' });
    default:
      return malformedRequest('The request is not valid HTTP.');
  }
}
