/** Reads the lists and items of one request, each once, and scans their pages into one splice. */

import { requireScope } from '../../../kernel/caller.ts';
import { weightOfBytes } from '../../../kernel/lib/fair-turns.ts';
import { SmallMap } from '../../../kernel/lib/small-map.ts';
import { limitAt, longestPages, type Page, type Window, windowOfPage } from '../../../kernel/paging.ts';
import { bytesOf } from '../../../kernel/request-context.ts';
import type { JsonDocument, Print, Refusal, Scanned, Splice, Splicer, WindowRange } from '../../../splice/splicer.ts';
import type { Values } from '../../documents/variables.ts';
import type { GraphQLContext } from '../../graphql-context.ts';
import { type Connection, openConnection } from '../../kit/connection.ts';
import type { AnyItemSource, AnyListSource } from '../../kit/source.ts';
import { Declined } from '../declined.ts';
import type { EncodedOperation } from './plans.ts';
import { type AnyPages, pagesOf } from './readers.ts';
import type { Asked, CompiledReading } from './reading.ts';
import type { CompiledSource } from './sources.ts';

export type RunContext = Omit<GraphQLContext, 'loaders' | 'storedResponses'>;

/** The kernel's reading of bytes, in times of parsing. */
const kernelSpeed = 4;

/** A list of the request, or an item, whatever asks for it. */
interface Reading {
  readonly source: CompiledSource;
  readonly pages: AnyPages;
  readonly accountId: string | null;
  readonly of: OpenedList | FoundItem;
  /** Those of one key are read by the longest page among them. */
  readonly sharedKey: string;
  readonly limit: number;
  /** Key of its page in the loader that resolvers use (see loaders.ts). */
  readonly pageKey: string;
  /** The longest page of its shared key. */
  read: ReadPage | undefined;
  shown: Shown | undefined;
  prints: Print[];
}

interface OpenedList {
  readonly source: AnyListSource;
  readonly first: number;
  readonly opened: ReturnType<typeof openConnection<object, unknown>>;
}

interface FoundItem {
  readonly id: string;
}

interface ReadPage {
  readonly page: Page<unknown>;
  readonly scanned: Scanned;
}

interface Shown extends WindowRange {
  readonly connection: Connection<unknown> | null;
  readonly scanned: Scanned;
}

/** A list where it stands in the response. */
interface Wanted {
  readonly compiled: CompiledReading;
  readonly reading: Reading;
  /** Whether it is the first that asks for its page. */
  readonly isUnread: boolean;
  /** Prints of the list above it; its own is the one at this place. */
  readonly prints: Print[];
  readonly at: number;
}

interface PageReaderOptions {
  readonly operation: Omit<EncodedOperation, 'roots' | 'after'>;
  /** Coerced. */
  readonly variables: Values;
  readonly context: RunContext;
  readonly splicer: Splicer;
}

const nothing: Values = {};

export class PageReader {
  readonly #options: PageReaderOptions;
  /** By source and arguments. */
  readonly #readings = new SmallMap<Reading>();
  /** As the loader that resolvers use has them, so that the same calls are made; null until they are read. */
  readonly #pages = new SmallMap<ReadPage | null>();
  #splice: Splice | undefined;

  constructor(options: PageReaderOptions) {
    const { operation, context } = options;
    for (const scope of operation.scopes) if (!context.caller.scopes.has(scope)) throw new Declined(`no ${scope}`);
    this.#options = options;
  }

  /** With all that was read. Opened with the first page, as an instance of the kernel is large. */
  get splice(): Splice {
    this.#splice ??= this.#options.splicer.open(this.#options.operation.plan);
    return this.#splice;
  }

  close(): void {
    this.#splice?.close();
  }

