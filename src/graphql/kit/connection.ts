/**
 * Relay connections over lists that have one cursor per page (see paging.ts). They are forward only, as the lists are.
 *
 * Why not `@pothos/plugin-relay`: its `resolveCursorConnection` expects a list that can be read from the cursor of any
 * item, plus one item. A provider has one cursor per page, so windows, positions and sealed cursors would remain ours;
 * the plugin would add only the types below, with `last` and `before`, which no list here can serve.
 */
import type { OutputRef } from '@pothos/core';
import { requireScope } from '../../kernel/caller.ts';
import { type ErrorName, ServiceError } from '../../kernel/errors.ts';
import { SmallMap } from '../../kernel/lib/small-map.ts';
import type { Operation } from '../../kernel/operation.ts';
import {
  type CursorScope,
  type Page,
  type Position,
  readWindow,
  startOfList,
  type Window,
} from '../../kernel/paging.ts';
import { isConnection, type PageWeights, rowsOfDatabase, sealsCursor } from '../cost/weights.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { builder, partType } from './builder.ts';
import type { CacheHint } from './cache-hint.ts';
import { issuesInGraphQL } from './contract-mapping.ts';
import { shows } from './wire.ts';

/** Consecutive items. An Error stands for an item that cannot be shown; the executor reports it at its path. */
export interface Connection<T> {
  readonly window: Window<T | Error>;
  readonly hasPreviousPage: boolean;
  readonly cursorOf: (position: Position) => string;
}

interface Edge {
  readonly node: object;
  readonly after: Position;
  readonly cursorOf: (position: Position) => string;
}

const PageInfoObject = partType<Connection<unknown>>('PageInfo', {
  description: 'Position of a page in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more items follow.',
      resolve: ({ window }) => window.hasNextPage,
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether `after` was given. Lists are read forward only.',
      resolve: ({ hasPreviousPage }) => hasPreviousPage,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first item; null if there is none.',
      extensions: sealsCursor,
      resolve: ({ window, cursorOf }) => (window.items.length === 0 ? null : cursorOf(window.after(0))),
    }),
    endCursor: t.string({
      nullable: true,
      description: '`after` of the next page; null if this one is empty and the last.',
      extensions: sealsCursor,
      resolve: ({ window: { end }, cursorOf }) => (end === null ? null : cursorOf(end)),
    }),
  }),
});

export interface ConnectionOptions {
  readonly page?: PageWeights;
  readonly hint?: { readonly cacheHint: CacheHint };
}

/**
 * Connection and edge type of an item: `PostConnection` and `PostEdge` for `Post`.
 * @param options.page weights in the cost of an operation
 * @param options.hint how long a page may be kept
 */
