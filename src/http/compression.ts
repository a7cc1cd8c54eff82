/**
 * Compressed responses: on request, beyond a size, and of reads only. Static files are compressed once
 * (static-files.ts), subscriptions never, as each result has to arrive by itself.
 */
import { promisify } from 'node:util';
import { gzip, gzipSync, constants as zlib, zstdCompress, zstdCompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { IncomingRequest } from './incoming-request.ts';

/** Up to this, compressing takes 20 to 60 microseconds; the hand-over to a thread takes several times as long. */
const maxSyncBytes = 16_384;

const zstdInThread = promisify(zstdCompress);
const gzipInThread = promisify(gzip);

/** The same on and off the thread pool. */
const levels = { zstd: { params: { [zlib.ZSTD_c_compressionLevel]: 1 } }, gzip: { level: 1 } } as const;

/**
 * Best first. At level 1 zstd is smaller than gzip at 6, and several times as fast on a page of a hundred posts; gzip
 * at 1 is a tenth larger than at 6. Brotli at such a speed gains nothing on either.
 */
const compressors = {
  zstd: (bytes) =>
    bytes.length <= maxSyncBytes ? zstdCompressSync(bytes, levels.zstd) : zstdInThread(bytes, levels.zstd),
  gzip: (bytes) => (bytes.length <= maxSyncBytes ? gzipSync(bytes, levels.gzip) : gzipInThread(bytes, levels.gzip)),
} as const satisfies Record<string, (bytes: Uint8Array) => Buffer | Promise<Buffer>>;

type Coding = keyof typeof compressors;

const codings = ['zstd', 'gzip'] as const satisfies readonly Coding[];

/** A smaller response fits into a few packets, which leave at once whether they are full or not. */
export const minCompressedBytes = 2_048;

/** libuv's four threads look up names and read files too: more would wait longer than uncompressed bytes take. */
const maxAtOnce = 32;

type CompressedRequest = Pick<IncomingRequest, 'method' | 'headers' | 'facts' | 'varyBy'>;

interface Compressed {
  readonly coding: Coding;
  readonly bytes: Buffer | Promise<Buffer>;
}

/** @param body must not change meanwhile. @returns null for a body to be sent as it is */
export type Compress = (request: CompressedRequest, body: Uint8Array | string) => Compressed | null;

export function createCompression(): Compress {
  const known = new LRUCache<string, Coding | 'none'>({ max: 100 });
  let running = 0;

  function codingFor(header = ''): Coding | null {
    const found = known.get(header) ?? acceptedCoding(header, codings) ?? 'none';
    known.set(header, found);
    return found === 'none' ? null : found;
  }

  return (request, body) => {
    // Caches must see it on every response, small ones included.
    request.varyBy('accept-encoding');
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const isFull = running >= maxAtOnce && length > maxSyncBytes;
    if (length < minCompressedBytes || isFull || !isRead(request)) return null;
    const coding = codingFor(request.headers['accept-encoding']);
    if (coding === null) return null;
    const bytes = compressors[coding](typeof body === 'string' ? Buffer.from(body) : body);
    if (bytes instanceof Promise) {
      running += 1;
      const ended = () => {
        running -= 1;
      };
      bytes.then(ended, ended);
    }
    return { coding, bytes };
  };
}

/** Compressed lengths tell of secrets beside repeated input (BREACH): only mutations show and repeat any. */
const isRead = ({ method, facts: { operationType } }: CompressedRequest): boolean =>
  operationType === undefined ? method === 'GET' : operationType === 'query';

/** The best coding allowed (RFC 9110, section 12.5.3); null for identity. @param offered best first */
export function acceptedCoding<const T extends string>(header: string | undefined, offered: readonly T[]): T | null {
  const weights = new Map((header ?? '').toLowerCase().split(',').map(weighted));
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = [...offered].sort((one, other) => weightOf(other) - weightOf(one));
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null;
}

function weighted(range: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = range.split(';').map((each) => each.trim());
  const weight = parameters.find((each) => each.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}
