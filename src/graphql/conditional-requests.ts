/**
 * Responses that clients may keep: those to trusted documents that are asked for by GET. They are of one caller, and may be
 * another a moment later, so each use asks whether they are still right (RFC 9111, section 5.2.2.4): what that saves is the
 * way of the bytes.
 */
import { entityTag, isKnown } from '../http/entity-tag.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';

/** No cache that several clients share may keep them. */
export const keptHeaders = { 'cache-control': 'private, no-cache' } as const;

/** On what the response depends: the caller, and what the gateway chooses for the client. */
const varying = ['x-api-key', 'authorization', 'accept', 'accept-encoding'] as const;

/** Whether the client may keep the response to a request, once it is executed. */
export const mayBeKept = ({ raw: { method }, facts }: Pick<IncomingRequest, 'raw' | 'facts'>): boolean =>
  method === 'GET' && facts.trusted === true && facts.operationType === 'query' && facts.errors === undefined;

/**
 * Tells the client whether it may keep a response.
 * @returns whether it has the same already, so that a 304 is the response
 */
export function isKeptByClient(request: IncomingRequest, body: Uint8Array | string): boolean {
  if (!mayBeKept(request)) return false;
  const etag = entityTag(body);
  for (const header of varying) request.varyBy(header);
  request.addHeaders({ ...keptHeaders, etag });
  return isKnown(etag, request.headers['if-none-match']);
}
