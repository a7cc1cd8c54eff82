/** The HTTP server of both faces: request ids, log lines, and the contract's envelope for unhandled failures. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { malformedRequest, retrySoon, ServiceError } from '../kernel/errors.ts';
import type { FairTurns } from '../kernel/lib/fair-turns.ts';
import { http } from '../kernel/lib/node-http.ts';
import {
  closingWhile,
  endAfter,
  endInTime,
  limitWaiting,
  type NamedResponse,
  oneAtATime,
  type StopLimits,
  stopLimits,
  type WaitingLimits,
  waitingLimits,
} from './connections.ts';
import type { Cors } from './cors.ts';
import { IncomingRequest, type IsTrustedProxy } from './incoming-request.ts';
import { type ListenAddress, type Listening, listenAt } from './listening.ts';
import type { Observation, ObservedRequest, RequestObserver } from './observed-requests.ts';
import { probes } from './probes.ts';
import { RequestBodies } from './request-bodies.ts';
import {
  asksForSocket,
  asksForUpgrade,
  headerRefusal,
  maxHeadersLength,
  pathIn,
  toOriginForm,
  withoutCredentials,
} from './request-head.ts';
import { createRouter, type Route } from './router.ts';
import { type Refuse, sendRefusal } from './send.ts';
import { type ConnectionError, lateAtStop, type RefusalFor, refuseUnreadable, respondOn } from './unreadable.ts';
import { type SocketRoute, socketRefusal } from './upgrades.ts';
import { type ServeSocket, socketServer } from './web-socket.ts';

/** Asked for every few seconds: a failure has a line of its own. */
const quietPaths: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

interface HttpOptions {
  readonly logger: Logger;
  /** Rejects while the gateway is not ready: `/readyz` then responds with 503. */
  readonly ready: () => Promise<void>;
  /** What the gateway is ready without, for `/readyz`. */
  readonly remarks?: () => object;
  /** While it lasts, `/readyz` responds with 503 too. */
  readonly draining?: AbortController;
  readonly isTrustedProxy?: IsTrustedProxy;
  readonly turns?: FairTurns;
  readonly cors?: Cors | null;
  readonly observer?: RequestObserver | null;
  /** Refuses requests of a path that nothing has; default: the contract's envelope. */
  readonly refuseUnknown?: Refuse | undefined;
  readonly waiting?: WaitingLimits;
  readonly stop?: StopLimits;
  /** Lifetime of an idle connection, in milliseconds. */
  readonly keepAliveMs?: number;
}

export type HttpServer = ReturnType<typeof createHttpServer>;

