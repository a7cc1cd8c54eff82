/**
 * The HTTP server that both faces share: one request id, one body limit, one log line for each request, and the
 * contract's envelope for every failure that no face has answered.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Caller } from '../auth/caller.ts';
import { type ErrorEnvelope, fromUnknown, ServiceError, toEnvelope } from '../errors.ts';

/** Bytes of a request body (1 MiB). */
export const maxBodyBytes = 1_048_576;
export const bodyLimitDetail = `A request body has at most ${maxBodyBytes} bytes.`;

/** Finds out who a request comes from. @throws ServiceError for a key that is missing, invalid or expired */
export type Authenticate = (apiKey: string | undefined) => Promise<Caller>;

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Aborts when the client goes away before it has its answer. Fastify's own `signal` aborts as soon as the request
     * has been read to its end, as node:http closes it then.
     */
    gone: AbortSignal;
  }
}

export interface HttpOptions {
  readonly logger: Logger;
  /** Rejects while the gateway cannot answer; `/readyz` then says 503. */
  readonly ready: () => Promise<void>;
  /** What a face makes of the failure of a request that cannot be read as HTTP, of which little more than this is known. */
  readonly adjust?: (failure: ServiceError, method: string, url: string) => ServiceError;
}

export function createHttpServer({ logger, ready, adjust }: HttpOptions): FastifyInstance {
  const server = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    genReqId: ({ headers }) => acceptedRequestId(headers['x-request-id']) ?? randomUUID(),
    // Slow senders of headers and bodies are cut off by node:http's own deadlines.
    requestTimeout: 60_000,
    forceCloseConnections: 'idle',
    // A path may be as long as node:http lets it be: how long an id may be is for its shape to say.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, { logger, adjust }),
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
  });

  server.decorateRequest('gone');
  server.addHook('onRequest', async (request, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) gone.abort(new DOMException('The client went away', 'AbortError'));
    });
    request.gone = gone.signal;
    reply.raw.setHeader('x-request-id', request.id);
  });
  // What is idle when the server stops, Fastify closes; a connection whose request was in flight then is idle only after
  // its answer, and would stay open for as long as the client likes.
  let stopping = false;
  server.addHook('preClose', async () => {
    stopping = true;
  });
  server.addHook('onResponse', async (request, reply) => {
    if (stopping) setImmediate(() => server.server.closeIdleConnections());
    // The path without its query, and no header: neither may show a key or a cursor.
    request.log.info(
      { method: request.method, path: pathOf(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'request',
    );
  });
  server.setErrorHandler((error, request, reply) => {
    const envelope = answerError(error, request);
    return reply.status(envelope.status).send(envelope);
  });
  server.setNotFoundHandler((request) => {
    throw new ServiceError('resource_not_found', {
      detail: `There is nothing at ${request.method} ${pathOf(request)}.`,
    });
  });

  server.get('/livez', { logLevel: 'warn' }, async () => ({ status: 'alive' }));
  server.get('/readyz', { logLevel: 'warn' }, async () => {
    await ready().catch((cause: unknown) => {
      throw new ServiceError('service_unavailable', { detail: 'The gateway is not ready.', cause });
    });
    return { status: 'ready' };
  });
  return server;
}

/** The API key of a request: `X-API-KEY`, or else a bearer token. */
export function apiKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/**
 * The envelope of a failure, logged where it is ours to look into.
 * @param adjust what a face makes of the failure before it is shown
 */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  adjust: (failure: ServiceError) => ServiceError = (failure) => failure,
): ErrorEnvelope {
  const failure = adjust(fromUnknown(fromFastify(error)));
  // Work that was given up because the client went away is no failure of ours.
  const abandoned = request.gone?.aborted && (failure.cause as Error | undefined)?.name === 'AbortError';
  if (failure.status >= 500 && !abandoned) {
    request.log.error({ err: failure.cause ?? failure, type: failure.type }, 'request failed');
  }
  return toEnvelope(failure, request.id);
}

/** What Fastify itself refuses before a face sees it, in the contract's terms. */
function fromFastify(error: unknown): unknown {
  switch ((error as { code?: string }).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('content_too_large', { detail: bodyLimitDetail });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ServiceError('malformed_request', { detail: 'The body is not as long as Content-Length says.' });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('malformed_request', { detail: 'Send the body as application/json.' });
    default:
      return error;
  }
}

/**
 * Answers what node:http could not read as a request, by hand, as there is neither request nor reply. `adjust` knows the
 * request line, as far as there was one.
 */
function refuseUnreadable(
  error: ConnectionError,
  socket: Socket,
  { logger, adjust = (failure) => failure }: Pick<HttpOptions, 'logger' | 'adjust'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  // node:http's own type of it is that of a Buffer as JSON.
  const received = error.rawPacket as unknown as Buffer | undefined;
  const [, method = '', url = ''] = /^([A-Z]+) (\S*)/.exec(received?.toString('latin1') ?? '') ?? [];
  const envelope = toEnvelope(adjust(unreadable(error.code), method, url), randomUUID());
  const body = JSON.stringify(envelope);
  socket.end(
    `HTTP/1.1 ${envelope.status} ${STATUS_CODES[envelope.status]}\r\nx-request-id: ${envelope.instance}\r\n` +
      'content-type: application/json; charset=utf-8\r\nconnection: close\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  logger.info({ reqId: envelope.instance, status: envelope.status, code: error.code }, 'request');
}

function unreadable(code: string): ServiceError {
  switch (code) {
    case 'HPE_INVALID_URL':
      return new ServiceError('unescaped_characters', {
        detail: 'The path has characters that must be percent-encoded.',
      });
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('content_too_large', { detail: 'The headers of the request are too large.' });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('malformed_request', { detail: 'The request did not arrive in time.' });
    default:
      return new ServiceError('malformed_request', { detail: 'The request is not valid HTTP.' });
  }
}

/**
 * A path whose percent-encoding is broken would be answered by the router itself, without request id and log line. Its
 * percent signs are taken literally for the routing; the REST face refuses the path as it was sent.
 */
function routableUrl(url: string): string {
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** A caller may bring its own request id, as long as it is one that can be searched for and breaks no log line. */
function acceptedRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{8,64}$/.test(header) ? header : undefined;
}
