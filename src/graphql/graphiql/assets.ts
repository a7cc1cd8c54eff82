/** The files of the GraphiQL page, served by the gateway itself, so that the page works without internet access. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { once } from '../../once.ts';

export interface Asset {
  readonly type: string;
  /** The bytes to send. They are compressed once, at the first request. */
  encoded(encoding: Encoding): Promise<Buffer>;
}

export interface Assets {
  /** Changes with any byte of any file, so that browsers may cache a URL that contains it forever. */
  readonly version: string;
  find(name: string): Asset | undefined;
}

/** Supported encodings, best first. */
const encoders = {
  // Quality 5 compresses all of it in 0.3 s; 9 takes three times as long to save another 4 %.
  br: (content) =>
    promisify(brotliCompress)(content, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: 5, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  gzip: (content) => promisify(gzip)(content),
  identity: async (content) => content,
} as const satisfies Record<string, (content: Buffer) => Promise<Buffer>>;

export type Encoding = keyof typeof encoders;

/** Reads the files at the first request: 9 MB that most processes never need. */
export const graphiqlAssets: () => Promise<Assets> = once(async () => {
  const own = (name: string) => readFile(new URL(name, import.meta.url), 'utf8');
  const [bundle, boot, signIn] = await Promise.all([
    import('@graphql-yoga/render-graphiql/graphiql'),
    own('boot.js'),
    own('sign-in.js'),
  ]);
  const javascript = 'text/javascript; charset=utf-8';
  const files = [
    ['graphiql.js', javascript, bundle.js],
    ['graphiql.css', 'text/css; charset=utf-8', bundle.css],
    ['boot.js', javascript, boot],
    ['sign-in.js', javascript, signIn],
    // Monaco's workers, under the labels by which it requests them.
    ['editorWorkerService.js', javascript, bundle.editorWorkerService],
    ['json.js', javascript, bundle.jsonWorker],
    ['graphql.js', javascript, bundle.graphqlWorker],
  ] as const;
  const hash = createHash('sha256');
  for (const [name, , content] of files) hash.update(`${name}\0${content}\0`);
  const assets = new Map(files.map(([name, type, content]) => [name as string, asset(type, content)]));
  return { version: hash.digest('base64url').slice(0, 16), find: (name) => assets.get(name) };
});

function asset(type: string, content: string): Asset {
  const encodings = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    encoded(encoding) {
      const known = encodings.get(encoding);
      if (known !== undefined) return known;
      const made = encoders[encoding](Buffer.from(content));
      encodings.set(encoding, made);
      return made;
    },
  };
}

/** The best encoding that an `accept-encoding` header allows. */
export function acceptedEncoding(header: string | undefined): Encoding {
  const accepted = (header ?? '')
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';', 1)[0]?.trim().toLowerCase());
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? 'identity';
}