  /**
   * Level by level, in the order of the loader that resolvers use: lists whose pages were read before come last in their
   * level, and the lists below them in theirs. @throws Declined, or errors of reading and checking
   */
  async print(roots: readonly CompiledReading[]): Promise<readonly Print[]> {
    const prints = new Array<Print>(roots.length);
    let level = roots.map((root, at) => this.#want(root, nothing, prints, at));
    while (level.length > 0) {
      if (level.some(isUnread)) await this.#read(level.filter(isUnread));
      const next: Wanted[] = [];
      for (const wanted of level) if (wanted.isUnread) this.#print(wanted, next);
      for (const wanted of level) if (!wanted.isUnread) this.#print(wanted, next);
      level = next;
    }
    return prints;
  }

  #want(compiled: CompiledReading, given: Values, prints: Print[], at: number): Wanted {
    const own = compiled.args(this.#options.variables);
    if (own === undefined) throw new Declined('arguments');
    const args = given === nothing ? own : { ...own, ...given };
    const { index } = compiled.source;
    const text = JSON.stringify(args);
    const key = index === 0 ? text : `${index} ${text}`;
    let reading = this.#readings.get(key);
    if (reading === undefined) {
      reading = this.#open(compiled.source, args);
      this.#readings.set(key, reading);
    }
    const isUnread = !this.#pages.has(reading.pageKey);
    if (isUnread) this.#pages.set(reading.pageKey, null);
    return { compiled, reading, isUnread, prints, at };
  }

  /** @param next takes the lists within it */
  #print({ compiled, reading, prints, at }: Wanted, next: Wanted[]): void {
    reading.shown ??= this.#show(reading);
    const { from, to } = reading.shown;
    const template = compiled.missing !== null && from === to ? compiled.missing : compiled.template;
    prints[at] =
      reading.prints.find((print) => print.template === template) ??
      this.#printOnce(template, compiled, reading, reading.shown, next);
  }

  #printOnce(template: number, compiled: CompiledReading, reading: Reading, shown: Shown, next: Wanted[]): Print {
    const { accountId } = reading;
    const { connection, scanned, from, to } = shown;
    const edges = connection === null ? noEdges : (compiled.edgesOf?.(connection) ?? noEdges);
    if (!Array.isArray(edges)) throw new Declined('the edges are no list');
    const parameters = compiled.parameters.map((each) => each(connection, accountId));
    const itemParameters = compiled.itemParameters.map((each) => edges.map(each));
    // The compiler wrote what is printed here.
    const asked =
      compiled.inner.length === 0 ? [] : (accepted(this.splice.asks(template, scanned, shown)) as readonly Asked[]);
    const inner = new Array<Print>(asked.length);
    const print: Print = { template, scanned, from, to, parameters, itemParameters, inner };
    // An empty list that grows takes room for seventeen.
    if (reading.prints.length === 0) reading.prints = [print];
    else reading.prints.push(print);
    for (const [at, { list: asks, given }] of asked.entries()) {
      const inside = compiled.inner[asks] as CompiledReading;
      next.push(this.#want(inside, givenTo(inside, given, accountId), inner, at));
    }
    return print;
  }

  #open(source: CompiledSource, args: Values): Reading {
    const { of } = source;
    const pages = pagesOf(of, this.#options.context.ports);
    if (pages === undefined) throw new Declined('pages do not come as JSON');
    return 'connection' in of ? this.#openList(source, of, pages, args) : this.#openItem(source, of, pages, args);
  }

