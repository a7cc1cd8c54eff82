/** Connections with `totalCount`. */
import type { OutputRef } from '@pothos/core';
import type { PageSource } from '../../kernel/page-source.ts';
import type { CursorScope, ListSize, Page } from '../../kernel/paging.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Need } from '../../kernel/set-up.ts';
import { maxTotalCount } from '../../kernel/validation.ts';
import { readsSize } from '../cost/weights.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { builder } from './builder.ts';
import {
  type Connection,
  type ConnectionOptions,
  type ConnectionRequest,
  connectionType,
  type ListRequest,
  readConnection,
} from './connection.ts';
import { toSnakeCase } from './contract-mapping.ts';
import { nullMeansError } from './semantic-nullability.ts';
import type { ListSource } from './source.ts';
import { shows } from './wire.ts';

interface CountedConnection<T> extends Connection<T> {
  /** Counts once, however many fields ask. */
  readonly size: () => Promise<ListSize> | ListSize;
}

export function countedConnectionType<T extends object>(
  name: string,
  item: OutputRef<T>,
  things: string,
  { countsNeed, ...options }: ConnectionOptions & { readonly countsNeed?: Need } = {},
) {
  const type = connectionType<T, CountedConnection<T>>(name, item, things, options);
  const extensions = { ...readsSize, ...nullMeansError, ...shows('size') };
  builder.objectFields(type, (t) => ({
    totalCount: t.int({
      nullable: true,
      description: `Items in all, counted up to ${maxTotalCount}.`,
      ...(countsNeed && { needs: countsNeed }),
      extensions,
      resolve: async ({ size }) => (await size()).count,
    }),
    isTotalCountExact: t.boolean({
      nullable: true,
      description: 'False if `totalCount` is only a lower bound.',
      ...(countsNeed && { needs: countsNeed }),
      extensions,
      resolve: async ({ size }) => (await size()).isExact,
    }),
  }));
  return type;
}

type CamelCase<Name> = Name extends `${infer Word}_${infer Others}` ? `${Word}${Capitalize<CamelCase<Others>>}` : Name;

/** Arguments of a field: the names of the request in camelCase, and those of a connection. Null is as good as none. */
type ListArguments<Request> = {
  readonly [Name in keyof Omit<Request, keyof ListRequest> as CamelCase<Name>]?: Request[Name] | null | undefined;
} & Pick<ConnectionRequest<Request, unknown>, 'first' | 'after'>;

interface CountedList<Request extends ListRequest, Item>
  extends Pick<ConnectionRequest<Request, Item>, 'operation' | 'limits'> {
  /** Binds its cursors, with the API key, as a key that is limited to accounts has lists of its own. */
  readonly name: string;
  readonly scope: (request: Request) => CursorScope;
  /** Joins reads. By default, the operation's. */
  readonly load?: (request: Request, context: GraphQLContext) => Promise<Page<Item>>;
  readonly count: (filter: Omit<Request, keyof ListRequest | 'order_by'>, context: GraphQLContext) => Promise<ListSize>;
}

/** @returns the request for a list, by the arguments of its field */
export const requestFor =
  <Request extends ListRequest, Item>({
    operation,
    limits,
    name,
    scope,
  }: Pick<CountedList<Request, Item>, 'operation' | 'limits' | 'name' | 'scope'>) =>
  (
    { first, after, ...args }: ListArguments<Request>,
    { caller }: Pick<GraphQLContext, 'caller'>,
  ): ConnectionRequest<Request, Item> => {
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
    const request = toSnakeCase(given);
    // The shapes of the operations check what the types do not.
    const list = [name, caller.keyId, ...scope(request as Request)];
    return { operation, request, limits, list, first, after };
  };

/** A list of the workspace, as compiled operations read it. */
export const countedListSource = <Request extends ListRequest, Item>(
  list: Parameters<typeof requestFor<Request, Item>>[0],
  pages: (ports: Ports) => PageSource<Request, Page<Item>> | undefined,
): ListSource<ListArguments<Request>, Request, Item, Page<Item>> => ({
  operation: list.operation,
  connection: requestFor(list),
  account: () => null,
  pages,
});

/** @returns what a field reads its list with */
export function countedList<Request extends ListRequest, Item>(list: CountedList<Request, Item>) {
  const { load, count } = list;
  const requestOf = requestFor(list);
  return async (context: GraphQLContext, args: ListArguments<Request>): Promise<CountedConnection<Item>> => {
    const wanted = requestOf(args, context);
    const connection = await readConnection(context, wanted, load && ((page) => load(page, context)));
    const filter: Record<string, unknown> = { ...wanted.request };
    delete filter.order_by;
    let counted: Promise<ListSize> | undefined;
    const size = () => {
      counted ??= count(filter as Request, context);
      return counted;
    };
    return { ...connection, size };
  };
}
