/**
 * Relay connections over lists that have one cursor per page (see paging.ts). They are forward only, as the lists are.
 *
 * Why not `@pothos/plugin-relay`: its `resolveCursorConnection` expects a list that can be read from the cursor of any
 * item, and reads one item more to learn whether another follows. A provider has one cursor per page and no other. So
 * windows, positions and sealed cursors would remain ours. The plugin would add only the types below, with `last` and
 * `before`, which no list here can serve.
 */
import type { OutputRef } from '@pothos/core';
import { type ErrorName, ServiceError } from '../../kernel/errors.ts';
import { authorize, type Operation } from '../../kernel/operation.ts';
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
import { builder } from './builder.ts';
import { type CacheHint, inheritMaxAge } from './cache-hint.ts';
import { issuesInGraphQL } from './contract-mapping.ts';
import { shows } from './window-field.ts';

/** Consecutive items of a list. An Error stands for an item that cannot be shown; graphql-js reports it at its path. */
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

const PageInfoObject = builder.objectRef<Connection<unknown>>('PageInfo').implement({
  description: 'The position of a page in its list.',
  extensions: inheritMaxAge,
  fields: (t) => ({
    hasNextPage: t.boolean({
      description: 'Whether more items follow this page.',
      resolve: ({ window }) => window.hasNextPage,
    }),
    hasPreviousPage: t.boolean({
      description: 'Whether the page starts after a cursor. Lists can only be read forward.',
      resolve: ({ hasPreviousPage }) => hasPreviousPage,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'Cursor of the first edge; null if the page is empty.',
      extensions: sealsCursor,
      resolve: ({ window: { items }, cursorOf }) => (items[0] === undefined ? null : cursorOf(items[0].after)),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Pass it as `after` to read the next page. Null if the page is empty and no page follows.',
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
 * The connection type of an item, and its edge type: `PostConnection` and `PostEdge` for `Post`.
 * @param options.page what a page weighs in the cost of an operation
 * @param options.hint how long a page may be kept
 */
export function connectionType<T extends object, Page extends Connection<T> = Connection<T>>(
  name: string,
  item: OutputRef<T>,
  things: string,
  { page = rowsOfDatabase, hint }: ConnectionOptions = {},
) {
  // Not of T: where its items stand, a connection may have an Error.
  const node: OutputRef<object> = item;
  const EdgeObject = builder.objectRef<Edge>(`${name}Edge`).implement({
    description: `One item in a page of ${things}, with its cursor.`,
    extensions: inheritMaxAge,
    fields: (t) => ({
      cursor: t.string({
        description: 'Pass it as `after` to continue after this item.',
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
        description: 'The items, each with its cursor.',
        resolve: ({ window, cursorOf }) => window.items.map((item): Edge => ({ ...item, cursorOf })),
      }),
      nodes: t.field({
        type: [node],
        extensions: shows('items'),
        nullable: { list: false, items: true },
        description: 'The items without cursors. An item is null only with an error at its path.',
        resolve: ({ window }) => window.items.map((item): object => item.node),
      }),
      pageInfo: t.field({
        type: PageInfoObject,
        description: 'The position of this page in its list.',
        resolve: (connection): Connection<unknown> => connection,
      }),
    }),
  });
}

/** Bounds of the `first` argument, from the table of limits of a capability. */
interface FirstLimits {
  readonly limit: { readonly min: number; readonly max: number; readonly default: number };
}

/** The arguments of a connection field, to be spread next to the field's own. */
export function connectionArgs({ limit }: FirstLimits, things: string) {
  return builder.args((t) => ({
    first: t.int({
      required: true,
      defaultValue: limit.default,
      description: `Number of ${things} to read, from ${limit.min} to ${limit.max}.`,
    }),
    after: t.string({
      description: 'Cursor of this list. The page starts after it. Omit it to read the first page.',
    }),
  }));
}

/** What every request of a page has. */
export interface ListRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A list that a connection shows a window of. */
export interface ConnectionRequest<Request, Item> {
  /** The operation that reads the list. Its scope and shape are checked once, however many pages are read. */
  readonly operation: Operation<Request, Page<Item>>;
  /** The arguments that choose the list, in the contract's terms. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly limits: FirstLimits;
  readonly first: number;
  readonly after?: string | null | undefined;
  /** What cursors are bound to beside the workspace: the name of the list, and the arguments that choose it. */
  readonly list: CursorScope;
}

/** Reads a page in place of the operation's method: a loader that joins equal reads. */
type LoadPage<Request, Item> = (request: Request) => Promise<Page<Item>>;

/** A window that the caller may read, before any page of it is read. */
export interface Opened<Request> {
  /** The request, checked; of the window's own `cursor` and `limit` it says nothing. */
  readonly checked: Request;
  /** Where the window begins. */
  readonly from: Position;
  /** Largest number of items of one page. */
  readonly maxLimit: number;
  /** The connection of the window. */
  readonly connection: <T>(window: Window<T | Error>) => Connection<T>;
}

/**
 * Reads the page of a connection that `first` and `after` ask for.
 * @throws ServiceError of the operation, with its issues under the names of the GraphQL arguments
 */
export async function connect<Request extends ListRequest, Item>(
  context: GraphQLContext,
  request: ConnectionRequest<Request, Item>,
  load?: LoadPage<Request, Item>,
): Promise<Connection<Item>> {
  try {
    return await read(context, request, load);
  } catch (error) {
    throw error instanceof ServiceError ? issuesInGraphQL(error) : error;
  }
}

async function read<Request extends ListRequest, Item>(
  context: GraphQLContext,
  request: ConnectionRequest<Request, Item>,
  load: LoadPage<Request, Item> = (page) => request.operation.method(context.ports)(context, page),
): Promise<Connection<Item>> {
  const { checked, from, maxLimit, connection } = openConnection(context, request);
  const window = await readWindow((cursor, count) => load({ ...checked, cursor: cursor ?? undefined, limit: count }), {
    first: request.first,
    from,
    maxLimit,
  });
  return mapItems<Item, Item>(connection(window), (item) =>
    typeof item === 'object' && item !== null ? item : notAnObject(),
  );
}

/**
 * What is checked before a page is read: scope, then shape, then cursor.
 * @throws ServiceError of the operation, with its issues under the contract's names
 */
export function openConnection<Request, Item>(
  context: Pick<GraphQLContext, 'caller' | 'cursors'>,
  { operation, request, limits: { limit }, first, after, list }: ConnectionRequest<Request, Item>,
): Opened<Request> {
  authorize(operation, context.caller);
  const checked = operation.check({ ...request, limit: first });
  const scope = [context.caller.workspaceId, ...list];
  return {
    checked,
    from: openPosition(context, scope, after, operation.invalid),
    maxLimit: limit.max,
    connection: (window) => ({
      window,
      hasPreviousPage: after !== null && after !== undefined,
      cursorOf: sealOnce(({ cursor, offset }) => context.cursors.seal(scope, [cursor, offset])),
    }),
  };
}

/** A cursor is sealed once, however often an operation selects it. */
function sealOnce(seal: (position: Position) => string): (position: Position) => string {
  const sealed = new Map<Position, string>();
  return (position) => {
    const known = sealed.get(position);
    if (known !== undefined) return known;
    const cursor = seal(position);
    sealed.set(position, cursor);
    return cursor;
  };
}

/**
 * The connection with each item as its GraphQL type takes it.
 * @param show returns an Error for an item that cannot be shown: its node is null, and the rest of the page is unharmed
 */
export function mapItems<Item, Shown>(
  { window, ...connection }: Connection<Item>,
  show: (item: Item) => Shown | Error,
): Connection<Shown> {
  const items = window.items.map(({ node, after }) => ({ node: node instanceof Error ? node : show(node), after }));
  return { ...connection, window: { ...window, items } };
}

const notAnObject = () => new ServiceError('provider_error', { detail: 'An item of the list is not an object.' });

function openPosition(
  { cursors }: Pick<GraphQLContext, 'cursors'>,
  scope: CursorScope,
  after: string | null | undefined,
  invalid: ErrorName = 'invalid_parameters',
): Position {
  if (after === null || after === undefined) return startOfList;
  // The codec opens nothing that it did not seal: the payload is what `cursorOf` put in.
  const opened = cursors.open(scope, after) as [string | null, number] | undefined;
  if (opened !== undefined) return { cursor: opened[0], offset: opened[1] };
  const issue = { path: ['after'], message: 'is not a cursor of this list' };
  throw new ServiceError(invalid, { detail: 'after is not a cursor of this list', issues: [issue] });
}
