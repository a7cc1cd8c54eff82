/** The files that the GraphiQL page is made of: the project's own copy, so that it works without the internet. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';

export interface Asset {
  readonly type: string;
  /** As it goes over the wire; compressed once, when it is first asked for. */
  encoded(encoding: Encoding): Promise<Buffer>;
}

export interface Assets {
  /** Changes with any byte of any of them, so that browsers may keep an address that holds it for good. */
  readonly version: string;
  find(name: string): Asset | undefined;
}

/** Encodings on offer, best first. */
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

/** Reads them when they are first asked for: 9 MB that most processes never need. */
export const graphiqlAssets: () => Promise<Assets> = once(async () => {
  const [bundle, boot] = await Promise.all([
    import('@graphql-yoga/render-graphiql/graphiql'),
    readFile(new URL('boot.js', import.meta.url), 'utf8'),
  ]);
  const javascript = 'text/javascript; charset=utf-8';
  const files = [
    ['graphiql.js', javascript, bundle.js],
    ['graphiql.css', 'text/css; charset=utf-8', bundle.css],
    ['boot.js', javascript, boot],
    // Monaco's workers, by the labels that it asks for them with.
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

/** Does it once, unless it fails: then the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