export function createHttpServer(options: HttpOptions) {
  const { logger, ready, draining = new AbortController(), isTrustedProxy = () => false, turns } = options;
  const {
    refuseUnknown,
    cors = null,
    observer = null,
    waiting = waitingLimits,
    stop = stopLimits,
    keepAliveMs = 72_000,
  } = options;
  const router = createRouter();
  router.add(probes(ready, draining.signal, logger, options.remarks));
  const pipelined = oneAtATime(logger);
  /** Open ones: node:http waits for them when it stops. */
  const connections = new Set<Socket>();
  const webSockets = new WeakSet<Socket>();
  const limited = limitWaiting(waiting, logger);
  let socketRoute: SocketRoute | null = null;
  let openSocket: ReturnType<typeof socketServer> | null = null;
  let stopping = false;
  let listening: Listening | null = null;

  /** @param before a refusal, whatever it is */
  function serve(request: IncomingRequest, before?: ServiceError): void {
    const { method, url } = request;
    const found = router.find(method, url);
    request.route = found?.route.path;
    const refuse = (error: unknown) => {
      sendRefusal(request, error, found?.route ?? { refuse: router.refuserOf(url, refuseUnknown) }).catch(
        (failure: unknown) => {
          request.log.error({ err: failure }, 'a request could not be served');
          request.response.destroy();
        },
      );
    };
    try {
      cors?.decorate(request);
      const refusal = before ?? headerRefusal(request.raw);
      if (refusal !== undefined) throw refusal;
      if (cors?.answer(request)) return;
      // Elsewhere the wish is ignored (RFC 9110, section 7.8).
      const isOfSockets = asksForSocket(request.raw) && (found === null || found.route.path === socketRoute?.path);
      const noSocket = isOfSockets ? refusalOfSocket(request.raw) : undefined;
      if (noSocket !== undefined) throw noSocket;
      if (found === null) throw router.refusalOf(method, url);
      found.route.serve(request, found.parameters)?.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }

  const ofRequests = { isTrustedProxy, logger, turns, bodies: new RequestBodies() };
  const listener: RequestListener = (raw, response) => {
    toOriginForm(raw);
    // node:http drops what came in a packet with it: a request behind would have the response of a later one.
    if (asksForUpgrade(raw)) response.shouldKeepAlive = false;
    const begin = (refusal?: ServiceError) => {
      const request = new IncomingRequest(raw, response, ofRequests);
      observed(request, () => serve(request, refusal));
    };
    pipelined.take(
      response,
      () => begin(),
      () => {
        endAfter(response);
        begin(tooManyWaiting());
      },
    );
  };

  function observed(request: ObservedRequest, work: () => void): void {
    const observation = observer?.(request) ?? unobserved;
    request.whenClosed(() => {
      // A connection becomes idle only after its response, and would stay open for as long as the client likes.
      if (stopping) setImmediate(() => server.closeIdleConnections());
      observation.end(() => log(request));
    });
    observation.within(work);
  }

  function log(request: ObservedRequest): void {
    const { id, method, path, isFinished, elapsedTime, facts } = request;
    if (quietPaths.has(path)) return;
    // No query and no headers: either may contain a key or a cursor.
    const line = {
      reqId: id,
      method,
      path: withoutCredentials(path),
      status: request.sentStatus,
      ms: Math.round(elapsedTime),
      aborted: isFinished ? undefined : true,
    };
    logger.info(Object.assign(line, facts), 'request');
  }

  function refusalOfSocket(raw: IncomingMessage): ServiceError | undefined {
    if (stopping) return new ServiceError('service_unavailable', { detail: 'The gateway is stopping.' });
    const last = pipelined.last(raw.socket);
    if (last !== undefined && last.req !== raw && !last.closed)
      return malformedRequest('Wait for the earlier responses on the connection before you open a WebSocket.');
    return socketRefusal(raw, socketRoute);
  }

  /** Requests without a WebSocket are refused by {@link serve}. */
  const becomesSocket = (raw: IncomingMessage): boolean => {
    toOriginForm(raw);
    return asksForSocket(raw) && headerRefusal(raw) === undefined && refusalOfSocket(raw) === undefined;
  };

  const server = createNodeServer(
    listener,
    closingWhile(draining.signal, limited.Response),
    becomesSocket,
    keepAliveMs,
  );
  // That of node:http, which its close() calls, also closes those whose response is still to be sent, and none that had
  // no request: clients open some in advance, as undici does in place of one that it has broken off.
  server.closeIdleConnections = () => {
    for (const socket of connections) {
      const last = pipelined.last(socket);
      const isIdle = last === undefined ? socket.bytesRead === 0 : last.closed && last.req.complete;
      if (isIdle && !socket.writableEnded && !webSockets.has(socket)) socket.destroy();
    }
  };
  server.on('upgrade', (raw, socket, head) => {
    // Before Node.js 22.21 every upgrade comes here.
    if (openSocket === null || !becomesSocket(raw)) {
      const unknown = malformedRequest('The connection cannot be upgraded to this protocol.');
      const headers = cors?.headersFor(pathIn(raw.url ?? ''), raw.headers.origin);
      respondOn(socket, (asksForSocket(raw) && refusalOfSocket(raw)) || unknown, logger, { headers });
      return;
    }
    webSockets.add(raw.socket);
    openSocket(raw, head).catch((error: unknown) => {
      logger.error({ err: error }, 'a WebSocket could not be opened');
      socket.destroy();
    });
  });
  server.on('connection', (socket: Socket) => {
    // Once asked for, the address is known after the end, too: limits count by it. Who was gone before has none.
    if (stopping || socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const refuseConnection = (error: ConnectionError, socket: Socket) => {
    const refusalFor: RefusalFor = (failure, { method = '', url = '', headers }) => ({
      failure: router.find(method, url)?.route.adjust?.(failure) ?? failure,
      headers: cors?.headersFor(pathIn(url), headers.origin) ?? {},
    });
    refuseUnreadable(error, socket, { logger, refusalFor, last: pipelined.last(socket) });
  };
  server.on('clientError', refuseConnection);
  /** Refuses a connection whose request has not arrived when the gateway stops. */
  const refuseLate = (socket: Socket) => {
    const last = pipelined.last(socket);
    // It has its response.
    if (last?.headersSent && !last.req.complete) socket.destroy();
    else refuseConnection(lateAtStop, socket);
  };
  server.on('connect', (_raw, socket) =>
    respondOn(socket, malformedRequest('The gateway is not a proxy: CONNECT is not supported.'), logger),
  );

  return {
    server,
    get paths() {
      return router.paths;
    },
    add: (routes: readonly Route[]) => router.add(routes),
    /** @param load its door, at the first connection */
    addSocket(route: SocketRoute, load: () => Promise<ServeSocket>) {
      socketRoute = route;
      openSocket = socketServer(route, load, { ...ofRequests, serve: observed, wait: limited.wait });
    },
    /** @returns `http://127.0.0.1:4000` */
    async listen(at: ListenAddress) {
      listening = await listenAt(server, at);
      logger.info(`Server listening at ${listening.address}`);
      return listening.address;
    },
    /** Takes no new connection, and leaves the others open. */
    leave: () => listening?.leave(),
    /** Lets requests in flight finish, for a limited time. */
    async close() {
      stopping = true;
      draining.abort();
      const { serving } = pipelined;
      const isWebSocket = (socket: Socket) => webSockets.has(socket);
      const stopLooking = endInTime(connections, { limits: stop, serving, isWebSocket, refuse: refuseLate, logger });
      try {
        await listening?.close();
        // Those within the process are not the listener's.
        await Promise.all([...connections].map((socket) => new Promise((closed) => socket.once('close', closed))));
      } finally {
        stopLooking();
      }
    },
  };
}

const tooManyWaiting = () =>
  new ServiceError('service_unavailable', {
    detail: 'Too many requests, or too large ones, wait on the connection: wait for the responses to the earlier ones.',
    headers: retrySoon,
  });

const unobserved: Observation = { within: (work) => work(), end: (tell) => tell() };

function createNodeServer(
  listener: RequestListener,
  responses: typeof ServerResponse,
  shouldUpgradeCallback: (raw: IncomingMessage) => boolean,
  keepAliveTimeout: number,
): Server {
  // node:http would refuse a request without a host in its own words, without id or log line. Its deadline cuts off
  // slow headers and bodies; it begins with the first byte of a request, however long the connection was idle.
  const limits = { maxHeaderSize: maxHeadersLength, requestTimeout: 60_000, keepAliveTimeout };
  const options = { requireHostHeader: false, ServerResponse: responses, shouldUpgradeCallback, ...limits };
  const server = http.createServer(options, listener);
  // node:http would ask for a body that is refused (RFC 9110, section 10.1.1): whoever reads it asks for it.
  server.on('checkContinue', (request, response: NamedResponse) => {
    response.awaitsContinue = true;
    server.emit('request', request, response);
  });
  // node:http would send a bare 417. A server may ignore the expectation.
  return server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
