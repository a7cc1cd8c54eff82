/**
 * Connections to the operator's service, whose address may be private. Each request brings what ends it.
 *
 * A dispatch handler of our own copies the chunks of a body: undici's `request` makes a stream of them first, which costs
 * as much as the rest of an exchange.
 */

import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { type AbortSignalLike, onAbort } from '../kernel/lib/abort-signal.ts';
import type { ArrivingBody, Body, BodyMemory } from './body-memory.ts';
import { createProxies, type ProxySettings, withoutProxies } from './proxies.ts';
import { undici } from './undici.ts';

export interface ServiceRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignalLike;
}

type ServiceResponse = WholeResponse | BrokenResponse;

export interface WholeResponse {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Body;
}

interface BrokenResponse {
  readonly kind: 'broken';
  readonly status: number | null;
  /** undici's error, or the reason of the end. */
  readonly cause: unknown;
}

interface PoolOptions {
  readonly connections: number;
  /** A larger response body breaks off with UND_ERR_RES_EXCEEDED_MAX_SIZE. */
  readonly maxBytes: number;
  readonly connectTimeoutMs: number;
  readonly memory: BodyMemory;
  readonly proxies?: ProxySettings | undefined;
}

export function openServicePool(
  origin: string,
  { connections, maxBytes, connectTimeoutMs, memory, proxies: settings = withoutProxies }: PoolOptions,
) {
  const reads = createStaticReads({ timeout: connectTimeoutMs });
  const proxies = createProxies(settings, connectTimeoutMs);
  const pool = proxies.open(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    connect: reads.connect,
    maxResponseSize: maxBytes,
    // Idle connections outlive the gaps between bursts of requests, unless the service asks for another time.
    keepAliveTimeout: 30_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    /** Reads the whole response. Never rejects. */
    send: (request: ServiceRequest) =>
      new Promise<ServiceResponse>((resolve) => {
        const exchange = new ServiceExchange(request.signal, { memory, reads, resolve });
        if (exchange.begin()) pool.dispatch(proxies.prepare(origin, request), exchange);
      }),
    /** Closes all connections; requests in flight fail. */
    async close() {
      await Promise.all([pool.destroy(), proxies.close()]);
    },
  };
}

interface ExchangeOptions {
  readonly memory: BodyMemory;
  readonly reads: StaticReads;
  readonly resolve: (response: ServiceResponse) => void;
}

class ServiceExchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignalLike;
  readonly #reads: StaticReads;
  readonly #resolve: (response: ServiceResponse) => void;
  readonly #body: ArrivingBody;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | null = null;
  #headers: WholeResponse['headers'] = {};

  constructor(signal: AbortSignalLike, { memory, reads, resolve }: ExchangeOptions) {
    this.#signal = signal;
    this.#reads = reads;
    this.#resolve = resolve;
    this.#body = memory.open();
  }

  /** @returns false if its time is up */
  begin(): boolean {
    if (this.#signal.aborted) this.#fail(this.#signal.reason);
    else onAbort(this.#signal, this.#abort);
    return !this.#signal.aborted;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#abort();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: WholeResponse['headers']): void {
    // Informational responses (1xx) precede the final one.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body.append(chunk);
    this.#reads.consumed(chunk);
  }

  onResponseEnd(): void {
    this.#reads.ended();
    if (this.#status === null) {
      this.#fail(new Error('A response ended that had not begun'));
      return;
    }
    this.#signal.removeEventListener('abort', this.#abort);
    this.#resolve({ kind: 'whole', status: this.#status, headers: this.#headers, body: this.#body.whole() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // The bytes that are no HTTP, which may echo the request, would be logged with the error.
    if ('data' in error) Reflect.deleteProperty(error, 'data');
    this.#fail(error);
  }

  /** A request that waits for a connection has no controller: it ends now, and is aborted when its turn comes. */
  readonly #abort = (): void => {
    if (this.#controller === undefined) this.#fail(this.#signal.reason);
    // Whatever the reason is, undici passes it on.
    else this.#controller.abort(this.#signal.reason as Error);
  };

  #fail(cause: unknown): void {
    this.#signal.removeEventListener('abort', this.#abort);
    this.#body.discard();
    this.#resolve({ kind: 'broken', status: this.#status, cause });
  }
}

/**
 * Connections that read into a buffer of their own (`onread` of net.Socket), where node:net allocates one for each read.
 * undici takes what was read before the next read: see `readMore` of its HTTP/1 client.
 */
type StaticReads = ReturnType<typeof createStaticReads>;

const bufferBytes = 65_536;
/** What follows the data of a chunk (RFC 9112, section 7.1). Behind more, a trailer may begin. */
const lineBreakBytes = 2;
/** A read without data may be one byte of a header's name. */
const nowhere = Number.NEGATIVE_INFINITY;

function createStaticReads(options: Pick<buildConnector.BuildOptions, 'timeout'>) {
  /** Up to where the read that is being parsed is of no more use: nowhere, until it brings data. */
  let consumedTo = nowhere;
  let session: Buffer | undefined;

  return {
    /** Tells that the bytes of a response up to the end of this chunk are of no more use. */
    consumed(chunk: Uint8Array) {
      consumedTo = chunk.byteOffset + chunk.byteLength;
    },
    ended() {
      consumedTo = Number.POSITIVE_INFINITY;
    },
    connect(to: buildConnector.Options, done: buildConnector.Callback) {
      let buffer = Buffer.allocUnsafeSlow(bufferBytes);
      let take: ((bytes: Buffer) => boolean) | undefined;
      const onread = {
        buffer: () => buffer,
        callback(length: number) {
          consumedTo = nowhere;
          const wantsMore = take?.(buffer.subarray(0, length)) ?? false;
          // The parser keeps views of what it has not finished: the beginning of headers, say.
          if (length - consumedTo > lineBreakBytes) buffer = Buffer.allocUnsafeSlow(bufferBytes);
          return wantsMore;
        },
      };
      const open = undici.buildConnector({ ...options, allowH2: false, session, onread });
      open(to, (error, socket) => {
        if (error !== null) return done(error, null);
        socket.on('session', (established: Buffer) => {
          session = established;
        });
        take = passOn(socket);
        done(null, socket);
      });
    },
  };
}

/** @returns hands bytes to whoever reads the socket. What is not taken at once is copied, and comes later. */
function passOn(socket: Socket): (bytes: Buffer) => boolean {
  const read = socket.read.bind(socket);
  let offered: Buffer | null = null;
  socket.read = (size?: number): Buffer | null => {
    if (offered === null) return read(size);
    const taken = offered;
    offered = null;
    return taken;
  };
  return (bytes) => {
    if (socket.readableLength === 0) {
      offered = bytes;
      socket.emit('readable');
      if (offered === null) return true;
      offered = null;
    }
    return socket.push(Buffer.from(bytes));
  };
}
