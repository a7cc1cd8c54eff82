/** Writes responses of JSON to the socket. */
import type { GraphQLError } from 'graphql';
import { type Compress, sendCompressed } from '../../http/compression.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { httpOfError } from '../kit/errors.ts';
import { isNotModified } from './conditional-requests.ts';

/**
 * Sends a response, or what a client needs that has it already.
 * @param compress null where nothing is compressed
 */
export async function sendJson(
  request: IncomingRequest,
  contentType: string,
  body: Uint8Array | string,
  { status = 200, compress }: { readonly status?: number; readonly compress: Compress | null },
): Promise<void> {
  if (isNotModified(request, body)) {
    request.response.writeHead(304).end();
    return;
  }
  const compressed = compress?.(request, body) ?? null;
  if (compressed !== null) return sendCompressed(request, contentType, compressed, status);
  const { response } = request;
  if (response.closed) return;
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/**
 * What the errors of a response say about its status and headers.
 * @param isPlain whether the client gets application/json, where what is well-formed has 200 (GraphQL over HTTP, section 6.4.1)
 */
export function httpOf(
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
