/**
 * Lists that can be read as bytes. A connection field that has one in its `extensions` can be executed over the page as
 * the service sent it (see compiled/): the field's resolver and the compiled path share every step but the items.
 */
import type { GraphQLField } from 'graphql';
import type { PageSource } from '../../kernel/page-source.ts';
import type { Page } from '../../kernel/paging.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Connection, ConnectionRequest } from './connection.ts';

/** How a connection field reads its list. `Args` are the field's arguments, coerced. */
export interface ListSource<Args, Request, Item, Read extends Page<Item>> {
  /** The list and the window of it that the arguments ask for. */
  readonly connection: (args: Args) => ConnectionRequest<Request, Item>;
  /** The account that the items are read with. */
  readonly account: (args: Args) => string;
  /** Where pages come from as bytes; undefined where a backend has no bytes. */
  readonly bytes: (ports: Ports) => PageSource<Request, Read> | undefined;
  /** The value of the field, from its connection and the page that was read last for it. */
  readonly value: <T>(connection: Connection<T>, page: Read) => Connection<T>;
}

/** A list source for code that passes arguments and requests on without looking into them. */
export type AnyListSource = ListSource<unknown, object, unknown, Page<unknown>>;

/** For the `extensions` of a connection field. */
export const readsFrom = <Args, Request, Item, Read extends Page<Item>>(
  source: ListSource<Args, Request, Item, Read>,
) => ({ list: source });

/** The list that a field reads; undefined for a field that cannot read one as bytes. */
export const listSourceOf = ({ extensions }: GraphQLField<unknown, unknown>): AnyListSource | undefined =>
  // Nothing else writes this extension, and the field's arguments are those that its source takes.
  extensions.list as AnyListSource | undefined;
