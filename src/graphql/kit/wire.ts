/**
 * Places of field values in the JSON of a network, in `extensions`, for readers of the schema that call no resolver.
 */
import type { GraphQLAbstractType, GraphQLField } from 'graphql';
import type { IdKind } from './node.ts';

export type WireValue =
  /** The value under `exposed` of the object, or of its part `within`; null without the part. */
  | { readonly exposed: string; readonly within?: string }
  | { readonly present: string }
  | { readonly constant: string | boolean | null }
  /** The object under `part`; it inherits the account of its parent. */
  | { readonly part: string }
  /** A global id of the account and raw ids. */
  | ({ readonly globalId: IdKind } & RawIdsOfKind);

export interface RawIdsOfKind extends RawIds {
  /** Used instead, if the object has them. */
  readonly preferred?: (RawIds & { readonly ownedBy: OwnedBy }) | undefined;
}

/** The raw id under `key`, preceded by that of the part `ownedBy`, if any. */
export interface RawIds {
  readonly ownedBy?: OwnedBy | undefined;
  readonly key: string;
}

/** The part that names the owner, and the key of its raw id. */
export interface OwnedBy {
  readonly object: string;
  readonly key: string;
}

export interface TypeTag {
  readonly key: string;
  readonly types: Readonly<Record<string, string>>;
  /** For any other string; null: no type. */
  readonly otherwise: string | null;
}

export const standsAt = (wire: WireValue) => ({ wire });

/** For the `extensions` of a union or interface. @param tag called when the schema is complete */
export const taggedBy = (tag: () => TypeTag) => ({ tag });

export function wireOf({ extensions }: GraphQLField<unknown, unknown>): WireValue | undefined {
  const exposed = extensions.pothosExposedField as string | undefined;
  return (extensions.wire as WireValue | undefined) ?? (exposed === undefined ? undefined : { exposed });
}

export const tagOf = ({ extensions }: GraphQLAbstractType): TypeTag | undefined =>
  (extensions.tag as (() => TypeTag) | undefined)?.();

/** Whether the contract requires the field; undefined for a field not read from a network. */
export const isRequired = ({ extensions }: GraphQLField<unknown, unknown>): boolean | undefined =>
  extensions.required as boolean | undefined;
