/** Sends the responses of what is served ahead of the router. */
import { type Compress, sendCompressed } from '../http/compression.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { isNotModified } from './conditional-requests.ts';

/**
 * Sends a response, or what a client needs that has it already.
 * @param compress null where nothing is compressed
 */
export async function sendResponse(
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
  if (compressed !== null) await sendCompressed(request, contentType, compressed, status);
  else sendBody(request, contentType, body, status);
}

export function sendBody(
  { response }: Pick<IncomingRequest, 'response'>,
  contentType: string,
  body: Uint8Array | string,
  status: number,
): void {
  if (response.closed) return;
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
