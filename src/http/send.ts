import { type Compress, sendCompressed } from './compression.ts';
import { pageHeaders } from './headers.ts';
import type { IncomingRequest } from './incoming-request.ts';

export const jsonType = 'application/json; charset=utf-8';

export type Answered = Pick<IncomingRequest, 'send'>;

export const sendBody = (request: Answered, status: number, contentType: string, body: Uint8Array | string): void =>
  request.send(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }, body);

export const sendJson = (request: Answered, status: number, value: unknown): void =>
  sendBody(request, status, jsonType, JSON.stringify(value));

export function sendCompressible(
  request: IncomingRequest,
  status: number,
  contentType: string,
  body: Uint8Array | string,
  compress: Compress | null,
): void | Promise<void> {
  const compressed = compress?.(request, body) ?? null;
  if (compressed !== null) return sendCompressed(request, contentType, compressed, status);
  sendBody(request, status, contentType, body);
}

export function sendPage(request: IncomingRequest, policy: string, html: string): void {
  request.addHeaders(pageHeaders(policy));
  sendBody(request, 200, 'text/html; charset=utf-8', html);
}
