import { type Compress, sendCompressed } from './compression.ts';
import { pageHeaders } from './headers.ts';
import type { IncomingRequest } from './incoming-request.ts';

export const jsonType = 'application/json; charset=utf-8';

export type Answered = Pick<IncomingRequest, 'response'>;

/** Nothing is sent to a client that has gone. */
export function sendBody({ response }: Answered, status: number, contentType: string, body: Uint8Array | string): void {
  if (response.closed) return;
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

export const sendJson = (request: Answered, status: number, value: unknown): void =>
  sendBody(request, status, jsonType, JSON.stringify(value));

export async function sendCompressible(
  request: IncomingRequest,
  status: number,
  contentType: string,
  body: Uint8Array | string,
  compress: Compress | null,
): Promise<void> {
  const compressed = compress?.(request, body) ?? null;
  if (compressed === null) sendBody(request, status, contentType, body);
  else await sendCompressed(request, contentType, compressed, status);
}

export function sendPage(request: IncomingRequest, policy: string, html: string): void {
  request.addHeaders(pageHeaders(policy));
  sendBody(request, 200, 'text/html; charset=utf-8', html);
}
