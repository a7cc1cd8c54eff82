/**
 * Where the values of fields stand in the wire shape: the JSON that a network or a service sends. A field says it beside
 * its resolver, in its `extensions`, so that a reader of the schema can follow the field without calling the resolver.
 * Fields made with `t.expose` say the same in Pothos' `pothosExposedField`.
 */
import type { GraphQLAbstractType, GraphQLField } from 'graphql';
import type { IdKind } from './node.ts';

export type WireValue =
  /** The value under `exposed`: of the object itself, or of its part `within`, null without the part. */
  | { readonly exposed: string; readonly within?: string }
  /** Whether there is a value under `present`. */
  | { readonly present: string }
  /** The same for every object. */
  | { readonly constant: string | boolean | null }
  /** The object under `part`; it inherits the account of its parent. */
  | { readonly part: string }
  /** A global id made of the account and of raw ids. */
  | ({ readonly globalId: IdKind } & RawIdsOfKind);

export interface RawIdsOfKind extends RawIds {
  /** In their place, if the object has them. */
  readonly preferred?: (RawIds & { readonly ownedBy: OwnedBy }) | undefined;
}

/** The raw id of an object under `key`, and before it that of the part `ownedBy`, if there is one. */
export interface RawIds {
  readonly ownedBy?: OwnedBy | undefined;
  readonly key: string;
}

/** The part of an object that says whose it is, and the key of its raw id. */
export interface OwnedBy {
  readonly object: string;
  readonly key: string;
}

/** How the type of an object follows from one of its values. */
export interface TypeTag {
  readonly key: string;
  /** The names of the object types, by the string under the key. */
  readonly types: Readonly<Record<string, string>>;
  /** For any other string; null where it has no type. */
  readonly otherwise: string | null;
}

/** For the `extensions` of a field. */
export const standsAt = (wire: WireValue) => ({ wire });

/** For the `extensions` of a union or interface. @param tag called when the schema is complete */
export const taggedBy = (tag: () => TypeTag) => ({ tag });

/** Where a field's value stands; undefined for a field that only its resolver knows. */
export function wireOf({ extensions }: GraphQLField<unknown, unknown>): WireValue | undefined {
  // Nothing else writes these extensions.
  const exposed = extensions.pothosExposedField as string | undefined;
  return (extensions.wire as WireValue | undefined) ?? (exposed === undefined ? undefined : { exposed });
}

/** How a type tells its objects apart; undefined if it does not say. */
export const tagOf = ({ extensions }: GraphQLAbstractType): TypeTag | undefined =>
  // Nothing else writes this extension.
  (extensions.tag as (() => TypeTag) | undefined)?.();

/** Whether the contract requires a field of the network; undefined for a field that is not read from one. */
export const isRequired = ({ extensions }: GraphQLField<unknown, unknown>): boolean | undefined =>
  // Only network-values.ts writes this extension.
  extensions.required as boolean | undefined;
