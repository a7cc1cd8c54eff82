/**
 * What one connection may hold. Its requests are served one after the other, the last one once the gateway stops; its
 * responses wait in memory for a client that reads, however slowly and often.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { http } from '../kernel/lib/node-http.ts';
import { lingerMs } from './unread-bodies.ts';

/**
 * Requests waiting on one connection. A parsed request has a hundred times the memory of its bytes, and a subscription
 * may keep others waiting for hours.
 */
export const maxWaitingRequests = 100;

/** Bytes of their bodies together. node:http buffers as many of each, and nobody reads one that waits. */
export const maxWaitingBytes = 65_536;

/** Requests behind the one too many, whose client goes on: more than a read of the socket has room for. */
const maxDroppedRequests = 4_096;

interface Line {
  serving: ServerResponse;
  last: ServerResponse;
  waiting: readonly IncomingMessage[];
}

interface Turns {
  /**
   * Calls `start` after the responses before, unless the connection is closed by then.
   * @param refuse is called in its place for the one too many, which is the last
   */
  take(response: ServerResponse, start: () => void, refuse: () => void): void;
  last(socket: Socket): ServerResponse | undefined;
  /** The one whose turn it is, also once it is closed. */
  serving(socket: Socket): NamedResponse | undefined;
}

/**
 * Serves a connection's requests one after the other. A client may send many at once (RFC 9112, section 9.3.2), and
 * node:http starts them all: hundreds in a packet would hold the event loop and the memory of their responses, which
 * leave in order all the same. Beyond {@link maxWaitingRequests}, or {@link maxWaitingBytes}, one is refused and ends the connection: those
 * before it have their responses.
 */
export function oneAtATime(logger: Logger): Turns {
  const lines = new WeakMap<Socket, Line>();
  const take: Turns['take'] = (response, start, refuse) => {
    const { req } = response;
    const { socket } = req;
    const line = lines.get(socket);
    // The rest of its packet is parsed even so.
    if (socket.destroyed) return;
    if (line === undefined || line.last.closed) {
      lines.set(socket, { serving: response, last: response, waiting: [] });
      return start();
    }
    const isRefused =
      line.waiting.length === maxWaitingRequests || bytesOf(line.waiting) + announcedBytes(req) > maxWaitingBytes;
    if (isRefused) {
      logger.info({ reason: 'Too many requests wait on it.' }, 'connection closed');
      dropFurther(socket);
      socket.pause();
    }
    const before = line.last;
    line.last = response;
    line.waiting = [...line.waiting, req];
    // A turn of the event loop between: responses sent at once would serve a whole packet while other connections wait.
    before.once('close', () =>
      setImmediate(() => {
        line.waiting = line.waiting.filter((each) => each !== req);
        if (socket.destroyed) return;
        line.serving = response;
        if (isRefused) refuse();
        else start();
      }),
    );
  };
  return { take, last: (socket) => lines.get(socket)?.last, serving: (socket) => lines.get(socket)?.serving };
}

/**
 * Drops what the connection's parser finds from now on. node:http would make a response of each request, and at the end
 * of the connection an error with its stack: of a packet of small ones more than two thirds of its time.
 */
function dropFurther(socket: Socket): void {
  // Undefined for a stream that is no connection, as in tests.
  const { parser } = socket as { readonly parser?: { onIncoming: (request: IncomingMessage) => number } | null };
  if (!parser) return;
  let dropped = 0;
  parser.onIncoming = (request) => {
    // Else node:http would hand the connection over. The type does not know it.
    Object.assign(request, { upgrade: false });
    request.resume();
    dropped += 1;
    // node:http reads on when a body before is read.
    if (dropped > maxDroppedRequests) socket.destroy();
    return 0;
  };
}

/** What has arrived of bodies. Of all but the last that is the whole: node:http parses one request after the other. */
const bytesOf = (requests: Iterable<IncomingMessage>): number => {
  let bytes = 0;
  for (const { readableLength } of requests) bytes += readableLength;
  return bytes;
};

/** At most. A body of unknown length counts once it has arrived, and node:http buffers no more than of any other. */
const announcedBytes = ({ headers }: IncomingMessage): number =>
  Math.min(Number(headers['content-length'] ?? 0), maxWaitingBytes);

