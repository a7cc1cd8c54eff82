/** A page's files, without internet access. Versioned paths let browsers keep them forever. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { ServiceError } from '../kernel/errors.ts';
import { acceptedCoding } from './compression.ts';
import type { IncomingRequest } from './incoming-request.ts';
import type { Route } from './router.ts';
import { sendBody } from './send.ts';

export interface Asset {
  readonly type: string;
  /** Compressed once, at the first request. */
  encoded(encoding: Encoding): Promise<Buffer>;
}

export type Assets = ReturnType<typeof createAssets>;

const contentEncoders = {
  // The first visitor waits for it: quality 7 compresses GraphiQL in 0.35 s, 9 in 0.7 s and 1 % smaller, 11 in ten seconds.
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: 7, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  gzip: (content) => promisify(gzip)(content),
  identity: async (content) => content,
} as const satisfies Record<string, (content: Buffer) => Promise<Buffer>>;

type Encoding = keyof typeof contentEncoders;

export type StaticFile = readonly [name: string, type: string, content: string | Buffer];

export const textTypes = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const;

export const readStaticFile = async (name: string, type: string, folder: URL): Promise<StaticFile> => [
  basename(name),
  type,
  await readFile(new URL(name, folder), 'utf8'),
];

/** What several pages share. `client/` has files of `src/client` without their types, from `npm run client:pages`. */
const sharedFolder = new URL('./browser/', import.meta.url);

export const sharedFiles = (): Promise<StaticFile[]> => filesIn(sharedFolder);

/** The scripts and styles of a folder, and of those in it. */
export async function filesIn(folder: URL): Promise<StaticFile[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  const files = names.flatMap((name) => {
    const [, kind] = /\.(js|css)$/.exec(name) ?? [];
    return kind === undefined ? [] : readStaticFile(name, textTypes[kind as keyof typeof textTypes], folder);
  });
  return Promise.all(files);
}

export function createAssets(files: readonly StaticFile[]) {
  const hash = createHash('sha256');
  for (const [name, , content] of files) hash.update(`${name}\0`).update(content).update('\0');
  const assets = new Map(files.map(([name, type, content]) => [name, createAsset(type, content)]));
  // One would be served in the place of the other.
  if (assets.size < files.length) throw new Error('Two files of a page have one name');
  return {
    /** Changes with any byte of any file. */
    version: hash.digest('base64url').slice(0, 16),
    find: (name: string) => assets.get(name),
  };
}

export const assetsPath = (page: string, version: string): string => `${page}/assets/${version}`;

export const assetRoutes = (page: string, load: () => Promise<Assets>): Route[] => [
  {
    method: 'GET',
    path: `${assetsPath(page, ':version')}/:name`,
    async serve(request, { version = '', name = '' }) {
      const assets = await load();
      const asset = version === assets.version ? assets.find(name) : undefined;
      if (asset === undefined) {
        throw new ServiceError('resource_not_found', { detail: 'The page has no such file. Reload the page.' });
      }
      request.addHeaders({
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
        // A style sheet that names a file is a referrer of its own.
        'referrer-policy': 'no-referrer',
        vary: 'accept-encoding',
      });
      await sendAsset(request, asset);
    },
  },
];

export async function sendAsset(request: IncomingRequest, asset: Asset): Promise<void> {
  const encoding = acceptedCoding(request.headers['accept-encoding'], ['br', 'gzip']) ?? 'identity';
  const content = await asset.encoded(encoding);
  if (encoding !== 'identity') request.addHeaders({ 'content-encoding': encoding });
  sendBody(request, 200, asset.type, content);
}

export function createAsset(type: string, content: string | Buffer): Asset {
  const encodings = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    encoded(encoding) {
      const known = encodings.get(encoding);
      if (known !== undefined) return known;
      const made = contentEncoders[encoding](typeof content === 'string' ? Buffer.from(content) : content);
      encodings.set(encoding, made);
      return made;
    },
  };
}
