/**
 * The HTTP server that both faces share. Each request gets a request id, a body limit and one log line; a failure that
 * neither face handles gets the contract's error envelope.
 */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import { type ErrorEnvelope, fromUnknown, ServiceError, toEnvelope } from '../errors.ts';
import { shortened } from '../issues.ts';
import { privateHeaders } from './headers.ts';
import { oneAtATime } from './pipelining.ts';
import { refuseUnreadable } from './unreadable.ts';

/** Size limit of a request body in bytes (1 MiB). */
export const maxBodyBytes = 1_048_576;
export const bodyLimitDetail = `A request body can have at most ${maxBodyBytes} bytes.`;

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Aborts when the client disconnects before it has received the whole response. Fastify's own `signal` aborts as soon
     * as the request has been read, because node:http closes the request then.
     */
    clientAborted: AbortSignal;
    /** What the log line of the request says beside method, path and status. */
    logFields: Record<string, unknown>;
    /** Adds headers to the response, in place of any with their names, unless it has begun. */
    addHeaders(headers: Readonly<Record<string, string>> | null): void;
  }
}

export interface HttpOptions {
  readonly logger: Logger;
  /** Rejects while the gateway cannot serve requests; `/readyz` then responds with 503. */
  readonly ready: () => Promise<void>;
  /** The proxies whose `X-Forwarded-For` tells the address of a client. */
  readonly isTrustedProxy?: (address: string) => boolean;
  /** Lets a face change the error for a request that is not valid HTTP. Its method and URL are empty where unknown. */
  readonly adjust?: (failure: ServiceError, method: string, url: string) => ServiceError;
}

