/** The door for JSON, straight to the socket. Other protocols go to Yoga, with what is known. */

import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type Compress, sendCompressed } from '../../http/compression.ts';
import { entityTag, isKnown } from '../../http/entity-tag.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { RequestHeaders } from '../../http/request-head.ts';
import { sendCompressible } from '../../http/send.ts';
import { maxIdleBytes, type Splice } from '../../splice/splicer.ts';
import { Exchange, type ExchangeOptions } from '../exchange.ts';
import { httpOfError } from '../kit/errors.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Presented } from '../presentation.ts';

interface JsonDoorOptions extends ExchangeOptions {
  readonly pipeline: Pipeline;
  readonly compress: Compress | null;
  /** For streams, and for other protocols. */
  readonly yoga: (exchange: Exchange<IncomingRequest>, refused: Presented | null) => Promise<void>;
}

export function jsonDoor({
  pipeline,
  compress,
  yoga,
  ...options
}: JsonDoorOptions): (request: IncomingRequest) => Promise<void> {
  const sendFromKernel = printedResponses();

  async function serve(request: IncomingRequest): Promise<void> {
    const exchange = new Exchange(request, options);
    const type = jsonTypeFor(acceptedBy(request.headers));
    const passing = pipeline.pass(exchange);
    const refused = passing instanceof Promise ? await passing : passing;
    if (type === undefined && !exchange.isUnreadable) return yoga(exchange, refused);
    const contentType = `${type ?? 'application/json'}; charset=utf-8`;
    if (refused !== null) return send(exchange, contentType, refused);
    // Clients of JSON may accept a stream as well.
    if (exchange.operation.isSubscription) return yoga(exchange, null);
    return send(exchange, contentType, await pipeline.execute(exchange));
  }

  function send(
    { http, batchSize }: Exchange<IncomingRequest>,
    contentType: string,
    presented: Presented,
  ): void | Promise<void> {
    if ('results' in presented) throw new Error('A subscription has no response of JSON');
    if ('splice' in presented) return sendPrinted(http, contentType, presented.splice);
    const { status, headers } = httpOf(presented.errors, contentType.startsWith('application/json'));
    http.addHeaders(headers);
    // Only a refusal is repeated, and each is a text.
    const body = typeof presented.body === 'string' ? times(batchSize, presented.body) : presented.body;
    if (!sendNotModified(http, body)) return sendCompressible(http, status, contentType, body, compress);
  }

  function sendPrinted(request: IncomingRequest, contentType: string, splice: Splice): void | Promise<void> {
    let isHandedOver = false;
    try {
      const output = splice.output();
      if (sendNotModified(request, output)) return;
      const compressed = compress?.(request, output) ?? null;
      isHandedOver = true;
      if (compressed === null) sendFromKernel(request, contentType, splice);
      // The kernel's memory is read until then.
      else return sendCompressed(request, contentType, compressed).finally(() => splice.close());
    } finally {
      if (!isHandedOver) splice.close();
    }
  }

  return serve;
}

/** @param isPlain application/json: well-formed requests have 200 (GraphQL over HTTP, section 6.4.1) */
function httpOf(
  errors: readonly GraphQLError[],
  isPlain: boolean,
): { readonly status: number; readonly headers: Readonly<Record<string, string>> } {
  let status = 0;
  const headers: Record<string, string> = {};
  for (const error of errors) {
    const http = httpOfError(error);
    if (http === undefined) continue;
    Object.assign(headers, http.headers);
    if (!(isPlain && http.spec)) status = Math.max(status, http.status);
  }
  return { status: status || 200, headers };
}

/** No shared cache may store responses to trusted documents. They are soon stale: each use is validated (RFC 9111, section 5.2.2.4). */
const clientCacheHeaders = { 'cache-control': 'private, no-cache' } as const;

/** The caller, and the gateway's choices for the client. */
const varying = ['x-api-key', 'authorization', 'accept', 'accept-encoding'] as const;

const isCacheableByClient = ({ raw: { method }, facts }: IncomingRequest): boolean =>
  method === 'GET' && facts.trusted === true && facts.operationType === 'query' && facts.errors === undefined;

/**
 * Conditional GETs (RFC 9110, section 13). Lets the client cache a response, if it may.
 * @returns whether it has it already, and was sent a 304
 */
function sendNotModified(request: IncomingRequest, body: Uint8Array | string): boolean {
  if (!isCacheableByClient(request)) return false;
  const etag = entityTag(body);
  for (const header of varying) request.varyBy(header);
  request.addHeaders({ ...clientCacheHeaders, etag });
  if (!isKnown(etag, request.headers['if-none-match'])) return false;
  request.send(304, {});
  return true;
}

/** A refused batch has a response per request, as its client expects; a longer one has a single response. */
const maxResponses = 100;

const times = (size: number, body: string): string =>
  size > 0 && size <= maxResponses ? `[${Array(size).fill(body).join()}]` : body;

/**
 * Responses that keep their kernels until clients have read them. A slow client holds many times its response: beyond
 * this, or from a large memory, the response is copied and the kernel freed.
 */
const maxHeldKernels = 64;

/** Sends a response, and closes its splice. */
type SendPrinted = (
  request: Pick<IncomingRequest, 'response' | 'send' | 'whenClosed'>,
  contentType: string,
  splice: Splice,
) => void;

export function printedResponses(): SendPrinted {
  let waiting = 0;
  return (request, contentType, splice) => {
    // 'close' is past, and would never free the kernel.
    if (request.response.closed) return splice.close();
    let output = splice.output();
    if (waiting >= maxHeldKernels || output.buffer.byteLength > maxIdleBytes) {
      output = Buffer.from(output);
      splice.close();
    } else {
      waiting += 1;
      request.whenClosed(() => {
        waiting -= 1;
        splice.close();
      });
    }
    request.send(200, { 'content-type': contentType, 'content-length': output.length }, output);
  };
}

const mediaTypes = ['application/graphql-response+json', 'application/json'] as const;
export type JsonType = (typeof mediaTypes)[number];

const known = new LRUCache<string, JsonType>({ max: 100 });

/** An empty header is as good as none: anything (RFC 9110, section 12.5.1). */
export const acceptedBy = ({ accept = '' }: RequestHeaders): string => (/[^\s,]/.test(accept) ? accept : '*/*');

/** As Yoga would choose it for an `Accept` header; undefined where JSON is not accepted. */
export function jsonTypeFor(accept: string): JsonType | undefined {
  const before = known.get(accept);
  if (before !== undefined) return before;
  // Yoga weighs no `q`: the first media type counts that it can serve.
  for (const range of rangesOf(accept)) {
    const type = mediaTypes.findLast((candidate) => matches(range, candidate));
    if (type === undefined) continue;
    known.set(accept, type);
    return type;
  }
  return undefined;
}

/** Without ranges of another charset. */
const rangesOf = (accept: string): string[] =>
  accept
    .replace(/\s/g, '')
    .toLowerCase()
    .split(',')
    .flatMap((each) => {
      const [range = '', ...parameters] = each.split(';');
      const charset = parameters.find((parameter) => parameter.includes('charset=')) ?? 'charset=utf-8';
      return charset === 'charset=utf-8' ? range : [];
    });

export function accepts(accept: string, type: string): boolean {
  return rangesOf(accept).some((range) => matches(range, type));
}

function matches(range: string, type: string): boolean {
  const [main, sub] = range.split('/');
  const [ofType, ofSub] = type.split('/');
  return (main === '*' || main === ofType) && (sub === '*' || sub === ofSub);
}
