/** Pages of a backend that has objects, printed: compiled operations read them as they read a service's. */
import type { ObjectShape } from '../splice/plan.ts';
import { isObject } from './lib/objects.ts';
import type { PageSource } from './page-source.ts';
import type { Page } from './paging.ts';
import type { Held, ReadMemo, RequestContext } from './request-context.ts';

/** As of a port. Errors are among the values. */
type ReadAll<Request, Value> = (context: RequestContext, requests: readonly Request[]) => Promise<Value[]>;

interface Printing<Request, Read> extends Pick<PageSource<Request, Read>, 'lacks' | 'joins'> {
  /** Beside items and cursor. */
  readonly metadata?: ObjectShape;
  /** What is read for some keys. By default the same for all. */
  readonly requestFor?: (request: Request, keys: ReadonlySet<string>) => Request;
  /** Whether the items of a page have all of the keys. By default, they have. */
  readonly isWhole?: (page: Read, keys: ReadonlySet<string>) => boolean;
}

/** @returns pages, and the reader of lists, which reads nothing again that a compiled run has read */
export function printedPages<Request, Read extends Page<unknown>>({
  name,
  lists,
  ...printing
}: Printing<Request, Read> & { readonly name: string; readonly lists: ReadAll<Request, Read | Error> }): {
  readonly lists: ReadAll<Request, Read | Error>;
  readonly pages: PageSource<Request, Read>;
} {
  const { read, recall } = rememberedReads(name, lists);
  return { lists: recall, pages: printed(read, printing) };
}

function printed<Request, Read extends Page<unknown>>(
  readAll: ReadAll<Request, Read | Error>,
  { metadata = {}, requestFor = (request) => request, isWhole = () => true, ...others }: Printing<Request, Read>,
): PageSource<Request, Read> {
  return {
    ...others,
    items: 'items',
    metadata: { ...metadata, cursor: 'leaf' },
    async read(context, requests, keys) {
      const wanted = requests.map((request) => requestFor(request, keys));
      const pages = (await readAll(context, wanted)).map(pageOf);
      return pages.every((page) => isWhole(page, keys)) ? pages.map((page) => JSON.stringify(lean(page, keys))) : null;
    },
    // Printed by `read`.
    page: (printedMetadata) => printedMetadata as Read,
  };
}

/** Without what nobody reads, where that is most of an item: to choose many keys takes longer than to print the others. */
function lean(page: Page<unknown>, keys: ReadonlySet<string>): Page<unknown> {
  const [first] = page.items;
  const isMostlyUnread = isObject(first) && keys.size * 2 < Object.keys(first).length;
  return isMostlyUnread ? { ...page, items: page.items.map((item) => chosenOf(item, keys)) } : page;
}

function chosenOf(item: unknown, keys: ReadonlySet<string>): unknown {
  if (!isObject(item)) return item;
  const chosen: Record<string, unknown> = {};
  for (const key of keys) chosen[key] = item[key];
  return chosen;
}

type ItemOf<Found> = Exclude<Found, Error | null>;

/** Objects by their ids, as pages of one or none. @returns the reader as {@link printedPages} */
export function printedItems<Found extends object | null>({
  name,
  find,
  lacks = [],
}: Pick<PageSource<string, never>, 'lacks'> & { readonly name: string; readonly find: ReadAll<string, Found> }): {
  readonly find: ReadAll<string, Found>;
  readonly found: PageSource<string, Page<ItemOf<Found>>>;
} {
  const { read, recall } = rememberedReads(name, find);
  const pageOfItem = (found: Found): Page<ItemOf<Found>> | Error => {
    if (found instanceof Error) return found;
    // What is neither of the others.
    return { items: found === null ? [] : [found as ItemOf<Found>], cursor: null };
  };
  const found = printed(
    async (context: RequestContext, ids: readonly string[]) => (await read(context, ids)).map(pageOfItem),
    { lacks },
  );
  return { find: recall, found };
}

function pageOf<Read>(read: Read | Error): Read {
  if (read instanceof Error) throw read;
  return read;
}

interface HeldValue<Value> extends Held {
  readonly value: Value;
}

/**
 * Each read is made once for {@link RequestContext.responses}, and fails once: executors take over from others. `recall`
 * adds nothing: most operations have no other executor before them.
 */
function rememberedReads<Request, Value>(name: string, readAll: ReadAll<Request, Value>) {
  const keyOf = (request: Request) => `${name} ${JSON.stringify(request)}`;

  async function through(memo: ReadMemo, context: RequestContext, requests: readonly Request[]): Promise<Value[]> {
    const missing = requests.filter((request) => memo.get(keyOf(request)) === undefined);
    if (missing.length > 0) {
      const reads = readAll(context, missing);
      const heldAt = (at: number) =>
        reads.then((values): HeldValue<Value | undefined> => ({ value: values[at], release }));
      for (const [at, request] of missing.entries()) memo.set(keyOf(request), heldAt(at));
    }
    // Nothing else is kept under the name.
    const held = (await Promise.all(requests.map((request) => memo.get(keyOf(request))))) as HeldValue<Value>[];
    return held.map(({ value }) => value);
  }

  const read: ReadAll<Request, Value> = (context, requests) =>
    context.responses === undefined ? readAll(context, requests) : through(context.responses, context, requests);
  const recall: ReadAll<Request, Value> = (context, requests) =>
    context.responses?.isEmpty === false ? through(context.responses, context, requests) : readAll(context, requests);
  return { read, recall };
}

const release = (): void => undefined;