/** Ends a connection behind a last response, of which a client that still sends would else read nothing (RFC 9112, section 9.6). */
export function endAfter(response: ServerResponse): void {
  const { req } = response;
  const { socket } = req;
  response.once('finish', () => {
    socket.end();
    socket.resume();
    req.resume();
    const linger = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(linger));
  });
}

export const closingWhile = (draining: AbortSignal, Response: typeof ServerResponse): typeof ServerResponse =>
  class<Request extends IncomingMessage> extends Response<Request> {
    // Two forms of arguments, passed on as they are.
    override writeHead(...args: [number, ...never[]]): this {
      if (draining.aborted) this.shouldKeepAlive = false;
      return super.writeHead(...args);
    }
  };

/** Cut off is who takes nothing, never who is slow. */
export interface WaitingLimits {
  /** Bytes of all, beyond which those whose clients read nothing are cut off at once; the newest never is. */
  readonly maxBytes: number;
  /** Bytes beyond which those are cut off whose clients read nothing for `idleMs` milliseconds. */
  readonly idleBytes: number;
  readonly idleMs: number;
  /** A client that takes nothing is cut off after this, in milliseconds. */
  readonly stallMs: number;
}

const mebibyte = 1_024 * 1_024;
export const waitingLimits: WaitingLimits = {
  maxBytes: 128 * mebibyte,
  idleBytes: 64 * mebibyte,
  // A full buffer of the kernel (4 MiB) takes more when a third of it is free.
  idleMs: 5_000,
  stallMs: 30_000,
};

/** Reads after this, in milliseconds, are a client's and not buffers that fill. */
const readingMs = 1_000;

const stallLookMs = 500;

/** For a longer text node:http reserves three bytes a character, and keeps the text too. */
const maxTextCharacters = 16_384;

const inBytes = (chunk: unknown, encoding: unknown): unknown =>
  typeof chunk === 'string' && chunk.length > maxTextCharacters
    ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    : chunk;

type Callback = (error?: Error | null) => void;

interface WaitingResponse {
  readonly socket: Socket;
  readonly requestId: string | undefined;
  readonly since: number;
  taken: number;
  takenAt: number;
}

/**
 * With the id of its request, for the log; `isStream` for a subscription, which its client opens again; `awaitsContinue` if
 * the client sends the body only when it is asked for it.
 */
export type NamedResponse = ServerResponse & { requestId?: string; isStream?: boolean; awaitsContinue?: boolean };

