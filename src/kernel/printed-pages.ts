/** Pages of a backend that has objects, printed: compiled operations read them as they read a service's. */
import type { ObjectShape } from '../splice/plan.ts';
import type { PageSource } from './page-source.ts';
import type { Page } from './paging.ts';
import type { RequestContext } from './request-context.ts';
import type { WireResponse } from './wire-response.ts';

interface PrintedPages<Request, Read> extends Pick<PageSource<Request, Read>, 'lacks'> {
  /** Beside items and cursor. */
  readonly metadata?: ObjectShape;
  /** As of a port. @returns null as {@link PageSource.read} */
  readonly lists: (
    context: RequestContext,
    requests: readonly Request[],
    keys: ReadonlySet<string>,
  ) => Promise<readonly (Read | Error)[] | null>;
}

export const printedPages = <Request, Read extends Page<unknown>>({
  metadata = {},
  lists,
  ...others
}: PrintedPages<Request, Read>): PageSource<Request, Read> => ({
  ...others,
  items: 'items',
  metadata: { ...metadata, cursor: 'leaf' },
  read: async (...args) => (await lists(...args))?.map(printed) ?? null,
  // Printed by `read`.
  page: (printedMetadata) => printedMetadata as Read,
});

/** Objects by their ids, as pages of one or none. @param options.find as of a port */
export const printedItems = <Item extends object>({
  find,
  lacks = [],
}: Pick<PageSource<string, Page<Item>>, 'lacks'> & {
  readonly find: (context: RequestContext, ids: readonly string[]) => Promise<readonly (Item | Error | null)[]>;
}): PageSource<string, Page<Item>> =>
  printedPages({
    lacks,
    lists: async (context, ids) =>
      (await find(context, ids)).map((found) =>
        found instanceof Error ? found : { items: found === null ? [] : [found], cursor: null },
      ),
  });

function printed(page: object): string {
  if (page instanceof Error) throw page;
  return JSON.stringify(page);
}

type List<Request, Read> = (context: RequestContext, request: Request) => Promise<Read>;

/** Reads the same once for {@link RequestContext.responses}. @param name of the list */
export const rememberingList =
  <Request extends object, Read extends object>(name: string, list: List<Request, Read>): List<Request, Read> =>
  (context, request) => {
    const { responses } = context;
    if (responses === undefined) return list(context, request);
    const key = name + JSON.stringify(request);
    const known = responses.get(key) ?? list(context, request).then(responseOf);
    responses.set(key, known);
    // Nothing else is kept under the name of the list.
    return known.then((response) => response.value() as Read);
  };

const responseOf = (value: object): WireResponse => ({
  get body() {
    return JSON.stringify(value);
  },
  value: () => value,
  // The collector's memory.
  retain: () => undefined,
  release: () => undefined,
});
