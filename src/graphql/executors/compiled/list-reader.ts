/** Reads the lists of one request, each once, and scans their pages into one splice. */
import { weightOfBytes } from '../../../kernel/lib/fair-turns.ts';
import type { PageSource } from '../../../kernel/page-source.ts';
import { limitAt, longestPages, type Page, type Window, windowOfPage } from '../../../kernel/paging.ts';
import { bytesOf } from '../../../kernel/wire-response.ts';
import type { Print, Refusal, Scanned, Splice, Splicer, WindowRange } from '../../../splice/splicer.ts';
import type { Values } from '../../documents/variables.ts';
import type { GraphQLContext } from '../../graphql-context.ts';
import { type Connection, openConnection } from '../../kit/connection.ts';
import { Declined } from '../declined.ts';
import type { Asked, CompiledList } from './list.ts';
import type { EncodedOperation } from './plans.ts';

export type RunContext = Omit<GraphQLContext, 'loaders' | 'storedResponses'>;

/** The kernel's reading of bytes, in times of parsing. */
const kernelSpeed = 4;

/** A list of the request, whatever asks for it. */
interface Reading {
  readonly first: number;
  readonly accountId: string | null;
  readonly opened: ReturnType<typeof openConnection<object, unknown>>;
  readonly place: string;
  readonly limit: number;
  /** Its page in the loader that resolvers use (see loaders.ts). */
  readonly page: string;
  /** Of the longest page at its place. */
  read: ReadPage | undefined;
  shown: Shown | undefined;
  /** One for each template. */
  prints: Print[];
}

interface ReadPage {
  readonly page: Page<unknown>;
  readonly scanned: Scanned;
}

interface Shown extends WindowRange {
  readonly connection: Connection<unknown>;
  readonly scanned: Scanned;
}

/** A list where it stands in the response. */
interface Wanted {
  readonly list: CompiledList;
  readonly reading: Reading;
  /** Whether it is the first that asks for its page. */
  readonly isUnread: boolean;
  /** Of the list above it; its own is the one at this place. */
  readonly prints: Print[];
  readonly at: number;
}

export interface ListReaderOptions {
  readonly operation: Omit<EncodedOperation, 'roots' | 'after'>;
  /** Coerced. */
  readonly variables: Values;
  readonly context: RunContext;
  readonly splicer: Splicer;
}

const nothing: Values = {};

export class ListReader {
  readonly #options: ListReaderOptions;
  readonly #source: PageSource<object, Page<unknown>>;
  /** By arguments. */
  readonly #readings = new Map<string, Reading>();
  /** As the loader that resolvers use has them, so that the same calls are made; null until they are read. */
  readonly #pages = new Map<string, ReadPage | null>();
  #splice: Splice | undefined;

