/** Documents that change with the program only: clients keep and revalidate them (RFC 9110, section 13.1.2). */
import { hash } from 'node:crypto';
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

/** Weak (RFC 9110, section 8.8.3): the same in every encoding. */
export const entityTag = (content: Uint8Array | string): string =>
  `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`;

/** Compares weakly: nginx and others weaken a strong validator when they compress. */
export const isKnown = (etag: string, header = ''): boolean =>
  header.trim() === '*' || header.split(',').some((each) => opaque(each.trim()) === opaque(etag));

const opaque = (etag: string): string => etag.replace(/^W\//, '');
