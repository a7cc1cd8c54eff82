/** A request, whatever serves it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { Logger } from 'pino';
import { ServiceError } from '../kernel/errors.ts';
import { requireFewFields } from '../kernel/lib/json-limits.ts';
import { privateHeaders } from './headers.ts';
import type { RequestHeaders } from './request-headers.ts';
import { discardRest } from './unread-bodies.ts';

/** Size limit of a request body in bytes (1 MiB). */
export const maxBodyBytes = 1_048_576;
const bodyLimitDetail = `A request body can have at most ${maxBodyBytes} bytes.`;

/** Whether the `X-Forwarded-For` of a peer with this address tells the address of its client. */
export type IsTrustedProxy = (address: string) => boolean;

/** What came of looking for a kept response: `unavailable` where nothing was known, because the cache was away. */
export type CacheResult = 'hit' | 'miss' | 'unavailable';

/** What the log line of a request says beside method, path and status. Metrics and traces say the same. */
export interface RequestFacts {
  /** The name of the operation, as far as it is told. */
  operation?: string;
  operationType?: string;
  /** The beginning of the SHA-256 of the document, in hex. */
  operationHash?: string;
  /** Whether the document is of the manifest; left out where there is none. */
  trusted?: boolean;
  cost?: number;
  /** `yes`, or why the operation was not compiled. */
  compiled?: string;
  /** Of a query whose response may be kept: whether it was. */
  cache?: CacheResult;
  /** The types of the errors in the response, each once. */
  errors?: readonly string[];
  keyId?: string;
  workspaceId?: string;
}

export interface RequestOptions {
  readonly isTrustedProxy: IsTrustedProxy;
  readonly logger: Logger;
}

export class IncomingRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly headers: RequestHeaders;
  /** Also the `x-request-id` header of the response. */
  readonly id: string;
  /** What the log line of the request says beside method, path and status. */
  readonly facts: RequestFacts = {};
  /** The pattern of the path that serves it, as soon as that is known. */
  route: string | undefined;
  readonly #startedAt = performance.now();
  readonly #options: RequestOptions;
  readonly #whenClosed: (() => void)[] = [];
  #log: Logger | undefined;
  #aborted: AbortController | undefined;
  #body: Promise<Buffer> | undefined;
  #json: Promise<unknown> | undefined;

  constructor(raw: IncomingMessage, response: ServerResponse, options: RequestOptions) {
    this.raw = raw;
    this.response = response;
    this.method = raw.method ?? '';
    // Of those that are read, node:http joins the values if there are several.
    this.headers = raw.headers as RequestHeaders;
    this.id = acceptedRequestId(this.headers['x-request-id']) ?? randomUUID();
    this.#options = options;
    // One listener for all of them: each costs as much as what it calls.
    response.on('close', () => {
      for (const callback of this.#whenClosed) callback();
    });
    response.setHeader('x-request-id', this.id);
    this.addHeaders(privateHeaders);
  }

  /** The path and the query, as they were sent. */
  get url(): string {
    return this.raw.url ?? '';
  }

  /** The path, as it was sent. */
  get path(): string {
    return this.url.split('?', 1)[0] ?? '';
  }

  /** Whose lines have the request id. */
  get log(): Logger {
    this.#log ??= this.#options.logger.child({ reqId: this.id });
    return this.#log;
  }

  /** The address of the client. */
  get ip(): string {
    return proxyAddr(this.raw, this.#options.isTrustedProxy);
  }

  /** The status that was sent; undefined if the client went before there was one. */
  get sentStatus(): number | undefined {
    const { headersSent, statusCode } = this.response;
    return headersSent ? statusCode : undefined;
  }

  /** Milliseconds since the request was received. */
  get elapsedTime(): number {
    return performance.now() - this.#startedAt;
  }

  /** Aborts when the client disconnects before it has received the whole response. */
  get clientAborted(): AbortSignal {
    if (this.#aborted !== undefined) return this.#aborted.signal;
    const aborted = new AbortController();
    this.#aborted = aborted;
    this.whenClosed(() => {
      if (!this.response.writableFinished) aborted.abort(new DOMException('The client disconnected', 'AbortError'));
    });
    return aborted.signal;
  }

  /** Calls back when the response has been sent, or its connection is gone: at once if that has happened. */
  whenClosed(callback: () => void): void {
    if (this.response.closed) callback();
    else this.#whenClosed.push(callback);
  }

  /** Adds headers to the response, in place of any with their names, unless it has begun. */
  addHeaders(headers: Readonly<Record<string, string>> | null): void {
    if (headers === null || this.response.headersSent) return;
    for (const name in headers) this.response.setHeader(name, headers[name] as string);
  }

  /** Says that the response depends on a header of the request, beside those that were named before. */
  varyBy(header: string): void {
    if (this.response.headersSent) return;
    const before = this.response.getHeader('vary');
    if (![before].flat().includes(header)) this.response.appendHeader('vary', header);
  }

  /**
   * The body. It is read once, whoever asks for it.
   * @throws ServiceError `content_too_large` beyond {@link maxBodyBytes}, `malformed_request` if it ends early
   */
  body(): Promise<Buffer> {
    this.#body ??= readBody(this);
    return this.#body;
  }

  /**
   * The JSON that the body is. It is parsed once, whoever asks for it.
   * @throws ServiceError as {@link body}, and `malformed_request` for what is no JSON
   */
  json(): Promise<unknown> {
    this.#json ??= this.body().then(parse);
    return this.#json;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes);
    requireFewFields(text);
    return JSON.parse(text);
  } catch (error) {
    // The parser's own message repeats parts of the body.
    const malformed = new ServiceError('malformed_request', { detail: 'The body is not valid JSON in UTF-8.' });
    throw error instanceof ServiceError ? error : malformed;
  }
}

function readBody({ raw, response }: IncomingRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const tooLarge = () => {
      discardRest(raw, response);
      reject(new ServiceError('content_too_large', { detail: bodyLimitDetail }));
    };
    if (Number(raw.headers['content-length'] ?? 0) > maxBodyBytes) return tooLarge();
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBodyBytes) {
        raw.removeAllListeners('data');
        return tooLarge();
      }
      chunks.push(chunk);
    });
    raw.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    raw.once('error', () => reject(new ServiceError('malformed_request', { detail: 'The body ended early.' })));
  });
}

/** A client may set its own request id: 8 to 64 characters that are safe to log and to search for. */
function acceptedRequestId(header = ''): string | undefined {
  return /^[\w.-]{8,64}$/.test(header) ? header : undefined;
}
