/** Any number of queries, mutations and subscriptions on one connection. */

import { apiKeyOf } from '../../auth/admission.ts';
import type { Streams } from '../../auth/streams.ts';
import type { RequestHeaders } from '../../http/request-head.ts';
import { type ServeSocket, type SocketConnection, tryAgainLater } from '../../http/web-socket.ts';
import type { Authenticate, Caller } from '../../kernel/caller.ts';
import { fromUnknown, isTemporary, ServiceError } from '../../kernel/errors.ts';
import { onAbort } from '../../kernel/lib/abort-signal.ts';
import { type Waiter, weightOfBytes } from '../../kernel/lib/fair-turns.ts';
import { stringify } from '../../kernel/lib/json-text.ts';
import { bytesOf } from '../../kernel/request-context.ts';
import { Exchange, type ExchangeOptions } from '../exchange.ts';
import { withoutStatus } from '../kit/errors.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Presented } from '../presentation.ts';
import { type KeylessSockets, keylessLimits, keylessSockets } from './websocket-keyless.ts';
import {
  acknowledged,
  type ClientMessage,
  CloseCode,
  completed,
  next,
  pong,
  readMessage,
  refused,
} from './websocket-messages.ts';
import { SocketOperation } from './websocket-operation.ts';

/** Milliseconds for a client to begin. */
export const beginMs = 10_000;

export const maxOperations = 100;

/** Messages of a connection that begin no operation, in a minute: those that do are counted as requests. */
export const maxSmallMessages = 600;

const minuteMs = 60_000;

/** RFC 6455, section 7.4: clients connect again, to another process. */
const goingAway = 1001;

interface Closing {
  readonly code: number;
  readonly reason: string;
}

const stopped: Closing = { code: goingAway, reason: 'The gateway is stopping. Connect again.' };
const interrupted: Closing = { code: tryAgainLater, reason: 'Changes may have been missed. Connect again.' };

interface WebSocketDoorOptions extends ExchangeOptions {
  readonly pipeline: Pipeline;
  readonly authenticate: Authenticate;
  readonly streams: Streams;
}

export function webSocketDoor(options: WebSocketDoorOptions): ServeSocket {
  const sessions = new Set<Session>();
  const keyless = keylessSockets();
  onAbort(options.streams.ended, () => {
    for (const session of sessions) session.stop(stopped);
  });
  return (connection) => {
    const session = new Session(connection, { ...options, keyless });
    sessions.add(session);
    connection.onClose((code) => {
      sessions.delete(session);
      session.end(code);
    });
    // Its upgrade began before the stop.
    if (options.streams.ended.aborted) session.stop(stopped);
  };
}

interface SessionOptions extends WebSocketDoorOptions {
  readonly keyless: KeylessSockets;
}

class Session implements Waiter {
  readonly #connection: SocketConnection;
  readonly #options: SessionOptions;
  readonly #operations = new Map<string, SocketOperation>();
  readonly #closed = new AbortController();
  /** Ends with the connection, or when its caller is known. */
  readonly #begun = new AbortController();
  readonly #beginning: NodeJS.Timeout;
  #headers: RequestHeaders | null = null;
  #isAcknowledged = false;
  /** Whose turns messages take: the key's or, without one, the address's. */
  #owner: string;
  #hasCaller = false;
  #messages = 0;
  /** Those of the minute that began then. */
  #small = { count: 0, since: performance.now() };
  /** Messages in their order, while the first waits for its turn. */
  readonly #unread: (string | null)[] = [];
  #reading: Promise<void> | null = null;
  /** A message was refused: those before it are finished, and none behind it is read. */
  #isRefused = false;
  /** Why the connection closes as soon as its queries and mutations have finished. */
  #stopping: Closing | null = null;
  #count = 0;

