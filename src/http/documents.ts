/**
 * Documents that change with the program only, such as descriptions of what it serves. Clients may keep them, and ask with
 * each use whether they are still right (RFC 9110, section 13.1.2).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTag, isKnown } from './entity-tag.ts';
import { type Asset, acceptedEncoding, createAsset } from './static-files.ts';

export interface StaticDocument {
  readonly asset: Asset;
  /** Weak, as it is the same for every encoding. */
  readonly etag: string;
}

/** @param type the media type of the text */
export const staticDocument = (type: string, text: string): StaticDocument => ({
  asset: createAsset(type, text),
  etag: entityTag(text),
});

/** Responds with a document, or with 304 to a client that has it. */
export async function sendDocument(
  { asset, etag }: StaticDocument,
  { headers, incoming }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  incoming.varyBy('accept-encoding');
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (isKnown(etag, headers['if-none-match'])) return reply.status(304).send();
  const encoding = acceptedEncoding(headers['accept-encoding']);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(asset.type).send(await asset.encoded(encoding));
}