export function createHttpServer({ logger, ready, isTrustedProxy, adjust }: HttpOptions): FastifyInstance {
  // With pino's own type the server's type would differ from the plain FastifyInstance that the faces take.
  const loggerInstance: FastifyBaseLogger = logger;
  const server = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    trustProxy: isTrustedProxy ?? false,
    genReqId: ({ headers }) => acceptedRequestId(headers['x-request-id']) ?? randomUUID(),
    // A client that sends its headers or body too slowly is cut off by the deadlines of node:http.
    requestTimeout: 60_000,
    forceCloseConnections: 'idle',
    // The router limits no path: the shape of an id decides how long it can be. node:http accepts 16 KiB, which
    // routableUrl can triple.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 49_152 },
    // node:http and Fastify would respond to these requests in words of their own. The hook below responds instead.
    http: { requireHostHeader: false },
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, { logger, adjust }),
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
  });

  server.decorateRequest('clientAborted');
  server.decorateRequest('addHeaders');
  server.decorateRequest('logFields');
  // node:http would respond to an unknown expectation with a bare 417. A server may ignore it (RFC 9110, 10.1.1).
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));

  // Fastify closes the connections that are idle when the server stops. A connection with a request in flight becomes idle
  // only after the response, and would then stay open for as long as the client likes.
  let stopping = false;
  server.addHook('preClose', async () => {
    stopping = true;
  });
  const inTurn = oneAtATime();
  // Hooks of every request take a callback: a promise each costs more than what they do.
  server.addHook('onRequest', ({ raw: { socket } }, { raw }, done) => inTurn(socket, raw, done));
  server.addHook('onRequest', (request, { raw }, done) => {
    const aborted = new AbortController();
    raw.once('close', () => {
      if (!raw.writableFinished) aborted.abort(new DOMException('The client disconnected', 'AbortError'));
    });
    request.clientAborted = aborted.signal;
    request.logFields = {};
    request.addHeaders = (headers) => {
      if (headers === null || raw.headersSent) return;
      for (const name in headers) raw.setHeader(name, headers[name] as string);
    };
    raw.setHeader('x-request-id', request.id);
    // On the raw response, so that a handler that writes to it directly sends them too.
    request.addHeaders(privateHeaders);
    done(stopping ? stoppingError() : hostRefusal(request));
  });
  server.addHook('onResponse', (request, reply, done) => {
    if (stopping) setImmediate(() => server.server.closeIdleConnections());
    // No query and no header: either may contain a key or a cursor.
    request.log.info(
      {
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        ...request.logFields,
      },
      'request',
    );
    done();
  });
  server.setErrorHandler((error, request, reply) => {
    const envelope = errorResponse(error, request);
    return reply.status(envelope.status).send(envelope);
  });
  server.setNotFoundHandler((request) => {
    throw new ServiceError('resource_not_found', {
      detail: `No resource matches ${request.method} ${shortened(pathOf(request))}.`,
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

const stoppingError = () => new ServiceError('service_unavailable', { detail: 'The gateway is stopping. Try again.' });

function hostRefusal({ raw, headers }: FastifyRequest): ServiceError | undefined {
  if (raw.httpVersion !== '1.1' || headers.host !== undefined) return undefined;
  return new ServiceError('malformed_request', { detail: 'The request has no Host header.' });
}

/** A body with a content coding. The contract has no 415 (RFC 9110, 15.5.16), but GraphQL over HTTP has. */
class EncodedBody extends ServiceError {
  constructor() {
    super('malformed_request', { detail: 'Send the body without Content-Encoding.' });
  }
}

/**
 * A compressed body could be many times as large as the limit of bodies.
 * @returns ServiceError `malformed_request` for a request whose body has a content coding
 */
export function codingRefusal({ headers }: Pick<FastifyRequest, 'headers'>): ServiceError | undefined {
  const coding = headers['content-encoding'];
  return coding === undefined || /^\s*(?:identity)?\s*$/i.test(coding) ? undefined : new EncodedBody();
}

/** Whether a request was refused for the type or the coding of its body: where HTTP may say so, it is 415. */
export const isUnsupportedMedia = (error: unknown): boolean =>
  error instanceof EncodedBody ||
  (error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE');

/**
 * The body and status of the response to a request that failed. A failure with a status of 500 and above is logged.
 * @param adjust lets a face replace the error before it is logged and sent
 */
export function errorResponse(
  error: unknown,
  request: FastifyRequest,
  adjust: (failure: ServiceError) => ServiceError = (failure) => failure,
): ErrorEnvelope {
  const failure = adjust(fromUnknown(fromFastify(error)));
  logFailure(failure, request);
  request.addHeaders?.(failure.headers);
  return toEnvelope(failure, request.id);
}

/** Logs a failure with a status of 500 and above: as an error of the gateway, unless the gateway refused on purpose. */
export function logFailure(failure: ServiceError, { log, clientAborted }: FastifyRequest): void {
  const { status, type, detail, cause } = failure;
  // Work that stopped because the client disconnected is not a failure of the gateway.
  const abandoned = clientAborted?.aborted && cause instanceof Error && cause.name === 'AbortError';
  if (status < 500 || abandoned) return;
  // A limit, or a stop: there is nothing behind it, and nothing to correct.
  if (status === 503 && cause === undefined) log.info({ type, detail }, 'request refused');
  else log.error({ err: cause ?? failure, type }, 'request failed');
}

/** Translates what Fastify itself refuses into the contract's errors. */
function fromFastify(error: unknown): unknown {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ServiceError('content_too_large', { detail: bodyLimitDetail });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ServiceError('malformed_request', { detail: 'The length of the body does not match Content-Length.' });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ServiceError('malformed_request', { detail: 'Send the body as application/json.' });
    default:
      return error;
  }
}

/**
 * The URL that a request is routed by. The router would itself refuse a path with broken percent-encoding, without a
 * request id and a log line, so the percent signs of such a path are escaped. The REST face then refuses the original path.
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

/** The path of a request, as it was sent. */
export const pathOf = (request: Pick<FastifyRequest, 'url'>): string => request.url.split('?', 1)[0] ?? '';

/** A client may set its own request id: 8 to 64 characters that are safe to log and to search for. */
function acceptedRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{8,64}$/.test(header) ? header : undefined;
}
