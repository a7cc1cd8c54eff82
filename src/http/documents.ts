/** Documents that change with the program only: clients keep and revalidate them (RFC 9110, section 13.1.2). */
import { entityTag, isKnown } from './entity-tag.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { type Asset, createAsset, sendAsset } from './static-files.ts';

export interface StaticDocument {
  readonly asset: Asset;
  /** Weak: the same for every encoding. */
  readonly etag: string;
}

export const staticDocument = (type: string, text: string): StaticDocument => ({
  asset: createAsset(type, text),
  etag: entityTag(text),
});

/** 304 for a client that has it. */
export async function sendDocument({ asset, etag }: StaticDocument, request: IncomingRequest): Promise<void> {
  request.varyBy('accept-encoding');
  request.addHeaders({ etag, 'cache-control': 'no-cache' });
  if (isKnown(etag, request.headers['if-none-match'])) request.send(304, {});
  else await sendAsset(request, asset);
}
