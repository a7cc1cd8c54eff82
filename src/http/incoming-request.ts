import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { Logger } from 'pino';
import { malformedRequest, type ServiceError } from '../kernel/errors.ts';
import { type FairTurns, weightOfBytes } from '../kernel/lib/fair-turns.ts';
import { decodeText, maxJsonEntries, parseJson } from '../kernel/lib/json-text.ts';
import type { NamedResponse } from './connections.ts';
import { privateHeaders } from './headers.ts';
import { anyBody, type BodyBound, RequestBodies } from './request-bodies.ts';
import { pathIn, type RequestHeaders } from './request-head.ts';
import { discardRest } from './unread-bodies.ts';

export type IsTrustedProxy = (address: string) => boolean;

/** Result of a cache lookup: `unavailable` while the cache is away. */
type CacheResult = 'hit' | 'miss' | 'unavailable';

export interface RequestFacts {
  operation?: string;
  operationType?: string;
  /** The beginning of the document's SHA-256, in hex. */
  operationHash?: string;
  /** Whether the manifest has the document; left out without a manifest. */
  trusted?: boolean;
  cost?: number;
  /** `yes`, or the reason against it. */
  compiled?: string;
  cache?: CacheResult;
  errors?: readonly string[];
  keyId?: string;
  tokenId?: string;
  workspaceId?: string;
  /** Ids of events that were emitted, separated by spaces. */
  eventId?: string;
}

/** Events of a request, beyond which a line has no more ids. */
const eventsOfLine = 10;

export function noteEvent(facts: RequestFacts, eventId: string): void {
  const ids = facts.eventId?.split(' ') ?? [];
  if (ids.length < eventsOfLine) facts.eventId = [...ids, eventId].join(' ');
}

/** Headers of a response; several values only where they are several lines. */
export type SentHeaders = Readonly<Record<string, string | number | string[]>>;

interface RequestOptions {
  readonly isTrustedProxy: IsTrustedProxy;
  readonly logger: Logger;
  readonly turns?: FairTurns | undefined;
  readonly bodies?: RequestBodies | undefined;
}

export class IncomingRequest {
  readonly raw: IncomingMessage;
  readonly response: NamedResponse;
  readonly method: string;
  readonly headers: RequestHeaders;
  /** Also the `x-request-id` header. */
  readonly id: string;
  readonly facts: RequestFacts = {};
  /** The path's pattern, once known. */
  route: string | undefined;
  /** Headers of the response, kept until it is sent: node:http would check and copy each twice. */
  readonly #ownHeaders: Record<string, SentHeaders[string]>;
  readonly #startedAt = performance.now();
  readonly #options: RequestOptions;
  readonly #whenClosed: (() => void)[] = [];
  #log: Logger | undefined;
  #aborted: AbortController | undefined;
  #body: Promise<Buffer> | undefined;
  /** The parsed body, or the promise of it. */
  #json: unknown;

