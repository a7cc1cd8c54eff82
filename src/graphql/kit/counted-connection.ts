/**
 * Connections that know the size of their list. Only a list that our own database holds has one: the contract counts none, and
 * a network says at most how many items a page has. So the lists of a network have no `totalCount`, and in front of a service
 * every `totalCount` is an error, at its own path.
 */
import type { OutputRef } from '@pothos/core';
import type { Page } from '../../kernel/paging.ts';
import { maxTotalCount } from '../../kernel/validation.ts';
import { readsSize } from '../cost/weights.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { builder } from './builder.ts';
import {
  type Connection,
  type ConnectionOptions,
  type ConnectionRequest,
  connect,
  connectionType,
  type ListRequest,
} from './connection.ts';
import { nullMeansError } from './null-means-error.ts';

export interface CountedConnection<T> extends Connection<T> {
  /** The number of items of the whole list. */
  readonly count: () => Promise<number> | number;
}

/** The connection type of an item as {@link connectionType}, with `totalCount`. */
export function countedConnectionType<T extends object>(
  name: string,
  item: OutputRef<T>,
  things: string,
  options: ConnectionOptions = {},
) {
  const type = connectionType<T, CountedConnection<T>>(name, item, things, options);
  builder.objectField(type, 'totalCount', (t) =>
    t.int({
      nullable: true,
      description: `Number of ${things} in the whole list, whatever the page. Counting ends at ${maxTotalCount}, which then stands for any larger number. Embedded backend only.`,
      extensions: { ...readsSize, ...nullMeansError },
      resolve: ({ count }) => count(),
    }),
  );
  return type;
}

/** How a list is read and counted. */
interface CountedSource<Request, Item> {
  /** Reads a page: a loader that joins reads. */
  readonly load: (request: Request) => Promise<Page<Item>>;
  /** Counts the items of the list, once it is asked for. */
  readonly count: () => Promise<number> | number;
}

/**
 * Reads the page of a connection as {@link connect}.
 * @throws ServiceError of the operation, with its issues under the names of the GraphQL arguments
 */
export async function connectCounted<Request extends ListRequest, Item>(
  context: GraphQLContext,
  request: ConnectionRequest<Request, Item>,
  { load, count }: CountedSource<Request, Item>,
): Promise<CountedConnection<Item>> {
  return { ...(await connect(context, request, load)), count };
}
