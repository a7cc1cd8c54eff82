/**
 * The HTTP server that both faces share. Each request gets a request id, a body limit and one log line; a failure that
 * neither face handles gets the contract's error envelope.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import { isAbandonment } from '../deadline.ts';
import { type ErrorEnvelope, fromUnknown, ServiceError, toEnvelope } from '../errors.ts';
import { shortened } from '../issues.ts';
import type { Cors } from './cors.ts';
import { closingWhile, createDraining, type Draining } from './draining.ts';
import {
  bodyLimitDetail,
  IncomingRequest,
  type IsTrustedProxy,
  maxBodyBytes,
  pathOf,
  type RequestFacts,
} from './incoming-request.ts';
import type { RequestObserver } from './observed-requests.ts';
import { oneAtATime } from './pipelining.ts';
import { maxHeaderLength, maxHeadersLength, requestHeaders } from './request-headers.ts';
import { limitWaiting, type WaitingLimits, waitingLimits } from './slow-clients.ts';
import { discardUnreadBodies } from './unread-bodies.ts';
import { refuseUnreadable } from './unreadable.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request before it was routed. */
    incoming: IncomingRequest;
    /** Of the same. Fastify's own `signal` aborts as soon as the request has been read. */
    clientAborted: IncomingRequest['clientAborted'];
    addHeaders: IncomingRequest['addHeaders'];
    facts: RequestFacts;
  }
}

/**
 * Serves a request itself, ahead of the router.
 * @returns false at once for a request that is not for it; or whether it has served it. It sends nothing if it has not.
 */
export type ShortCut = (request: IncomingRequest) => false | Promise<boolean>;

/** What asks for these asks every few seconds: of a failure there is a line of its own. */
const quietPaths: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

export interface HttpOptions {
  readonly logger: Logger;
  /** Rejects while the gateway cannot serve requests; `/readyz` then responds with 503. */
  readonly ready: () => Promise<void>;
  /** While the gateway drains, `/readyz` responds with 503 too. */
  readonly draining?: Draining;
  /** The proxies whose `X-Forwarded-For` tells the address of a client. */
  readonly isTrustedProxy?: IsTrustedProxy;
  /** Which pages of other origins may read responses; null, or nothing, for none. */
  readonly cors?: Cors | null;
  /** Tried for every request before it is routed. */
  readonly shortCut?: ShortCut | undefined;
  /** Lets a face change the error for a request that is not valid HTTP. Its method and URL are empty where unknown. */
  readonly adjust?: (failure: ServiceError, method: string, url: string) => ServiceError;
  /** Traces and counts requests; null, or nothing, where nobody wants to know. */
  readonly observer?: RequestObserver | null;
  /** How much waits for clients that do not read. Only tests set it. */
  readonly waiting?: WaitingLimits;
}

