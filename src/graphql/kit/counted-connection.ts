/** Connections with `totalCount`, an error in proxy mode: the contract counts no list. */
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
  connectionType,
  type ListRequest,
  readConnection,
} from './connection.ts';
import { nullMeansError } from './null-means-error.ts';

export interface CountedConnection<T> extends Connection<T> {
  readonly count: () => Promise<number> | number;
}

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
      description: `Number of ${things} in the whole list, whatever the page. Counting ends at ${maxTotalCount}, which then stands for any larger number. Embedded mode only.`,
      extensions: { ...readsSize, ...nullMeansError },
      resolve: ({ count }) => count(),
    }),
  );
  return type;
}

interface CountedSource<Request, Item> {
  /** A loader that joins reads. */
  readonly load: (request: Request) => Promise<Page<Item>>;
  readonly count: () => Promise<number> | number;
}

export async function connectCounted<Request extends ListRequest, Item>(
  context: GraphQLContext,
  request: ConnectionRequest<Request, Item>,
  { load, count }: CountedSource<Request, Item>,
): Promise<CountedConnection<Item>> {
  return { ...(await readConnection(context, request, load)), count };
}
