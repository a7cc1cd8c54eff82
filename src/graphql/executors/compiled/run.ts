/** Runs a compiled operation: reads the pages of its lists as bytes, and prints the response from them. */
import type { PageSource } from '../../../kernel/page-source.ts';
import { limitAt, longestPages, type Page, type Window, windowOfPage } from '../../../kernel/paging.ts';
import type { ObjectShape } from '../../../splice/plan.ts';
import type { Refusal, Scanned, Splice, Splicer } from '../../../splice/splicer.ts';
import type { Values } from '../../documents/variables.ts';
import type { GraphQLContext } from '../../graphql-context.ts';
import { type Connection, openConnection } from '../../kit/connection.ts';
import type { AnyListSource } from '../../kit/list-source.ts';
import { Declined } from '../declined.ts';
import type { EncodedOperation } from './encoded-operation.ts';
import type { CompiledRoot } from './operation.ts';

export type RunContext = Omit<GraphQLContext, 'loaders'>;

/** A window of a list that root fields with equal arguments show. */
interface Reading {
  readonly first: number;
  readonly accountId: string;
  readonly opened: ReturnType<typeof openConnection<object, unknown>>;
  /** What names the list and the place where its page begins: equal ones read one page. */
  readonly place: string;
  readonly limit: number;
}

/** A page, of which the items are in the bytes only. */
interface ReadPage {
  readonly page: Page<unknown>;
  readonly scanned: Scanned;
}

/**
 * @param variables coerced
 * @returns the response, in an instance of the kernel that the caller must close
 * @throws Declined, or what reading and checking throw: the executor then takes over, and reads no page again
 */
export async function runCompiled(
  { source, plan, roots, after }: EncodedOperation,
  variables: Values,
  context: RunContext,
  splicer: Splicer,
): Promise<Splice> {
  const pages = source.bytes(context.ports);
  if (pages === undefined) throw new Declined('pages do not come as bytes');
  const readings = new Map<string, Reading>();
  const shows = roots.map((root): { root: CompiledRoot; reading: Reading } => {
    const args = root.args(variables);
    if (args === undefined) throw new Declined('arguments');
    const key = JSON.stringify(args);
    const reading = readings.get(key) ?? openReading(source, args, context);
    readings.set(key, reading);
    return { root, reading };
  });
  const bodies = await readBodies([...readings.values()], ({ opened, limit }) =>
    pages.read(context, { ...opened.checked, cursor: opened.from.cursor ?? undefined, limit }),
  );
  const splice = splicer.open(plan);
  try {
    const read = new Map<string, ReadPage>();
    for (const [place, body] of bodies) read.set(place, scanPage(splice, body, pages));
    const shown = new Map<Reading, Shown>();
    for (const { root, reading } of shows) {
      const showing = shown.get(reading) ?? show(source, reading, read);
      shown.set(reading, showing);
      print(splice, root, showing);
    }
    requirePrinted(splice.text(after));
    return splice;
  } catch (error) {
    splice.close();
    throw error;
  }
}

function openReading(source: AnyListSource, args: Values, context: RunContext): Reading {
  const request = source.connection(args);
  const opened = openConnection(context, request);
  const { first, list } = request;
  const { from, maxLimit } = opened;
  return {
    first,
    accountId: source.account(args),
    opened,
    place: JSON.stringify([list, from.cursor]),
    limit: limitAt(from, { wanted: first, maxLimit }),
  };
}

/** Reads the longest page for each place, as the loader of the executor does (see loaders.ts). */
async function readBodies(
  readings: readonly Reading[],
  read: (reading: Reading) => Promise<readonly Uint8Array[]>,
): Promise<ReadonlyMap<string, readonly Uint8Array[]>> {
  const longest = longestPages(readings, ({ place }) => place);
  const bodies = [...longest].map(async ([place, reading]) => [place, await read(reading)] as const);
  return new Map(await Promise.all(bodies));
}

/** The metadata of a page. Missing values are left out; `{}` stands for a value that is not a leaf. */
function metadataOf(scanned: Scanned, shape: ObjectShape, path: readonly string[] = []): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(shape)) {
    const at = [...path, key];
    if (value === 'leaf') {
      const leaf = scanned.leaf(...at);
      if (leaf !== undefined) metadata[key] = leaf === null ? {} : JSON.parse(leaf);
    } else if ('object' in value) {
      metadata[key] = metadataOf(scanned, value.object, at);
    }
  }
  return metadata;
}

function scanPage(
  splice: Splice,
  body: readonly Uint8Array[],
  { items, metadata, page }: Pick<PageSource<object, Page<unknown>>, 'items' | 'metadata' | 'page'>,
): ReadPage {
  const scanned = splice.scan(body);
  if (typeof scanned === 'string') throw new Declined(scanned);
  const count = scanned.count(items);
  if (count === undefined) throw new Declined('no list');
  return { page: page({ ...metadataOf(scanned, metadata), [items]: new Array<null>(count).fill(null) }), scanned };
}

/** What the templates of equal root fields print. */
interface Shown {
  readonly connection: Connection<unknown>;
  readonly accountId: string;
  readonly scanned: Scanned;
  readonly from: number;
  readonly to: number;
}

function show(
  source: AnyListSource,
  { first, accountId, opened, place }: Reading,
  pages: ReadonlyMap<string, ReadPage>,
): Shown {
  const read = pages.get(place);
  const window = read && windowOfPage(read.page, { first, from: opened.from });
  if (read === undefined || window === null || window === undefined)
    throw new Declined('the window needs another page');
  const connection = source.value(opened.connection(window), read.page);
  return { connection, accountId, scanned: read.scanned, ...rangeOf(window, opened.from.offset) };
}

function print(splice: Splice, root: CompiledRoot, { connection, accountId, scanned, from, to }: Shown): void {
  const edges = root.edgesOf?.(connection) ?? [];
  if (!Array.isArray(edges)) throw new Declined('the edges are no list');
  requirePrinted(splice.text(root.before));
  const refusal = splice.print(root.template, scanned, {
    from,
    to,
    parameters: root.parameters.map((each) => each(connection, accountId)),
    itemParameters: root.itemParameters.map((each) => edges.map(each)),
  });
  requirePrinted(refusal);
}

function requirePrinted(refusal: Refusal | null): void {
  if (refusal !== null) throw new Declined(refusal);
}

const rangeOf = ({ items }: Window<unknown>, from: number) =>
  items.length === 0 ? { from: 0, to: 0 } : { from, to: from + items.length };
