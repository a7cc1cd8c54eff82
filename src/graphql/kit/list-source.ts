/** Lists that can be read as bytes: a field with one in its `extensions` is compiled (executors/compiled). */
import type { GraphQLField } from 'graphql';
import type { PageSource } from '../../kernel/page-source.ts';
import type { Page } from '../../kernel/paging.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import type { Connection, ConnectionRequest } from './connection.ts';

/** Reads the list of a connection field. `Args` are coerced arguments. */
export interface ListSource<Args, Request, Item, Read extends Page<Item>> {
  readonly connection: (args: Args, context: Pick<GraphQLContext, 'caller'>) => ConnectionRequest<Request, Item>;
  /** That the list is read with, and that global ids of its items have. Null for a list of the workspace. */
  readonly account: (args: Args) => string | null;
  /** Undefined for a backend without bytes. */
  readonly bytes: (ports: Ports) => PageSource<Request, Read> | undefined;
  readonly value: <T>(connection: Connection<T>, page: Read) => Connection<T>;
}

export type AnyListSource = ListSource<unknown, object, unknown, Page<unknown>>;

/** Arguments of a list within a list, which the object above it gives: names of arguments, with keys of the object. */
export interface GivenArguments<Name extends string = string> {
  /** The account that the object was read with. */
  readonly account: Name;
  /** Raw ids. */
  readonly ids: { readonly [Argument in Name]?: string };
  /** Given where they are true. */
  readonly flags: { readonly [Argument in Name]?: string };
}

/** @param given for a field of an object that was read from a list of the same source */
export const readsFrom = <Args, Request, Item, Read extends Page<Item>>(
  source: ListSource<Args, Request, Item, Read>,
  given?: GivenArguments<string & keyof Args>,
) => ({ list: source, given });

export const listSourceOf = ({ extensions }: GraphQLField<unknown, unknown>): AnyListSource | undefined =>
  // Only {@link readsFrom} writes this extension, with a source of the field's arguments.
  extensions.list as AnyListSource | undefined;

export const givenArgumentsOf = ({ extensions }: GraphQLField<unknown, unknown>): GivenArguments | undefined =>
  extensions.given as GivenArguments | undefined;
