/**
 * Conditional GETs (RFC 9110, section 13): clients may cache responses to trusted documents. They are one caller's and
 * soon stale, so each use is validated (RFC 9111, section 5.2.2.4), which saves the transfer.
 */
import { entityTag, isKnown } from '../../http/entity-tag.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';

/** No shared cache may store them. */
const clientCacheHeaders = { 'cache-control': 'private, no-cache' } as const;

/** The caller, and the gateway's choices for the client. */
const varying = ['x-api-key', 'authorization', 'accept', 'accept-encoding'] as const;

const isCacheableByClient = ({ raw: { method }, facts }: IncomingRequest): boolean =>
  method === 'GET' && facts.trusted === true && facts.operationType === 'query' && facts.errors === undefined;

/** Lets the client cache a response, if it may. @returns whether it has it already, and was sent a 304 */
export function sendNotModified(request: IncomingRequest, body: Uint8Array | string): boolean {
  if (!isCacheableByClient(request)) return false;
  const etag = entityTag(body);
  for (const header of varying) request.varyBy(header);
  request.addHeaders({ ...clientCacheHeaders, etag });
  if (!isKnown(etag, request.headers['if-none-match'])) return false;
  request.response.writeHead(304).end();
  return true;
}