export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { logger, ready, draining = createDraining(), isTrustedProxy = () => false } = options;
  const { adjust, cors = null, shortCut, observer = null, waiting = waitingLimits } = options;
  // With pino's own type the server's type would differ from the plain FastifyInstance that the faces take.
  const loggerInstance: FastifyBaseLogger = logger;
  let stopping = false;

  function responded(request: IncomingRequest): void {
    // A connection with a request in flight becomes idle only after the response, and would then stay open for as long as
    // the client likes.
    if (stopping) setImmediate(() => server.server.closeIdleConnections());
    observer?.count(request);
    const { id, raw, path, response, elapsedTime, facts } = request;
    if (quietPaths.has(path)) return;
    // No query and no header: either may contain a key or a cursor.
    const line = { reqId: id, method: raw.method, path, status: request.sentStatus, ms: Math.round(elapsedTime) };
    const aborted = response.writableFinished ? {} : { aborted: true };
    const tell = () => logger.info({ ...line, ...aborted, ...facts }, 'request');
    // That a client has gone is told by its connection, which knows of no trace.
    if (observer === null) tell();
    else observer.resume(request, tell);
  }

  /**
   * Connections without a request so far. node:http waits for them when it stops, and clients open some before they have a
   * request for them, as undici does in place of one that it has broken off.
   */
  const unused = new Set<Socket>();
  const turns = oneAtATime(logger);
  const listener =
    (route: RequestListener): RequestListener =>
    (raw, response) => {
      unused.delete(raw.socket);
      turns.take(response, () => {
        const request = new IncomingRequest(raw, response, isTrustedProxy);
        request.whenClosed(() => responded(request));
        const serve = () => {
          if (headerRefusal(raw) !== undefined) return route(raw, response);
          if (cors?.(request)) return;
          const served = shortCut?.(request);
          if (!served) return route(raw, response);
          served
            .then((done) => {
              if (!done) route(raw, response);
            })
            .catch((error: unknown) => {
              // It may have been acted upon, so it is not tried in another way.
              logger.error({ err: error, reqId: request.id }, 'a request could not be served');
              response.destroy();
            });
        };
        if (observer === null) serve();
        else observer.serve(request, serve);
      });
    };
  const server = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    trustProxy: isTrustedProxy,
    genReqId: (raw) => IncomingRequest.of(raw).id,
    serverFactory: (route) => createNodeServer(listener(route), closingWhile(draining, limitWaiting(waiting, logger))),
    forceCloseConnections: 'idle',
    // The router limits no path: the shape of an id decides how long it can be. node:http accepts 16 KiB, which
    // routableUrl can triple.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 49_152 },
    return503OnClosing: false,
    clientErrorHandler: (error, socket) =>
      refuseUnreadable(error, socket, { logger, adjust, last: turns.last(socket) }),
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
  });

  server.decorateRequest('incoming', {
    getter() {
      return IncomingRequest.of(this.raw);
    },
  });
  server.decorateRequest('clientAborted', {
    getter() {
      return this.incoming.clientAborted;
    },
  });
  server.decorateRequest('facts', {
    getter() {
      return this.incoming.facts;
    },
  });
  server.decorateRequest('addHeaders', function addHeaders(this: FastifyRequest, headers) {
    this.incoming.addHeaders(headers);
  });

  server.server.on('connection', (socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.addHook('preClose', async () => {
    stopping = true;
    draining.start();
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  });
  // A hook of every request takes a callback: a promise costs more than what it does.
  server.addHook('onRequest', ({ raw, incoming, routeOptions }, _reply, done) => {
    incoming.route = routeOptions.url;
    done(headerRefusal(raw));
  });
  discardUnreadBodies(server);
  if (observer !== null) server.addHook('preHandler', ({ incoming }, _reply, done) => observer.resume(incoming, done));
  server.setErrorHandler((error, request, reply) => {
    const envelope = errorResponse(error, request);
    return reply.status(envelope.status).send(envelope);
  });
  server.setNotFoundHandler((request) => {
    throw new ServiceError('resource_not_found', {
      detail: `No resource matches ${request.method} ${shortened(pathOf(request))}.`,
    });
  });

  server.get('/livez', async () => ({ status: 'alive' }));
  server.get('/readyz', async () => {
    if (draining.started) throw new ServiceError('service_unavailable', { detail: 'The gateway is stopping.' });
    await ready().catch((cause: unknown) => {
      throw new ServiceError('service_unavailable', {
        detail: 'The gateway is not ready.',
        cause,
        headers: { 'retry-after': '5' },
      });
    });
    return { status: 'ready' };
  });
  return server;
}

function createNodeServer(listener: RequestListener, responses: typeof ServerResponse): Server {
  // node:http and Fastify would respond to a request without a host in words of their own. A hook above responds instead.
  // A client that sends its headers or body too slowly is cut off by the deadline of node:http.
  const limits = { maxHeaderSize: maxHeadersLength, requestTimeout: 60_000, keepAliveTimeout: 72_000 };
  const server = createServer({ requireHostHeader: false, ServerResponse: responses, ...limits }, listener);
  // node:http would respond to an unknown expectation with a bare 417. A server may ignore it (RFC 9110, 10.1.1).
  return server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function headerRefusal({ httpVersion, headers }: IncomingMessage): ServiceError | undefined {
  if (httpVersion === '1.1' && headers.host === undefined) {
    return new ServiceError('malformed_request', { detail: 'The request has no Host header.' });
  }
  if (headers.host !== undefined && !isHost(headers.host)) {
    return new ServiceError('malformed_request', { detail: 'The Host header is not valid.' });
  }
  const tooLong = requestHeaders.find((name) => (headers[name]?.length ?? 0) > maxHeaderLength);
  if (tooLong === undefined) return undefined;
  return new ServiceError('content_too_large', {
    detail: `The header ${tooLong} can have at most ${maxHeaderLength} characters.`,
  });
}

/** RFC 9112, section 3.2. It may be empty. Yoga makes a URL of it. */
const isHost = (host: string): boolean => !/[/?#@\\]/.test(host) && URL.canParse(`http://${host || 'localhost'}`);

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
  return coding === undefined || /^(?:identity)?$/i.test(coding.trim()) ? undefined : new EncodedBody();
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
  // The client has gone in the middle of its body: nothing of ours failed, and nobody reads the response.
  const isBrokenOff = request.raw.errored instanceof Error;
  const failure = adjust(isBrokenOff ? brokenOff() : fromUnknown(fromFastify(error)));
  logFailure(failure, request);
  request.addHeaders?.(failure.headers);
  if (request.facts) request.facts.errors = [failure.type];
  return toEnvelope(failure, request.id);
}

const brokenOff = () =>
  new ServiceError('malformed_request', { detail: 'The connection was closed before the whole body had arrived.' });

/**
 * Logs a failure with a status of 500 and above: as an error of the gateway, unless the gateway refused on purpose.
 * @param fields are added to the line
 */
export function logFailure(
  failure: ServiceError,
  { log, clientAborted }: Pick<FastifyRequest, 'log' | 'clientAborted'>,
  fields: object = {},
): void {
  const { status, type, detail, cause } = failure;
  if (status < 500 || (clientAborted?.aborted && isAbandonment(cause))) return;
  // A limit, or a stop: there is nothing behind it, and nothing to correct.
  if (status === 503 && cause === undefined) log.info({ ...fields, type, detail }, 'request refused');
  else log.error({ ...fields, err: cause ?? failure, type }, 'request failed');
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
