/** Relay connections over lists that have one cursor a page (see paging.ts). Forward only: the lists are. */
import type { OutputRef } from '@pothos/core';
import { type ErrorName, ServiceError } from '../errors.ts';
import { authorize, type Operation } from '../operation.ts';
import { type CursorScope, type Page, type Position, readWindow, startOfList, type Window } from '../paging.ts';
import { builder } from './builder.ts';
import { issuesInGraphQL } from './contract-mapping.ts';
import type { GraphQLContext } from './graphql-context.ts';

/** Some consecutive items of a list. An item that cannot be shown is an Error: its node is null, with the error at it. */
export interface Connection<T> {
  readonly window: Window<T | Error>;
  readonly hasPreviousPage: boolean;
  readonly cursorOf: (position: Position) => string;
}

interface Edge<T> {
  readonly node: T | Error;
  readonly after: Position;
  readonly connection: Connection<T>;
}

const PageInfo = builder.objectRef<Connection<unknown>>('PageInfo').implement({
  description: 'Where a page of a connection stands in its list.',
  fields: (t) => ({
    hasNextPage: t.boolean({ description: 'Whether more items follow.', resolve: ({ window }) => window.hasNextPage }),
    hasPreviousPage: t.boolean({
      description: 'Whether the page was read from the middle of the list. Lists are read forwards only.',
      resolve: ({ hasPreviousPage }) => hasPreviousPage,
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first edge; null where there is none.',
      resolve: ({ window: { items }, cursorOf }) => (items[0] === undefined ? null : cursorOf(items[0].after)),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Pass it as `after` to read the next page. Null where nothing was read.',
      resolve: ({ window: { end }, cursorOf }) => (end === null ? null : cursorOf(end)),
    }),
  }),
});

/** The connection type of `node`, and the edge type that goes with it: `PostConnection` and `PostEdge` for `Post`. */
export function connectionType<T>(name: string, node: OutputRef<T>, things: string) {
  const EdgeType = builder.objectRef<Edge<T>>(`${name}Edge`).implement({
    description: `One of the ${things} of a page, and its place in the list.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'Pass it as `after` to read on right behind this item.',
        resolve: ({ after, connection }) => connection.cursorOf(after),
      }),
      node: t.field({
        type: node,
        nullable: true,
        description: 'The item; null where it could not be read, with an error at its path.',
        resolve: (edge) => edge.node as never,
      }),
    }),
  });
  return builder.objectRef<Connection<T>>(`${name}Connection`).implement({
    description: `A page of ${things}.`,
    fields: (t) => ({
      edges: t.field({
        type: [EdgeType],
        description: 'The items with a cursor each.',
        complexity: { field: 1, multiplier: 1 },
        resolve: (connection) => connection.window.items.map((item) => ({ ...item, connection })),
      }),
      nodes: t.field({
        type: [node],
        nullable: { list: false, items: true },
        description: 'The items alone; null for one that could not be read, with an error at its path.',
        complexity: { field: 1, multiplier: 1 },
        resolve: (connection) => connection.window.items.map((item) => item.node) as never,
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where this page stands in the list.',
        resolve: (connection) => connection as Connection<unknown>,
      }),
    }),
  });
}

/** Bounds of the `first` argument, as a table of a capability states them. */
interface FirstLimits {
  readonly limit: { readonly min: number; readonly max: number; readonly default: number };
}

/** The arguments of a connection field, to be spread beside the field's own. */
export function connectionArgs({ limit }: FirstLimits, things: string) {
  return builder.args((t) => ({
    first: t.int({
      required: true,
      defaultValue: limit.default,
      description: `How many ${things} to read, from ${limit.min} to ${limit.max}.`,
    }),
    after: t.string({
      description: 'A cursor of this same list: the page starts right behind it. Leave it out for the first page.',
    }),
  }));
}

/** What a connection costs: its fields, for each item that it may have. */
export const connectionComplexity = (args: { readonly first?: number | null }) => ({
  field: 1,
  multiplier: Math.max(1, Math.min(args.first ?? 1, 250)),
});

interface ListRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface ConnectionRequest<Request, Item> {
  /** The operation that reads the list. Its scope and shape are checked once, whatever number of pages is read. */
  readonly operation: Operation<Request, Page<Item>>;
  /** The arguments that choose the list, in the contract's terms. Cursors are bound to them. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly limits: FirstLimits;
  readonly first: number;
  readonly after?: string | null | undefined;
  /** What the list is called, for its cursors to be bound to, with whatever its request does not say. */
  readonly list: CursorScope;
  /** Reads a page instead of the operation's own method: a loader that joins equal reads. */
  readonly load?: (request: Request) => Promise<Page<Item>>;
  /** The item, or why it cannot be shown: one odd item never costs the page. */
  readonly show?: (item: Item) => Item | Error;
}

/** Reads the page of a connection that `first` and `after` ask for. */
export async function connect<Request extends ListRequest, Item>(
  context: GraphQLContext,
  {
    operation,
    request,
    limits: { limit },
    first,
    after,
    list,
    load,
    show = (item) => item,
  }: ConnectionRequest<Request, Item>,
): Promise<Connection<Item>> {
  authorize(operation, context.caller);
  const checked = inGraphQL(() => operation.check({ ...request, limit: first }));
  const scope = [context.caller.workspaceId, ...list];
  const read = load ?? ((page: Request) => operation.method(context.ports)(context, page));
  const window = await readWindow(
    (cursor, count) =>
      read({ ...checked, cursor: cursor ?? undefined, limit: count }).catch((error: unknown) => {
        throw error instanceof ServiceError ? issuesInGraphQL(error, {}) : error;
      }),
    { first, from: openPosition(context, scope, after, operation.invalid), maxLimit: limit.max },
  );
  const node = (item: Item) => (typeof item === 'object' && item !== null ? show(item) : notAnObject());
  return {
    window: { ...window, items: window.items.map((item) => ({ node: node(item.node), after: item.after })) },
    hasPreviousPage: after !== null && after !== undefined,
    cursorOf: ({ cursor, offset }) => context.cursors.seal(scope, [cursor, offset]),
  };
}

/** Runs a check whose issues are then named as the GraphQL request names its arguments. */
function inGraphQL<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ServiceError ? issuesInGraphQL(error, {}) : error;
  }
}

const notAnObject = () => new ServiceError('provider_error', { detail: 'An item of the list is no object.' });

function openPosition(
  { cursors }: GraphQLContext,
  scope: CursorScope,
  after: string | null | undefined,
  invalid: ErrorName = 'invalid_parameters',
): Position {
  if (after === null || after === undefined) return startOfList;
  const opened = cursors.open(scope, after) as [string | null, number] | undefined;
  if (opened !== undefined) return { cursor: opened[0], offset: opened[1] };
  const issue = { path: ['after'], message: 'is not a cursor of this list' };
  throw new ServiceError(invalid, { detail: 'after is not a cursor of this list', issues: [issue] });
}
