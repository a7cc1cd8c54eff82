/** A WebSocket for its door: text messages, sent as fast as the client reads. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { WebSocket, WebSocketServer } from 'ws';
import { http } from '../kernel/lib/node-http.ts';
import { IncomingRequest, type IsTrustedProxy } from './incoming-request.ts';
import type { ObservedRequest } from './observed-requests.ts';
import { type CountedBody, maxBodyBytes, maxStrangerBytes, type RequestBodies } from './request-bodies.ts';
import { withoutCredentials } from './request-head.ts';

/** Milliseconds between pings, as between those of an event stream. */
const pingMs = 12_000;

/** Milliseconds until a missing pong ends the connection: the ping waits behind all that is unread. */
const pongMs = 60_000;

/** Deadline of the closing handshake, in milliseconds. */
const closeMs = 3_000;

/**
 * Of a message, in the names of ws: reads of its connection, and its parts (RFC 6455, section 5.4). Each takes hundreds of bytes of
 * its own, and a part holds all of the read that it came with. Clients send a short message in one part.
 */
export const socketLimits = {
  stranger: { maxBufferedChunks: 64, maxFragments: 1 },
  caller: { maxBufferedChunks: 4_096, maxFragments: 64 },
} as const;

/** Bytes of a message with what stands between its parts: clients send pings and pongs there. */
const maxArrivingBytes = 2 * maxBodyBytes;

/** Bytes (RFC 6455, section 5.5). */
const maxReasonBytes = 123;

/** RFC 6455, section 7.4: clients try again later. */
export const tryAgainLater = 1013;

interface SocketContext {
  readonly logger: Logger;
  readonly bodies: RequestBodies;
  readonly isTrustedProxy: IsTrustedProxy;
  /** Within the operation's span, with a log line. */
  readonly serve: (operation: ObservedRequest, work: () => void) => void;
  readonly wait: (socket: Socket, requestId: string) => void;
}

/** Has to listen for messages and the end at once. */
export type ServeSocket = (connection: SocketConnection) => void;

export type SocketOpening = Pick<
  IncomingRequest,
  'id' | 'headers' | 'path' | 'httpVersion' | 'ip' | 'log' | 'elapsedTime'
>;

export class SocketConnection {
  readonly opening: SocketOpening;
  readonly route: string;
  readonly serve: SocketContext['serve'];
  readonly #socket: WebSocket;
  readonly #connection: Socket;
  readonly #wait: SocketContext['wait'];
  readonly #forgetArrived: () => void;
  #holds = 0;
  #isUnread = false;

  constructor(socket: WebSocket, connection: Socket, opening: SocketOpening, route: string, context: SocketContext) {
    this.opening = opening;
    this.route = route;
    this.serve = context.serve;
    this.#socket = socket;
    this.#connection = connection;
    this.#wait = context.wait;
    // The close code tells the fault of a frame.
    socket.on('error', () => undefined);
    pingUntilClosed(socket, connection);
    this.#forgetArrived = countArriving(socket, connection, opening, context.bodies);
  }

  /**
   * @param listener gets null for binary messages. Nothing more is read, and the message counts, until what it returns
   * resolves; a rejection is a defect, and ends the connection
   */
  onMessage(listener: (text: string | null) => Promise<void> | null): void {
    this.#socket.on('message', (data, isBinary) => {
      const reading = listener(isBinary ? null : data.toString());
      if (reading === null) return this.#forgetArrived();
      const goOn = this.#hold();
      const end = () => {
        this.#forgetArrived();
        goOn();
      };
      reading.then(end, () => {
        end();
        this.#socket.terminate();
      });
    });
  }

  /** Pings and pongs of the protocol, which ws answers by itself. */
  onControlFrame(listener: () => void): void {
    this.#socket.on('ping', listener).on('pong', listener);
  }

  #hold(): () => void {
    if (this.#holds === 0) this.#socket.pause();
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      if (this.#holds === 0) this.#socket.resume();
    };
  }

  /** At once when the connection is lost: ws tells it behind all messages that have arrived. */
  onClose(listener: (code: number) => void): void {
    this.#connection.once('close', () => listener(Reflect.get(this.#socket, '_closeCode')));
  }

  /** @returns false if the connection broke before the message was sent */
  send(message: string | readonly Uint8Array[]): Promise<boolean> {
    // A text would be counted by its characters.
    const parts = typeof message === 'string' ? [Buffer.from(message)] : message;
    return new Promise((resolve) => {
      for (const [at, part] of parts.entries()) {
        const fin = at === parts.length - 1;
        this.#socket.send(part, { binary: false, fin }, fin ? (error) => resolve(!error) : undefined);
      }
      this.#wait(this.#connection, this.opening.id);
      this.#pauseUntilRead();
    });
  }

  /** Whoever does not read is not answered, as over HTTP: answers would fill the memory. */
  #pauseUntilRead(): void {
    if (this.#isUnread || !this.#connection.writableNeedDrain) return;
    this.#isUnread = true;
    const goOn = this.#hold();
    this.#connection.once('drain', () => {
      this.#isUnread = false;
      goOn();
    });
  }

  /** Accepts messages of {@link maxBodyBytes}, from now on. */
  acceptLargeMessages(): void {
    const { maxBufferedChunks, maxFragments } = socketLimits.caller;
    // ws takes one limit for all connections; its receiver reads these with every frame.
    Object.assign(receiverOf(this.#socket), {
      _maxPayload: maxBodyBytes,
      _maxBufferedChunks: maxBufferedChunks,
      _maxFragments: maxFragments,
    });
  }

  /** @param reason is shortened to a close frame */
  close(code: number, reason: string): void {
    this.#socket.close(
      code,
      Buffer.from(reason)
        .subarray(0, maxReasonBytes)
        .toString()
        .replace(/\uFFFD$/, ''),
    );
  }
}