  #openList(source: CompiledSource, of: AnyListSource, pages: AnyPages, args: Values): Reading {
    const { context } = this.#options;
    const request = of.connection(args, context);
    const opened = openConnection(context, request);
    const reason = pages.differs?.(context.caller, opened.checked);
    if (reason !== undefined) throw new Declined(reason);
    const { first } = opened;
    const limit = limitAt(opened.from, { wanted: first, maxLimit: opened.maxLimit });
    const start = JSON.stringify([request.list, opened.from.cursor]);
    const pageKey = `${limit} ${start}`;
    return {
      source,
      pages,
      accountId: of.account(args),
      of: { source: of, first, opened },
      sharedKey: pages.joins === true ? start : pageKey,
      limit,
      pageKey,
      read: undefined,
      shown: undefined,
      prints: [],
    };
  }

  #openItem(source: CompiledSource, of: AnyItemSource, pages: AnyPages, args: Values): Reading {
    requireScope(this.#options.context.caller, of.operation.scope);
    const id = of.id(args);
    // No key of a list begins so, whatever the id.
    const pageKey = `item ${source.index} ${id}`;
    return {
      source,
      pages,
      accountId: null,
      of: { id },
      sharedKey: pageKey,
      limit: 1,
      pageKey,
      read: undefined,
      shown: undefined,
      prints: [],
    };
  }

  #show({ of, pageKey }: Reading): Shown {
    const { page, scanned } = this.#pages.get(pageKey) as ReadPage;
    if ('id' in of) return { connection: null, scanned, from: 0, to: page.items.length };
    const { first, opened } = of;
    const { from } = opened;
    const window = windowOfPage(page, { first, from });
    if (window === null) throw new Declined('the window needs another page');
    return { connection: opened.connection(window), scanned, ...rangeOf(window, from.offset) };
  }

  /** For each shared key the longest page; those of a source together. */
  async #read(unread: readonly Wanted[]): Promise<void> {
    const readings = unread.map(({ reading }) => reading);
    const { context } = this.#options;
    const longest = longestPages(readings, ({ sharedKey }) => sharedKey);
    const bodies = await readBodies(context, longest.values());
    const turn = context.turn?.(bodies.reduce((sum, body) => sum + weightOf(body), 0)) ?? null;
    if (turn !== null) await turn;
    for (const [at, reading] of longest.values().entries()) reading.read = this.#scan(reading, bodies[at] ?? []);
    for (const { pageKey, sharedKey } of readings) this.#pages.set(pageKey, longest.get(sharedKey)?.read ?? null);
  }

  #scan({ source, pages: { items, page } }: Reading, body: JsonDocument): ReadPage {
    const scanned = accepted(this.splice.scan(body));
    const count = scanned.count(items);
    if (count === undefined) throw new Declined('no list');
    const metadata = source.readMetadata(scanned);
    metadata[items] = new Array<null>(count).fill(null);
    return { page: page(metadata), scanned };
  }
}

/** A text was printed, too. */
const weightOf = (body: JsonDocument): number =>
  typeof body === 'string' ? weightOfBytes(body.length) : weightOfBytes(bytesOf(body)) / kernelSpeed;

/** Those of a source together. @returns in the order of the readings */
async function readBodies(context: RunContext, readings: readonly Reading[]): Promise<readonly JsonDocument[]> {
  if (readings.every(({ source }) => source === readings[0]?.source)) return readBatch(context, readings);
  const bodies = new Array<JsonDocument>(readings.length);
  const batches = [...Map.groupBy(readings.entries(), ([, { source }]) => source).values()];
  const readInto = async (batch: readonly (readonly [place: number, reading: Reading])[]) => {
    const read = await readBatch(
      context,
      batch.map(([, reading]) => reading),
    );
    for (const [n, [place]] of batch.entries()) bodies[place] = read[n] ?? [];
  };
  await Promise.all(batches.map(readInto));
  return bodies;
}

async function readBatch(context: RunContext, batch: readonly Reading[]): Promise<readonly JsonDocument[]> {
  const [first] = batch;
  const bodies = first === undefined ? [] : await first.pages.read(context, batch.map(requestOf), first.source.keys);
  if (bodies === null) throw new Declined('parts of items are read by themselves');
  return bodies;
}

function requestOf({ of, limit }: Reading): unknown {
  if ('id' in of) return of.id;
  const { checked, from } = of.opened;
  return Object.assign(checked, { cursor: from.cursor ?? undefined, limit });
}

const noEdges: readonly unknown[] = [];

const isUnread = (wanted: Wanted): boolean => wanted.isUnread;

function accepted<Value>(outcome: Value | Refusal): Value {
  if (typeof outcome === 'string') throw new Declined(outcome);
  return outcome as Value;
}

/** As the resolver of the list's field takes them from the object. */
function givenTo({ given }: CompiledReading, asked: Asked['given'], accountId: string | null): Values {
  const args: Record<string, unknown> = { ...asked };
  if (given === null) return args;
  for (const flag of Object.keys(given.flags ?? {})) if (args[flag] !== true) args[flag] = undefined;
  if (given.account !== undefined) args[given.account] = accountId;
  return args;
}

const rangeOf = ({ items }: Window<unknown>, from: number): WindowRange =>
  items.length === 0 ? { from: 0, to: 0 } : { from, to: from + items.length };
