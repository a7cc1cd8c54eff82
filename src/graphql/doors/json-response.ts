/** Responses of JSON that need no later hook of Yoga: compressed, known to the client, or the kernel's own bytes. */
import type { ExecutionResult } from 'graphql';
import { type FetchAPI, processRegularResult } from 'graphql-yoga';
import type { Compress } from '../../http/compression.ts';
import { entityTag, isKnown } from '../../http/documents.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { withoutStacks } from '../../kernel/errors.ts';
import { maxIdleBytes, type Splice } from '../../splice/splicer.ts';
import type { Presented, PresentedBody } from '../presentation.ts';
import type { JsonType } from './accepted.ts';

type Whole = Exclude<Presented, { readonly results: unknown }>;

export interface JsonResponse {
  readonly response: Response;
  /** Body of the response, to be sent without a stream. */
  readonly body: Uint8Array | string | null;
}

export function jsonResponses(compress: Compress | null) {
  const hold = heldKernels();
  return async (http: IncomingRequest, type: JsonType, presented: Whole, fetchAPI: FetchAPI): Promise<JsonResponse> => {
    const { Response } = fetchAPI;
    const printed = 'splice' in presented ? presented.splice : null;
    let isHeld = false;
    try {
      const output = 'splice' in presented ? presented.splice.output() : presented.body;
      if (isNotModified(http, output)) return { response: new Response(null, { status: 304 }), body: null };
      const compressed = compress?.(http, output) ?? null;
      let body = output;
      if (compressed !== null) body = await compressed.bytes;
      else if (printed !== null) {
        isHeld = true;
        body = hold(http, printed);
      }
      const response = hasErrors(presented)
        ? responseOfErrors(presented, type, body, fetchAPI)
        : new Response(body as BodyInit, okAs(type));
      if (compressed !== null) response.headers.set('content-encoding', compressed.coding);
      return { response, body };
    } finally {
      // What is sent compressed is read until then.
      if (!isHeld) printed?.close();
    }
  };
}

const okAs = (type: JsonType): ResponseInit => ({
  status: 200,
  headers: { 'content-type': `${type}; charset=utf-8` },
});

const hasErrors = (presented: Whole): presented is PresentedBody =>
  'errors' in presented && presented.errors.length > 0;

/** With status and headers as Yoga makes them of errors. It makes an error of each to print it. */
const responseOfErrors = (presented: PresentedBody, type: JsonType, body: Uint8Array | string, fetchAPI: FetchAPI) =>
  withoutStacks(() =>
    processRegularResult({ ...resultOf(presented), stringify: () => body } as ExecutionResult, fetchAPI, type),
  );

/** A result that is printed already, as Yoga takes it. */
export type PrintedResult = ExecutionResult & { readonly body: Uint8Array | string; readonly stringify: () => string };

export function resultOf(presented: Whole): PrintedResult {
  if ('splice' in presented) {
    const text = Buffer.from(presented.splice.output()).toString();
    presented.splice.close();
    return { data: {}, body: text, stringify: () => text };
  }
  const { body, errors, hasData } = presented;
  const stringify = () => (typeof body === 'string' ? body : Buffer.from(body).toString());
  const ofErrors = errors.length === 0 ? {} : { errors };
  return { ...ofErrors, ...(hasData ? { data: {} } : {}), body, stringify };
}

/** No shared cache may store responses to trusted documents. They are soon stale: each use is validated (RFC 9111, section 5.2.2.4). */
const clientCacheHeaders = { 'cache-control': 'private, no-cache' } as const;

/** The caller, and the gateway's choices for the client. */
const varying = ['x-api-key', 'authorization', 'accept', 'accept-encoding'] as const;

const isCacheableByClient = ({ raw: { method }, facts }: IncomingRequest): boolean =>
  method === 'GET' && facts.trusted === true && facts.operationType === 'query' && facts.errors === undefined;

/** Conditional GETs (RFC 9110, section 13). Lets the client cache a response, if it may. @returns whether it has it already */
function isNotModified(request: IncomingRequest, body: Uint8Array | string): boolean {
  if (!isCacheableByClient(request)) return false;
  const etag = entityTag(body);
  for (const header of varying) request.varyBy(header);
  request.addHeaders({ ...clientCacheHeaders, etag });
  return isKnown(etag, request.headers['if-none-match']);
}

/**
 * Responses that keep their kernels until clients have read them. A slow client holds many times its response: beyond
 * this, or from a large memory, the response is copied and the kernel freed.
 */
const maxHeldKernels = 64;

export function heldKernels() {
  let waiting = 0;
  /** @returns the bytes to send, and closes the splice once nobody reads its memory */
  return (request: Pick<IncomingRequest, 'response' | 'whenClosed'>, splice: Splice): Uint8Array => {
    const output = splice.output();
    if (request.response.closed || waiting >= maxHeldKernels || output.buffer.byteLength > maxIdleBytes) {
      const copy = request.response.closed ? Buffer.alloc(0) : Buffer.from(output);
      splice.close();
      return copy;
    }
    waiting += 1;
    request.whenClosed(() => {
      waiting -= 1;
      splice.close();
    });
    return output;
  };
}