const receiverOf = (socket: WebSocket): object => Reflect.get(socket, '_receiver');

/**
 * Counts what has arrived of a message that nobody has read as a request's body: ws keeps all that it has read since the message
 * began, also what stands between its parts.
 */
function countArriving(
  socket: WebSocket,
  connection: Socket,
  sender: SocketOpening,
  bodies: RequestBodies,
): () => void {
  let length = 0;
  const forget = () => {
    bodies.forget(message, length);
    length = 0;
  };
  const message: CountedBody = {
    sender,
    refuse({ detail }) {
      forget();
      socket.close(tryAgainLater, detail);
      // The memory is free now, whatever the client answers.
      setImmediate(() => socket.terminate());
    },
  };
  /** A message that has parts goes on behind a ping. */
  const forgetBetween = () => {
    if (Reflect.get(receiverOf(socket), '_fragmented') === 0) forget();
  };
  connection.on('data', ({ length: more }: Buffer) => {
    const from = length;
    length += more;
    bodies.grow(message, from, length);
    if (length > maxArrivingBytes) socket.terminate();
  });
  socket.on('ping', forgetBetween).on('pong', forgetBetween).once('close', forget);
  return forget;
}

/** Proxies and networks forget silent connections; proxies close them after a minute. */
function pingUntilClosed(socket: WebSocket, connection: Socket): void {
  let heardAt = performance.now();
  const heard = () => {
    heardAt = performance.now();
  };
  socket.on('pong', heard).on('message', heard);
  const timer = setInterval(() => {
    // Left to the limits of waiting responses.
    if (connection.writableNeedDrain) heard();
    else if (performance.now() - heardAt >= pongMs) socket.terminate();
    else socket.ping();
  }, pingMs).unref();
  socket.once('close', () => clearInterval(timer));
}

export function socketServer(
  { path, protocol }: { readonly path: string; readonly protocol: string },
  load: () => Promise<ServeSocket>,
  context: SocketContext,
) {
  let server: WebSocketServer | undefined;

  return async (raw: IncomingMessage, head: Buffer): Promise<void> => {
    const { socket } = raw;
    socket.on('error', () => socket.destroy());
    const opening = new IncomingRequest(raw, new http.ServerResponse(raw), context);
    const [{ WebSocketServer }, serve] = await Promise.all([import('ws'), load()]);
    const options = {
      noServer: true,
      clientTracking: false,
      // Compression of two parties' texts tells one of the other (BREACH).
      perMessageDeflate: false,
      maxPayload: maxStrangerBytes,
      ...socketLimits.stranger,
      // A packet of many messages takes turns with the other connections.
      allowSynchronousEvents: false,
      handleProtocols: () => protocol,
      closeTimeout: closeMs,
    };
    server ??= new WebSocketServer(options).on('headers', (headers, request) =>
      headers.push(`x-request-id: ${request.headers['x-request-id']}`),
    );
    raw.headers['x-request-id'] = opening.id;
    server.handleUpgrade(raw, socket, head, (opened) => {
      const { path: at, method, elapsedTime } = opening;
      opening.log.info({ method, path: withoutCredentials(at), status: 101, ms: Math.round(elapsedTime) }, 'request');
      serve(new SocketConnection(opened, socket, opening, path, context));
    });
  };
}
