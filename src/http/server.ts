/**
 * The HTTP server that both faces share. Each request gets a request id, a body limit and one log line; a failure that
 * neither face handles gets the contract's error envelope.
 */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { ServiceError } from '../kernel/errors.ts';
import type { Cors } from './cors.ts';
import { closingWhile, createDraining, type Draining } from './draining.ts';
import { IncomingRequest, type IsTrustedProxy } from './incoming-request.ts';
import { type Listening, listenAt, type Place } from './listening.ts';
import type { RequestObserver } from './observed-requests.ts';
import { oneAtATime } from './pipelining.ts';
import { probes } from './probes.ts';
import { refuse } from './refusals.ts';
import { headerRefusal, maxHeadersLength } from './request-headers.ts';
import { createRouter, type Route } from './router.ts';
import { limitWaiting, type WaitingLimits, waitingLimits } from './slow-clients.ts';
import { refuseUnreadable, respondOn } from './unreadable.ts';

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
  /** Traces and counts requests; null, or nothing, where nobody wants to know. */
  readonly observer?: RequestObserver | null;
  /** How much waits for clients that do not read. Only tests set it. */
  readonly waiting?: WaitingLimits;
}

export interface HttpServer {
  /** node:http's own. */
  readonly server: Server;
  /** Of all routes. */
  readonly paths: readonly string[];
  add(routes: readonly Route[]): void;
  /** @returns the address, such as `http://127.0.0.1:4000` */
  listen(place: Place): Promise<string>;
  /** Takes no more connections, and resolves when the last response is sent. */
  close(): Promise<void>;
}

export function createHttpServer(options: HttpOptions): HttpServer {
  const { logger, ready, draining = createDraining(), isTrustedProxy = () => false } = options;
  const { cors = null, observer = null, waiting = waitingLimits } = options;
  const router = createRouter();
  router.add(probes(ready, draining, logger));
  const turns = oneAtATime(logger);
  /**
   * Connections without a request so far. node:http waits for them when it stops, and clients open some before they have a
   * request for them, as undici does in place of one that it has broken off.
   */
  const unused = new Set<Socket>();
  let stopping = false;
  let listening: Listening | null = null;

  async function serve(request: IncomingRequest): Promise<void> {
    const { method, url } = request;
    const found = router.find(method, url);
    request.route = found?.route.path;
    try {
      const refusal = headerRefusal(request.raw);
      if (refusal !== undefined) throw refusal;
      if (cors?.(request)) return;
      if (found === null) throw router.refusalOf(method, url);
      await found.route.serve(request, found.parameters);
    } catch (error) {
      await refuse(request, error, found?.route ?? { refuse: router.refuserOf(url) });
    }
  }

  const listener: RequestListener = (raw, response) => {
    unused.delete(raw.socket);
    turns.take(response, () => {
      const request = new IncomingRequest(raw, response, { isTrustedProxy, logger });
      request.whenClosed(() => responded(request));
      const work = () => {
        serve(request).catch((error: unknown) => {
          request.log.error({ err: error }, 'a request could not be served');
          response.destroy();
        });
      };
      if (observer === null) work();
      else observer.serve(request, work);
    });
  };

  function responded(request: IncomingRequest): void {
    // A connection with a request in flight becomes idle only after the response, and would then stay open for as long as
    // the client likes.
    if (stopping) setImmediate(() => server.closeIdleConnections());
    observer?.count(request);
    const { id, method, path, response, elapsedTime, facts } = request;
    if (quietPaths.has(path)) return;
    // No query and no header: either may contain a key or a cursor.
    const line = { reqId: id, method, path, status: request.sentStatus, ms: Math.round(elapsedTime) };
    const aborted = response.writableFinished ? {} : { aborted: true };
    const tell = () => logger.info({ ...line, ...aborted, ...facts }, 'request');
    // That a client has gone is told by its connection, which knows of no trace.
    if (observer === null) tell();
    else observer.resume(request, tell);
  }

  const server = createNodeServer(listener, closingWhile(draining, limitWaiting(waiting, logger)));
  server.on('connection', (socket: Socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('clientError', (error, socket: Socket) => {
    const adjust = (failure: ServiceError, method: string, url: string) =>
      router.find(method, url)?.route.adjust?.(failure) ?? failure;
    refuseUnreadable(error, socket, { logger, adjust, last: turns.last(socket) });
  });
  server.on('connect', (_raw, socket) =>
    respondOn(socket, new ServiceError('malformed_request', { detail: 'The gateway is no proxy.' }), logger),
  );

  return {
    server,
    get paths() {
      return router.paths;
    },
    add: (routes) => router.add(routes),
    async listen(place) {
      listening = await listenAt(server, place);
      logger.info(`Server listening at ${listening.address}`);
      return listening.address;
    },
    async close() {
      stopping = true;
      draining.start();
      for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
      await listening?.close();
    },
  };
}

function createNodeServer(listener: RequestListener, responses: typeof ServerResponse): Server {
  // node:http would respond to a request without a host in words of its own, with neither a request id nor a log line.
  // A client that sends its headers or body too slowly is cut off by the deadline of node:http.
  const limits = { maxHeaderSize: maxHeadersLength, requestTimeout: 60_000, keepAliveTimeout: 72_000 };
  const server = createServer({ requireHostHeader: false, ServerResponse: responses, ...limits }, listener);
  // node:http would respond to an unknown expectation with a bare 417. A server may ignore it (RFC 9110, 10.1.1).
  return server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
