import { fieldsOfPages, partTypes } from './cached-types.ts';
import { possibleTypes } from './possible-types.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** What is used of the cache of Graphcache. */
interface Cache {
  inspectFields(entity: string): readonly { fieldKey: string; fieldName: string; arguments: Arguments | null }[];
  // biome-ignore lint/suspicious/noExplicitAny: Graphcache has types of its own for what it stores.
  resolve(entity: any, field: string): any;
}

interface Place {
  readonly parentKey: string;
  readonly fieldName: string;
}

/** What tells lists of a field apart: all arguments but those that choose a page, in any order. */
const choice = ({ first: _, after: __, ...rest }: Arguments): string =>
  JSON.stringify(rest, (_key, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

/**
 * All pages of a list that the cache has, as one list. `relayPagination` of Graphcache leaves out pages without items, with their
 * cursors: a page of which nothing could be read would be the last.
 */
function allPages(_parent: unknown, args: Arguments, cache: Cache, { parentKey, fieldName }: Place) {
  const pageAfter = new Map<unknown, string>();
  for (const field of cache.inspectFields(parentKey)) {
    const page = cache.resolve(parentKey, field.fieldKey);
    const isOfList = field.fieldName === fieldName && choice(field.arguments ?? {}) === choice(args);
    if (isOfList && typeof page === 'string') pageAfter.set(field.arguments?.after ?? null, page);
  }
  const asked = pageAfter.get(args.after ?? null);
  if (asked === undefined || pageAfter.size === 1 || !pageAfter.has(null)) return asked;
  const edges = new Map<unknown, unknown>();
  let last = asked;
  for (let after: unknown = null, page = pageAfter.get(after); page; page = pageAfter.get(after)) {
    for (const edge of [cache.resolve(page, 'edges') ?? []].flat()) edges.set(cache.resolve(edge, 'node'), edge);
    last = page;
    pageAfter.delete(after);
    after = cache.resolve(cache.resolve(page, 'pageInfo'), 'endCursor');
  }
  const __typename = cache.resolve(last, '__typename');
  return { __typename, edges: [...edges.values()], pageInfo: cache.resolve(last, 'pageInfo') };
}

/**
 * What `cacheExchange({ schema, ...urqlCache })` of Graphcache needs to know: objects that are no `Node` belong to the object that they were
 * read with, and the pages of a list become one list, if it is read by `edges` and `pageInfo`. Without a `schema` fragments on
 * interfaces and unions match by `possibleTypes`; in development Graphcache then warns of fields of other types.
 */
export const urqlCache = {
  possibleTypes,
  keys: Object.fromEntries(partTypes.map((type) => [type, () => null])),
  resolvers: Object.fromEntries(
    Object.entries(fieldsOfPages).map(([type, names]) => [
      type,
      Object.fromEntries(names.map((name) => [name, allPages])),
    ]),
  ),
};