  constructor(options: ListReaderOptions) {
    const { operation, context } = options;
    const source = operation.source.bytes(context.ports);
    if (source === undefined) throw new Declined('pages do not come as bytes');
    for (const scope of operation.scopes) if (!context.caller.scopes.has(scope)) throw new Declined(`no ${scope}`);
    this.#source = source;
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
   * Level by level, in the order of the loader that resolvers use: lists whose pages were read before come behind the
   * others of their level, as does what they ask for. @throws Declined, or errors of reading and checking
   */
  async print(roots: readonly CompiledList[]): Promise<readonly Print[]> {
    const prints = new Array<Print>(roots.length);
    let level = roots.map((list, at) => this.#want(list, nothing, prints, at));
    while (level.length > 0) {
      if (level.some(isUnread)) await this.#read(level.filter(isUnread));
      const next: Wanted[] = [];
      for (const wanted of level) if (wanted.isUnread) this.#print(wanted, next);
      for (const wanted of level) if (!wanted.isUnread) this.#print(wanted, next);
      level = next;
    }
    return prints;
  }

  /** @param given arguments */
  #want(list: CompiledList, given: Values, prints: Print[], at: number): Wanted {
    const own = list.args(this.#options.variables);
    if (own === undefined) throw new Declined('arguments');
    const args = given === nothing ? own : { ...own, ...given };
    const key = JSON.stringify(args);
    let reading = this.#readings.get(key);
    if (reading === undefined) {
      reading = this.#open(args);
      this.#readings.set(key, reading);
    }
    const isUnread = !this.#pages.has(reading.page);
    if (isUnread) this.#pages.set(reading.page, null);
    return { list, reading, isUnread, prints, at };
  }

  /** @param next takes the lists within it */
  #print({ list, reading, prints, at }: Wanted, next: Wanted[]): void {
    const known = reading.prints.find(({ template }) => template === list.template);
    const print = known ?? this.#printOnce(list, reading, next);
    prints[at] = print;
  }

  #printOnce(list: CompiledList, reading: Reading, next: Wanted[]): Print {
    const { template } = list;
    reading.shown ??= this.#window(reading);
    const { connection, scanned, from, to } = reading.shown;
    const edges = list.edgesOf?.(connection) ?? noEdges;
    if (!Array.isArray(edges)) throw new Declined('the edges are no list');
    const parameters = list.parameters.map((each) => each(connection, reading.accountId));
    const itemParameters = list.itemParameters.map((each) => edges.map(each));
    // The compiler wrote what is printed here.
    const asked =
      list.inner.length === 0 ? [] : (accepted(this.splice.asks(template, scanned, reading.shown)) as readonly Asked[]);
    const inner = new Array<Print>(asked.length);
    const print: Print = { template, scanned, from, to, parameters, itemParameters, inner };
    // An empty list that grows takes room for seventeen.
    if (reading.prints.length === 0) reading.prints = [print];
    else reading.prints.push(print);
    for (const [at, { list: asks, given }] of asked.entries()) {
      const innerList = list.inner[asks] as CompiledList;
      next.push(this.#want(innerList, givenTo(innerList, given, reading.accountId), inner, at));
    }
    return print;
  }

  #open(args: Values): Reading {
    const { context, operation } = this.#options;
    const request = operation.source.connection(args, context);
    const opened = openConnection(context, request);
    const reason = this.#source.differs?.(context.caller, opened.checked);
    if (reason !== undefined) throw new Declined(reason);
    const { first, list } = request;
    const { from, maxLimit } = opened;
    const accountId = operation.source.account(args);
    const place = JSON.stringify([list, from.cursor]);
    const limit = limitAt(from, { wanted: first, maxLimit });
    const page = `${limit} ${place}`;
    return { first, accountId, opened, place, limit, page, read: undefined, shown: undefined, prints: [] };
  }

  #window({ first, opened, page: read }: Reading): Shown {
    const { page, scanned } = this.#pages.get(read) as ReadPage;
    const { from } = opened;
    const window = windowOfPage(page, { first, from });
    if (window === null) throw new Declined('the window needs another page');
    const connection = this.#options.operation.source.value(opened.connection(window), page);
    return { connection, scanned, ...rangeOf(window, from.offset) };
  }

  /** For each place the longest page. */
  async #read(unread: readonly Wanted[]): Promise<void> {
    const readings = unread.map(({ reading }) => reading);
    const { context } = this.#options;
    const longest = longestPages(readings, ({ place }) => place);
    const read = [...longest.values()];
    const bodies = await Promise.all(
      read.map(({ opened, limit }) =>
        this.#source.read(context, Object.assign(opened.checked, { cursor: opened.from.cursor ?? undefined, limit })),
      ),
    );
    const bytes = bodies.reduce((sum, body) => sum + bytesOf(body), 0);
    const turn = context.turn?.(weightOfBytes(bytes) / kernelSpeed) ?? null;
    if (turn !== null) await turn;
    for (const [at, body] of bodies.entries()) (read[at] as Reading).read = this.#scan(body);
    for (const { page, place } of readings) this.#pages.set(page, longest.get(place)?.read ?? null);
  }

  #scan(body: readonly Uint8Array[]): ReadPage {
    const { items, page } = this.#source;
    const scanned = accepted(this.splice.scan(body));
    const count = scanned.count(items);
    if (count === undefined) throw new Declined('no list');
    const metadata = this.#options.operation.readMetadata(scanned);
    metadata[items] = new Array<null>(count).fill(null);
    return { page: page(metadata), scanned };
  }
}

const noEdges: readonly unknown[] = [];

const isUnread = (wanted: Wanted): boolean => wanted.isUnread;

function accepted<Value>(outcome: Value | Refusal): Value {
  if (typeof outcome === 'string') throw new Declined(outcome);
  return outcome as Value;
}

/** As the resolver of the list's field takes them from the object. */
function givenTo({ given }: CompiledList, asked: Asked['given'], accountId: string | null): Values {
  const args: Record<string, unknown> = { ...asked };
  if (given === null) return args;
  for (const flag of Object.keys(given.flags)) if (args[flag] !== true) args[flag] = undefined;
  args[given.account] = accountId;
  return args;
}

const rangeOf = ({ items }: Window<unknown>, from: number): WindowRange =>
  items.length === 0 ? { from: 0, to: 0 } : { from, to: from + items.length };