  constructor(connection: SocketConnection, options: SessionOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#owner = connection.opening.ip;
    const late = () => connection.close(CloseCode.ConnectionInitialisationTimeout, 'Send connection_init first.');
    this.#beginning = setTimeout(late, beginMs).unref();
    try {
      options.keyless.begin(connection.opening.ip, this.#begun.signal);
    } catch (error) {
      connection.close(tryAgainLater, error instanceof Error ? error.message : '');
      return;
    }
    connection.onMessage((text) => this.#hear(text));
    connection.onControlFrame(() => {
      if (this.#isFlooded()) this.#refuse(CloseCode.TooManyInitialisationRequests, 'Send fewer pings.');
    });
  }

  get isGone(): boolean {
    return this.#closed.signal.aborted;
  }

  /** A message is read in its turn, as a request's body is. @returns null if that was at once */
  #hear(text: string | null): Promise<void> | null {
    if (this.#isRefused) return null;
    const turn = this.#reading === null ? this.#turnFor(text) : null;
    if (this.#reading === null && turn === null) {
      this.#serveMessage(text);
      return null;
    }
    this.#unread.push(text);
    this.#reading ??= this.#readOn(turn);
    return this.#reading;
  }

  async #readOn(first: Promise<void> | null): Promise<void> {
    await first;
    for (let text = this.#unread.shift(); text !== undefined; text = this.#unread.shift()) {
      if (this.isGone) break;
      this.#serveMessage(text);
      const [next] = this.#unread;
      if (next !== undefined) await this.#turnFor(next);
    }
    this.#reading = null;
  }

  #turnFor(text: string | null): Promise<void> | null {
    return this.#options.turns.take(this.#owner, weightOfBytes(text?.length ?? 0), this);
  }

  #serveMessage(text: string | null): void {
    this.#receive(text).catch((error: unknown) => {
      this.#connection.opening.log.error({ err: error }, 'a message of a WebSocket could not be served');
      this.#connection.close(CloseCode.InternalServerError, 'The gateway failed.');
    });
  }

  /** Lets mutations finish: clients repeat what was open, and would have it done twice. */
  stop(closing: Closing): void {
    this.#stopping ??= closing;
    const { code, reason } = this.#stopping;
    const isBusy = [...this.#operations.values()].some(({ facts }) => facts.operationType !== 'subscription');
    if (!isBusy) this.#connection.close(code, reason);
  }

  end(code: number): void {
    clearTimeout(this.#beginning);
    this.#closed.abort();
    this.#begun.abort();
    this.#abort();
    const { log, elapsedTime } = this.#connection.opening;
    log.info({ code, operations: this.#count, ms: Math.round(elapsedTime) }, 'websocket closed');
  }

  #abort(): void {
    for (const operation of this.#operations.values()) operation.close('aborted');
  }

  /** What came before a refused message is finished, and has its response; what came behind it is not begun. */
  #refuse(code: number, reason: string): void {
    this.#isRefused = true;
    // Nothing would end them.
    for (const operation of this.#operations.values())
      if (operation.facts.operationType === 'subscription') operation.close('aborted');
    this.stop({ code, reason });
  }

  /** Operations are counted as requests, but for those beyond the connection's, which are refused before. */
  #isOfOperation(message: ClientMessage): boolean {
    if (message.type === 'subscribe') return this.#operations.size < maxOperations;
    return message.type === 'complete' && this.#operations.has(message.id);
  }

  #isFlooded(): boolean {
    const now = performance.now();
    if (now - this.#small.since >= minuteMs) this.#small = { count: 0, since: now };
    this.#small.count += 1;
    return this.#small.count > maxSmallMessages;
  }

  async #receive(text: string | null): Promise<void> {
    if (this.isGone || this.#isRefused) return;
    this.#messages += 1;
    if (!this.#hasCaller && this.#messages > keylessLimits.messages) return this.#leave('Send a right API key first.');
    const message = this.#read(text);
    const isStopping = this.#stopping !== null;
    if (message !== null && !this.#isOfOperation(message) && this.#isFlooded())
      return this.#refuse(CloseCode.TooManyInitialisationRequests, 'Send fewer messages.');
    switch (message?.type) {
      case 'connection_init':
        return isStopping ? undefined : this.#begin(message);
      case 'ping':
        await this.#connection.send(pong(message.payload));
        return;
      case 'subscribe':
        return isStopping ? undefined : this.#subscribe(message.id, message.payload);
      case 'complete':
        return this.#operations.get(message.id)?.close('aborted');
    }
  }

  #read(text: string | null): ClientMessage | null {
    try {
      if (text === null) throw new Error('Messages are text');
      return readMessage(text);
    } catch (error) {
      this.#refuse(CloseCode.BadRequest, error instanceof Error ? error.message : '');
      return null;
    }
  }

  async #begin({ headers, misplaced }: Extract<ClientMessage, { readonly type: 'connection_init' }>): Promise<void> {
    const { opening } = this.#connection;
    if (this.#headers !== null) {
      return this.#refuse(CloseCode.TooManyInitialisationRequests, 'Send connection_init once.');
    }
    clearTimeout(this.#beginning);
    this.#headers = { ...withoutKey(opening.headers, headers), ...headers };
    if (misplaced !== null && !apiKeyOf({ headers: this.#headers })) {
      const reason = `Put the API key into the payload of connection_init itself, as x-api-key, not as ${misplaced}.`;
      return this.#connection.close(CloseCode.Forbidden, reason);
    }
    try {
      this.#take(await this.#caller());
    } catch (error) {
      if (!(error instanceof ServiceError)) opening.log.error({ err: error }, 'a WebSocket could not begin');
      const reason = error instanceof ServiceError ? error.message : 'The gateway failed. Try again later.';
      return this.#connection.close(tryAgainLater, reason);
    }
    this.#isAcknowledged = true;
    await this.#connection.send(acknowledged);
  }

  async #caller(): Promise<Caller | null> {
    const key = apiKeyOf({ headers: this.#headers ?? {} });
    if (!key) return null;
    try {
      return await this.#options.authenticate(key);
    } catch (error) {
      if (error instanceof ServiceError && error.status < 500) return null;
      throw error;
    }
  }

  #leave(reason: string): void {
    this.#connection.close(CloseCode.Forbidden, reason);
    this.#abort();
  }

  /** Takes a place among the connections of the key, and leaves with the key. @throws ServiceError without one */
  #take(caller: Caller | null): void {
    this.#begun.abort();
    const { streams, keyless } = this.#options;
    if (caller === null) {
      if (this.isGone) return;
      keyless.stay(this.#connection.opening.ip, this.#closed.signal, (reason) => this.#leave(reason));
      return;
    }
    const stream = streams.open(caller, this.#closed.signal, 'socket');
    this.#hasCaller = true;
    this.#owner = caller.keyId;
    this.#connection.acceptLargeMessages();
    // A client with a new key connects with it, and goes on.
    onAbort(stream.signal, () => this.#leave(stream.refusal?.message ?? ''));
  }

  async #subscribe(id: string, payload: object): Promise<void> {
    if (!this.#isAcknowledged || this.#headers === null) {
      return this.#refuse(CloseCode.Unauthorized, 'Wait for connection_ack.');
    }
    if (this.#operations.has(id)) {
      return this.#refuse(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
    }
    this.#count += 1;
    const operation = new SocketOperation(this.#connection, this.#count, this.#headers, payload);
    const isFull = this.#operations.size >= maxOperations;
    if (!isFull) this.#operations.set(id, operation);
    operation.whenClosed(() => {
      if (this.#operations.get(id) === operation) this.#operations.delete(id);
      if (this.#stopping !== null) this.stop(this.#stopping);
    });
    return new Promise((resolve, reject) => {
      this.#connection.serve(operation, () => {
        const exchange = new Exchange(operation, this.#options);
        this.#serve(id, operation, exchange, isFull)
          .catch((error: unknown) => this.#fail(id, operation, exchange, error))
          .then(resolve, reject)
          .finally(() => operation.close('aborted'));
      });
    });
  }

  async #serve(id: string, operation: SocketOperation, exchange: Exchange, isFull: boolean): Promise<void> {
    const { pipeline } = this.#options;
    const send = (message: string | readonly Uint8Array[]) => this.#send(operation, message);
    const presented = isFull
      ? pipeline.refuse(tooMany(), exchange)
      : ((await pipeline.pass(exchange)) ?? (await pipeline.execute(exchange)));
    if ('results' in presented) {
      // It was not known as a subscription when the connection began to close.
      if (this.#stopping !== null)
        return presented.results[Symbol.asyncIterator]()
          .return?.()
          .then(() => undefined);
      for await (const result of presented.results) {
        const { body } = await pipeline.printStreamed(result, exchange);
        await send(next(id, body));
      }
    } else if (!('splice' in presented) && !presented.hasData) {
      await send(refused(id, stringify(presented.errors.map(withoutStatus))));
      return operation.close('finished');
    } else {
      await send(next(id, bytesToSend(presented)));
    }
    if (this.#stopping !== null && exchange.isSubscription) return;
    await send(completed(id));
    operation.close('finished');
  }

  /** An operation that fails ends no other one; a subscription that fails for now is made again by its client. */
  async #fail(id: string, operation: SocketOperation, exchange: Exchange, error: unknown): Promise<void> {
    const { errors } = this.#options.pipeline.refuse(error, exchange);
    if (exchange.isSubscription && isTemporary(fromUnknown(error))) return this.stop(interrupted);
    await this.#send(operation, refused(id, stringify(errors.map(withoutStatus))));
    operation.close('finished');
  }

  async #send(operation: SocketOperation, message: string | readonly Uint8Array[]): Promise<void> {
    if (operation.isOver) return;
    const parts = typeof message === 'string' ? [Buffer.from(message)] : message;
    await operation.sending(bytesOf(parts), this.#connection.send(parts));
  }
}

/** A key sent at the beginning replaces that of a header. */
function withoutKey(headers: RequestHeaders, begun: RequestHeaders): RequestHeaders {
  if (!apiKeyOf({ headers: begun })) return headers;
  const { 'x-api-key': _, authorization: __, ...others } = headers;
  return others;
}

const tooMany = () =>
  new ServiceError('service_unavailable', {
    detail: `The connection already has ${maxOperations} open operations, which is the limit: complete one first.`,
  });

function bytesToSend(presented: Exclude<Presented, { readonly results: unknown }>): string | Uint8Array {
  if ('body' in presented) return presented.body;
  // Its memory is used again as soon as it is closed.
  const bytes = Buffer.from(presented.splice.output());
  presented.splice.close();
  return bytes;
}
