/** What can be read as JSON: a field with a source in its `extensions` is compiled (executors/compiled). */
import type { GraphQLField } from 'graphql';
import type { PageSource } from '../../kernel/page-source.ts';
import type { Page } from '../../kernel/paging.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import type { ConnectionRequest } from './connection.ts';
import type { Run } from './needs.ts';

/** Reads the list of a connection field. `Args` are coerced arguments. */
export interface ListSource<Args, Request, Item, Read extends Page<Item>> {
  readonly operation: Run;
  readonly connection: (args: Args, context: Pick<GraphQLContext, 'caller'>) => ConnectionRequest<Request, Item>;
  /** That the list is read with, and that global ids of its items have. Null for a list of the workspace. */
  readonly account: (args: Args) => string | null;
  /** Undefined for a backend that has no JSON of it. */
  readonly pages: (ports: Ports) => PageSource<Request, Read> | undefined;
}

/** Finds the object of a field, as a page of one or none. */
export interface ItemSource<Args> {
  /** Whose scope the caller needs. */
  readonly operation: Run;
  readonly id: (args: Args) => string;
  readonly pages: (ports: Ports) => PageSource<string, Page<unknown>> | undefined;
}

export type AnyListSource = ListSource<unknown, object, unknown, Page<unknown>>;
export type AnyItemSource = ItemSource<unknown>;
export type AnySource = AnyListSource | AnyItemSource;

/** Arguments of what is read within a list, which the object above it gives: names of arguments, with keys of the object. */
export interface GivenArguments<Name extends string = string> {
  /** The account that the object was read with, if the list takes one. */
  readonly account?: Name;
  readonly ids: { readonly [Argument in Name]?: string };
  /** Given where they are true. */
  readonly flags?: { readonly [Argument in Name]?: string };
  /** A key of the object; without a value there, the field is null. */
  readonly unless?: string;
}

/** @param given for a field of an object that has its own source, or that of a list */
export const readsFrom = <Args, Request, Item, Read extends Page<Item>>(
  source: ListSource<Args, Request, Item, Read> | ItemSource<Args>,
  given?: GivenArguments<string & keyof Args>,
) => ({ source, given });

export const sourceOf = ({ extensions }: GraphQLField<unknown, unknown>): AnySource | undefined =>
  // Only the function above writes this extension, with a source of the field's arguments.
  extensions.source as AnySource | undefined;

export const givenArgumentsOf = ({ extensions }: GraphQLField<unknown, unknown>): GivenArguments | undefined =>
  extensions.given as GivenArguments | undefined;
