/** Without `Accept-Encoding`, and whatever it says, a service may send any coding (RFC 9110, section 12.5.3). */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { commaList } from '../kernel/lib/comma-list.ts';

export type Decoder = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const [ungzip, unzlib, unraw] = [promisify(gunzip), promisify(inflate), promisify(inflateRaw)];
/** Tells zlib's header by the low bits of the first byte. Some services leave the header out. */
const isZlib = (bytes: Uint8Array): boolean => ((bytes[0] ?? 0) & 0x0f) === 8;

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', ungzip],
  ['x-gzip', ungzip],
  ['deflate', (bytes, options) => (isZlib(bytes) ? unzlib : unraw)(bytes, options)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

const none: readonly Decoder[] = [];

/** Applied one after the other; each costs as much as a body. */
const maxCodings = 3;

/** @param header the value or values of `Content-Encoding`. @returns the decoders to apply, in order */
export function decodersOf(header: string | readonly string[] | undefined): readonly Decoder[] {
  if (header === undefined) return none;
  const names = commaList(String(header)).reverse();
  return names.flatMap((name) => decoders.get(name.toLowerCase()) ?? []).slice(0, maxCodings);
}

/**
 * The bytes as they are, if they are not what the header says: a service may name a coding that some proxy has undone.
 * @returns null for more than `maxBytes`
 */
export async function decode(
  chunks: readonly Uint8Array[],
  codings: readonly Decoder[],
  maxBytes: number,
): Promise<Uint8Array | null> {
  const sent = Buffer.concat(chunks);
  let bytes: Buffer = sent;
  try {
    for (const coding of codings) bytes = await coding(bytes, { maxOutputLength: maxBytes });
    return bytes;
  } catch (error) {
    return Reflect.get(error as object, 'code') === 'ERR_BUFFER_TOO_LARGE' ? null : sent;
  }
}