export function connectionType<T extends object, Page extends Connection<T> = Connection<T>>(
  name: string,
  item: OutputRef<T>,
  things: string,
  { page = rowsOfDatabase, hint }: ConnectionOptions = {},
) {
  // Not T: a connection may hold an Error.
  const node: OutputRef<object> = item;
  const EdgeObject = partType<Edge>(`${name}Edge`, {
    description: `An item of a page of ${things}.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'Cursor for `after`.',
        extensions: sealsCursor,
        resolve: ({ after, cursorOf }) => cursorOf(after),
      }),
      node: t.expose('node', {
        type: node,
        extensions: shows('item'),
        nullable: true,
        description: 'The item.',
      }),
    }),
  });
  return builder.objectRef<Page>(`${name}Connection`).implement({
    description: `A page of ${things}.`,
    extensions: { ...isConnection(page), ...hint },
    fields: (t) => ({
      edges: t.field({
        type: [EdgeObject],
        extensions: shows('edges'),
        description: 'Items with cursors.',
        resolve: ({ window, cursorOf }) =>
          window.items.map((node, index): Edge => ({ node, after: window.after(index), cursorOf })),
      }),
      nodes: t.field({
        type: [node],
        extensions: shows('items'),
        nullable: { list: false, items: true },
        description: 'Items.',
        resolve: ({ window }): readonly object[] => window.items,
      }),
      pageInfo: t.field({
        type: PageInfoObject,
        description: 'Position in the list.',
        resolve: (connection): Connection<unknown> => connection,
      }),
    }),
  });
}

/** Description of an argument `query`. @param where the text stands */
export const searchDescription = (where: string) => `Part of ${where}: 1 to 255 characters, A to Z in any case.`;

interface FirstLimits {
  readonly limit: { readonly min: number; readonly max: number; readonly default: number };
}

/** Spread next to the field's own arguments. */
export function connectionArgs({ limit }: FirstLimits) {
  return builder.args((t) => ({
    first: t.int({
      defaultValue: limit.default,
      description: `Size of the page, up to ${limit.max}.`,
    }),
    after: t.string({
      description: 'Cursor to start after.',
    }),
  }));
}

export interface ListRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ConnectionRequest<Request, Item> {
  /** Its scope and shape are checked once, however many pages are read. */
  readonly operation: Operation<Request, Page<Item>>;
  readonly request: Readonly<Record<string, unknown>>;
  readonly limits: FirstLimits;
  /** By default, and for null, the default of the limits. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  /** Binds cursors: name of the list, and the arguments that choose it. */
  readonly list: CursorScope;
}

interface Opened<Request> {
  /** Without the window's own `cursor` and `limit`. */
  readonly checked: Request;
  readonly first: number;
  readonly from: Position;
  readonly maxLimit: number;
  readonly connection: <T>(window: Window<T | Error>) => Connection<T>;
}

/**
 * Reads the page that `first` and `after` ask for.
 * @throws ServiceError of the operation, with issues under the names of the GraphQL arguments
 */
export async function readConnection<Request extends ListRequest, Item>(
  context: GraphQLContext,
  request: ConnectionRequest<Request, Item>,
  load: (request: Request) => Promise<Page<Item>> = (page) => request.operation.method(context.ports)(context, page),
): Promise<Connection<Item>> {
  try {
    const { checked, first, from, maxLimit, connection } = openConnection(context, request);
    const window = await readWindow(
      (cursor, count) => load({ ...checked, cursor: cursor ?? undefined, limit: count }),
      { first, from, maxLimit },
    );
    return mapItems<Item, Item>(connection(window), (item) =>
      typeof item === 'object' && item !== null ? item : itemNotAnObject(),
    );
  } catch (error) {
    throw error instanceof ServiceError ? issuesInGraphQL(error) : error;
  }
}

/** Checks scope, shape, cursor, in this order. @throws ServiceError with issues under the contract's names */
export function openConnection<Request, Item>(
  context: Pick<GraphQLContext, 'caller' | 'cursors'>,
  { operation, request, limits: { limit }, first: wanted, after, list }: ConnectionRequest<Request, Item>,
): Opened<Request> {
  requireScope(context.caller, operation.scope);
  const first = wanted ?? limit.default;
  // The contract's lists have no page of nothing.
  const checked = operation.check({ ...request, limit: first === 0 ? limit.min : first });
  const scope = [context.caller.workspaceId, ...list];
  return {
    checked,
    first,
    from: openPosition(context, scope, after, operation.invalid),
    maxLimit: limit.max,
    connection: (window) => ({
      window,
      hasPreviousPage: after !== null && after !== undefined,
      cursorOf: sealOnce(({ cursor, offset }) => context.cursors.seal(scope, [cursor, offset])),
    }),
  };
}

/** However often an operation selects the cursor. */
function sealOnce(seal: (position: Position) => string): (position: Position) => string {
  const sealed = new SmallMap<string>();
  return (position) => {
    const place = `${position.offset} ${position.cursor}`;
    const known = sealed.get(place);
    if (known !== undefined) return known;
    const cursor = seal(position);
    sealed.set(place, cursor);
    return cursor;
  };
}

/** @param show returns an Error for an unshowable item: its node is null, and the rest of the page is unharmed */
export function mapItems<Item, Shown>(
  { window, ...connection }: Connection<Item>,
  show: (item: Item) => Shown | Error,
): Connection<Shown> {
  const { hasNextPage, end } = window;
  const items = window.items.map((item) => (item instanceof Error ? item : show(item)));
  return { ...connection, window: { items, after: (index) => window.after(index), hasNextPage, end } };
}

const itemNotAnObject = () => new ServiceError('provider_error', { detail: 'An item of the list is not an object.' });

function openPosition(
  { cursors }: Pick<GraphQLContext, 'cursors'>,
  scope: CursorScope,
  after: string | null | undefined,
  invalid: ErrorName = 'invalid_parameters',
): Position {
  if (after === null || after === undefined) return startOfList;
  // The codec opens only what it sealed: the payload of `cursorOf`.
  const opened = cursors.open(scope, after) as [string | null, number] | undefined;
  if (opened !== undefined) return { cursor: opened[0], offset: opened[1] };
  const issue = { path: ['after'], code: 'malformed', message: 'is not a cursor of this list' } as const;
  throw new ServiceError(invalid, { detail: 'after is not a cursor of this list', issues: [issue] });
}