export function limitWaiting(limits: WaitingLimits, logger: Logger) {
  const waiting = new Map<Socket, WaitingResponse>();
  let looking: NodeJS.Timeout | undefined;

  function forget(socket: Socket): void {
    if (!waiting.delete(socket) || waiting.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  function cutOff({ socket, requestId: reqId }: WaitingResponse, reason: string): void {
    forget(socket);
    logger.info({ reqId, reason }, 'response cut off');
    socket.destroy();
  }

  function wait(socket: Socket | null, requestId: string | undefined): void {
    if (!socket?.writableNeedDrain) return;
    if (!waiting.has(socket)) {
      const now = performance.now();
      waiting.set(socket, { socket, requestId, since: now, taken: takenOf(socket), takenAt: now });
      const ended = () => {
        socket.off('drain', ended).off('close', ended);
        forget(socket);
      };
      socket.on('drain', ended).on('close', ended);
      looking ??= setInterval(look, Math.min(stallLookMs, limits.stallMs / 4)).unref();
    }
    look(socket);
  }

  const waitFor = ({ socket, requestId }: NamedResponse) => wait(socket, requestId);

  /** @param newest is not cut off for others */
  function look(newest?: Socket): void {
    const now = performance.now();
    let bytes = 0;
    for (const each of waiting.values()) {
      const taken = takenOf(each.socket);
      if (taken !== each.taken) Object.assign(each, { taken, takenAt: now });
      if (now - each.takenAt >= limits.stallMs) cutOff(each, 'The client does not read.');
      else bytes += each.socket.writableLength;
    }
    if (bytes <= Math.min(limits.idleBytes, limits.maxBytes)) return;
    for (const each of [...waiting.values()].sort(leastRead)) {
      const isIdle = now - each.takenAt >= limits.idleMs;
      if (bytes <= (isIdle ? limits.idleBytes : limits.maxBytes) || each.socket === newest) continue;
      bytes -= each.socket.writableLength;
      cutOff(each, 'Too many responses wait for clients.');
    }
  }

  const Response = class<Request extends IncomingMessage> extends http.ServerResponse<Request> {
    override write(chunk: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
      const isTaken = super.write(inBytes(chunk, encoding), encoding as BufferEncoding, callback);
      // Node.js 26 hands the chunks of a tick to the socket at its end.
      if (!isTaken) process.nextTick(waitFor, this);
      return isTaken;
    }
    override end(chunk?: unknown, encoding?: BufferEncoding | (() => void), callback?: () => void): this {
      super.end(inBytes(chunk, encoding), encoding as BufferEncoding, callback);
      waitFor(this);
      return this;
    }
  };
  return { Response, wait };
}

/** Deadlines of a stop, in milliseconds from the closing of the listener. */
export interface StopLimits {
  /** For requests to arrive. node:http ends its own deadlines when it stops. */
  readonly arrivalMs: number;
  /** For clients to read the end of their streams. */
  readonly streamMs: number;
  /** A client that takes nothing is cut off after this. */
  readonly stallMs: number;
  /** For everything. */
  readonly drainMs: number;
}

export const stopLimits: StopLimits = { arrivalMs: 2_000, streamMs: 2_000, stallMs: 5_000, drainMs: 20_000 };

const stopLookMs = 100;

interface Stopping {
  readonly limits: StopLimits;
  readonly serving: Turns['serving'];
  readonly isWebSocket: (socket: Socket) => boolean;
  /** For a connection without a whole request. May be called again. */
  readonly refuse: (socket: Socket) => void;
  readonly logger: Logger;
}

/** Ends the connections that would hold up a stop, and in the end all. @returns a function that ends this */
export function endInTime(
  connections: ReadonlySet<Socket>,
  { limits, serving, isWebSocket, refuse, logger }: Stopping,
): () => void {
  const since = performance.now();
  const takes = new WeakMap<Socket, { readonly taken: number; readonly at: number }>();

  /** Milliseconds for which a client has taken nothing of what waits for it. */
  function stalledMs(socket: Socket, now: number): number {
    const taken = takenOf(socket);
    const before = takes.get(socket);
    if (before?.taken === taken && socket.writableLength > 0) return now - before.at;
    takes.set(socket, { taken, at: now });
    return 0;
  }

  function cutOff(socket: Socket, reason: string): void {
    logger.info({ reqId: serving(socket)?.requestId, reason }, 'response cut off');
    socket.destroy();
  }

  function look(): void {
    const now = performance.now();
    const elapsed = now - since;
    if (elapsed >= limits.drainMs) {
      logger.warn({ connections: connections.size }, 'requests in flight did not finish in time');
      for (const socket of connections) socket.destroy();
      clearInterval(looking);
      return;
    }
    for (const socket of connections) {
      const response = serving(socket);
      const isOpen = response?.closed === false;
      if (stalledMs(socket, now) >= limits.stallMs) cutOff(socket, 'The client does not read.');
      else if (isOpen && response.isStream && elapsed >= limits.streamMs)
        cutOff(socket, 'The client does not read the end of the stream.');
      else if (elapsed >= limits.arrivalMs && !isWebSocket(socket) && !(isOpen && response.req.complete))
        refuse(socket);
    }
  }

  const looking = setInterval(look, stopLookMs);
  return () => clearInterval(looking);
}

/** First those whose clients have read nothing, then those who have read least lately. */
const leastRead = (one: WaitingResponse, other: WaitingResponse): number =>
  Number(isReading(one)) - Number(isReading(other)) || one.takenAt - other.takenAt;

const isReading = ({ since, takenAt }: WaitingResponse): boolean => takenAt - since >= readingMs;

/**
 * Bytes of a connection that the kernel has taken, or the client of one within the process. A socket's own counts only
 * change with the whole of a write; node:net watches the same counters of its handle for time-outs.
 */
function takenOf(socket: Socket): number {
  const { _handle: handle, bytesTaken = 0 } = socket as {
    readonly _handle?: { bytesWritten?: number; writeQueueSize?: number } | null;
    readonly bytesTaken?: number;
  };
  return (handle?.bytesWritten ?? bytesTaken) - (handle?.writeQueueSize ?? 0);
}
