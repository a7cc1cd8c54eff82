/**
 * What stands in `extensions` for readers of the schema that call no resolver: places of field values in the JSON of a
 * network, and fields that show the window of a list.
 */

import type { GraphQLAbstractType, GraphQLField, GraphQLObjectType } from 'graphql';
import type { Scope } from '../../kernel/caller.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import { globalId, type IdKind } from './global-ids.ts';
import { type OptionalValue, objectSent, type RequiredValue } from './network-values.ts';

export type WireValue =
  /**
   * The value under `exposed` of the object, or of its part `within`; null without the part. Callers without the scope
   * get another. With `emptyIsNull`, an empty list is null.
   */
  | { readonly exposed: string; readonly within?: string; readonly scope?: Scope; readonly emptyIsNull?: boolean }
  /** What `words` has for the first string of the list; null for any other, and for none. */
  | { readonly firstOf: string; readonly words: Readonly<Record<string, string>> }
  | { readonly present: string }
  | { readonly constant: string | boolean | null }
  /** The object under `part`; it inherits the account of its parent. */
  | { readonly part: string }
  /** A global id of the account, if the list is read with one, and raw ids. */
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

/** Any other string stands for no type. */
interface TypeTag {
  readonly key: string;
  readonly types: Readonly<Record<string, string>>;
}

/** For the `isTypeOf` of a type. @param object what all of its objects have under `object` */
export const isOf =
  <T extends { readonly object: string }>(object: T['object']) =>
  (value: unknown): value is T =>
    isObject(value) && value.object === object;

export const standsAt = (wire: WireValue) => ({ wire });

/** Options of a field with the global id of an object whose raw id is under `key`. */
export const globalIdAt = <Key extends string>(kind: IdKind, key: Key) => ({
  description: 'Global id.',
  extensions: standsAt({ globalId: kind, key }),
  resolve: (parent: Readonly<Record<Key, string>>) => globalId(kind, parent[key]),
});

/** For the `extensions` of an object type. @param name what all of its objects have under `object`, as its `isTypeOf` demands */
export const namedBy = (name: string) => ({ object: name });

export const nameOf = ({ extensions }: GraphQLObjectType): string | undefined =>
  extensions.object as string | undefined;

/** For the `extensions` of a union or interface. @param tag called when the schema is complete */
export const taggedBy = (tag: () => TypeTag) => ({ tag });

export function wireOf({ extensions }: GraphQLField<unknown, unknown>): WireValue | undefined {
  const exposed = extensions.pothosExposedField as string | undefined;
  return (extensions.wire as WireValue | undefined) ?? (exposed === undefined ? undefined : { exposed });
}

export const tagOf = ({ extensions }: GraphQLAbstractType): TypeTag | undefined =>
  (extensions.tag as (() => TypeTag) | undefined)?.();

/** Whether the contract requires the field. */
export const isRequired = ({ extensions }: GraphQLField<unknown, unknown>): boolean => extensions.required === true;

/** How a field of a connection, or of its edges, shows the list's window, or that it counts the whole list. */
type Shows = 'items' | 'edges' | 'item' | 'size';

export const shows = (window: Shows) => ({ window });

export const shownBy = ({ extensions }: GraphQLField<unknown, unknown>): Shows | undefined =>
  extensions.window as Shows | undefined;

/** A value that depends on scopes, or is null for an empty list, has a resolver of its own. */
type PlainValue = Exclude<WireValue, { readonly part: string } | { readonly globalId: string }> & {
  readonly scope?: never;
  readonly emptyIsNull?: never;
};

/** Options of a field with the value at `wire`: one declaration gives resolver and extension, so that they agree. */
export function readAt<Value>(wire: PlainValue, need: RequiredValue | OptionalValue) {
  return {
    ...need,
    extensions: { ...need.extensions, ...standsAt(wire) },
    // network-values.ts and the scalar check the value.
    resolve: (parent: object) => wireValueOf(parent, wire) as Value | null | undefined,
  };
}

function wireValueOf(parent: object, wire: PlainValue): unknown {
  if ('constant' in wire) return wire.constant;
  if ('present' in wire) return (Reflect.get(parent, wire.present) ?? null) !== null;
  if ('firstOf' in wire) return firstOf(Reflect.get(parent, wire.firstOf), wire.words);
  const holder: unknown = wire.within === undefined ? parent : (Reflect.get(parent, wire.within) ?? null);
  return holder === null ? undefined : Reflect.get(objectSent(holder), wire.exposed);
}

function firstOf(list: unknown, words: Readonly<Record<string, string>>): string | null {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return typeof first === 'string' && Object.hasOwn(words, first) ? (words[first] ?? null) : null;
}
