import { stringifyVariables } from '@urql/core';
import type { Resolver } from '@urql/exchange-graphcache';

/** What tells lists of a field apart: all arguments but those that choose a page. */
const choice = ({ first: _, after: __, ...rest }: Readonly<Record<string, unknown>>) => stringifyVariables(rest);

/**
 * All pages of a list that the cache has, as one list. `relayPagination` of Graphcache leaves out pages without items, with their
 * cursors: a page of which nothing could be read would be the last.
 */
export const allPages: Resolver = (_parent, args, cache, { parentKey, fieldName }) => {
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
    for (const edge of [cache.resolve(page, 'edges') ?? []].flat()) edges.set(cache.resolve(`${edge}`, 'node'), edge);
    last = page;
    pageAfter.delete(after);
    after = cache.resolve(`${cache.resolve(page, 'pageInfo')}`, 'endCursor');
  }
  const __typename = cache.resolve(last, '__typename');
  return { __typename, edges: [...edges.values()], pageInfo: cache.resolve(last, 'pageInfo') };
};
