/**
 * Conditional requests (RFC 9110, section 13): responses to trusted documents that are requested by GET may be in the cache of the
 * client. They are of one caller, and may be stale a moment later, so each use is validated (RFC 9111, section 5.2.2.4): what that
 * saves is the way of the bytes.
 */
import { entityTag, isKnown } from '../../http/entity-tag.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';

/** No cache that several clients share may store them. */
export const clientCacheHeaders = { 'cache-control': 'private, no-cache' } as const;

/** On what the response depends: the caller, and what the gateway chooses for the client. */
const varying = ['x-api-key', 'authorization', 'accept', 'accept-encoding'] as const;

/** Whether the client may cache the response to a request, once it is executed. */
export const isCacheableByClient = ({ raw: { method }, facts }: Pick<IncomingRequest, 'raw' | 'facts'>): boolean =>
  method === 'GET' && facts.trusted === true && facts.operationType === 'query' && facts.errors === undefined;

/**
 * Adds the headers that let the client cache a response, if it may.
 * @returns whether the client has the same already, so that a 304 is the response
 */
export function isNotModified(request: IncomingRequest, body: Uint8Array | string): boolean {
  if (!isCacheableByClient(request)) return false;
  const etag = entityTag(body);
  for (const header of varying) request.varyBy(header);
  request.addHeaders({ ...clientCacheHeaders, etag });
  return isKnown(etag, request.headers['if-none-match']);
}