  constructor(raw: IncomingMessage, response: NamedResponse, options: RequestOptions) {
    this.raw = raw;
    this.response = response;
    this.method = raw.method ?? '';
    this.headers = raw.headers as RequestHeaders;
    this.id = acceptedRequestId(this.headers['x-request-id']) ?? randomUUID();
    this.#options = options;
    // One listener for all: each costs as much as its call.
    response.on('close', () => {
      for (const callback of this.#whenClosed) callback();
    });
    response.requestId = this.id;
    this.#ownHeaders = { 'x-request-id': this.id, ...privateHeaders };
  }

  get url(): string {
    return this.raw.url ?? '';
  }

  get path(): string {
    return pathIn(this.url);
  }

  get log(): Logger {
    this.#log ??= this.#options.logger.child({ reqId: this.id });
    return this.#log;
  }

  get ip(): string {
    return proxyAddr(this.raw, this.#options.isTrustedProxy);
  }

  /** Undefined if the client went before. */
  get sentStatus(): number | undefined {
    const { headersSent, statusCode } = this.response;
    return headersSent ? statusCode : undefined;
  }

  get isFinished(): boolean {
    return this.response.writableFinished;
  }

  /** Bytes of the response that the client has not read. */
  get unread(): number {
    return this.response.writableLength;
  }

  get httpVersion(): string {
    return this.raw.httpVersion;
  }

  get elapsedTime(): number {
    return performance.now() - this.#startedAt;
  }

  /** Aborts when the client disconnects before the end of the response. */
  get clientAborted(): AbortSignal {
    if (this.#aborted !== undefined) return this.#aborted.signal;
    const aborted = new AbortController();
    this.#aborted = aborted;
    this.whenClosed(() => {
      if (!this.response.writableFinished) aborted.abort(new DOMException('The client disconnected', 'AbortError'));
    });
    return aborted.signal;
  }

  /** At once if the response is closed already. */
  whenClosed(callback: () => void): void {
    if (this.response.closed) callback();
    else this.#whenClosed.push(callback);
  }

  /** Those of the response so far. */
  get ownHeaders(): SentHeaders {
    return this.#ownHeaders;
  }

  /** Replaces headers of the same names, in lower case or as they were added. Without effect once the response has begun. */
  addHeaders(headers: Readonly<Record<string, string>> | null): void {
    Object.assign(this.#ownHeaders, headers);
  }

  varyBy(header: string): void {
    const { vary } = this.#ownHeaders;
    if (vary === undefined) this.#ownHeaders.vary = header;
    else if (!`${vary}`.split(', ').includes(header)) this.#ownHeaders.vary = `${vary}, ${header}`;
  }

  /** The whole response. Nothing is sent to a client that has gone. */
  send(status: number, headers: SentHeaders, body?: Uint8Array | string): void {
    if (!this.response.closed) this.response.writeHead(status, Object.assign(this.#ownHeaders, headers)).end(body);
  }

  /**
   * Read once. A large one waits for a turn, in which it can be parsed. Rejects with ServiceError as `bound` says, before
   * it is read if the length is known; with `content_too_large` for too many chunks, `service_unavailable` if it has no room, or `malformed_request`.
   */
  body(bound: BodyBound = anyBody): Promise<Buffer> {
    this.#body ??= receiveBody(this, bound, this.#options);
    return this.#body;
  }

  /**
   * The parsed body; before it has arrived, a promise of it, which rejects with ServiceError as {@link body}, and with
   * `malformed_request` for invalid JSON; and as {@link parseJson}.
   */
  json(bound?: BodyBound): unknown {
    if (this.#json !== undefined) return this.#json;
    this.#json = this.body(bound).then((bytes) => {
      this.#json = parseJson(decodeText(bytes), 'The body', maxJsonEntries);
      return this.#json;
    });
    return this.#json;
  }
}

function receiveBody(
  request: IncomingRequest,
  bound: BodyBound,
  { turns, bodies = new RequestBodies() }: RequestOptions,
): Promise<Buffer> {
  const { raw, response } = request;
  return new Promise((resolve, reject) => {
    const refuse = (failure: ServiceError) => {
      raw.removeAllListeners('data');
      if (!raw.readableEnded) discardRest(raw, response);
      reject(failure);
    };
    const body = bodies.open(request, refuse, bound);
    if (Number(raw.headers['content-length'] ?? 0) > bound.bytes) return body.refuse(bound.refusal());
    if (raw.destroyed) return reject(endedEarly());
    if (response.awaitsContinue && !response.headersSent) response.writeContinue();
    raw.on('data', (chunk: Buffer) => body.append(chunk));
    raw.on('end', () => {
      const turn = turns?.take(request.ip, weightOfBytes(body.length), body) ?? null;
      if (turn === null) resolve(body.take());
      else turn.then(() => resolve(body.take()), reject);
    });
    // Also after an error, which node:http tells of only if somebody listens.
    raw.on('close', () => {
      if (raw.readableEnded) return;
      body.release();
      reject(endedEarly());
    });
  });
}

const endedEarly = () => malformedRequest('The body of the request ended early.');

/** A client's own request id: 8 to 64 characters that are safe to log and to search for. */
function acceptedRequestId(header = ''): string | undefined {
  return /^[\w.-]{8,64}$/.test(header) ? header : undefined;
}
