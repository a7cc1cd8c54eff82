/**
 * The account that a post was read with. Posts keep the wire shape, so the account cannot be one of their properties;
 * but ids depend on it, and so do the posts of an author. Each part of a post inherits the account of its parent.
 *
 * `ReadWith` is a type that only this file produces. A field that exposes an author without {@link partField} does not
 * compile.
 */
import type { FieldRef, ObjectRef } from '@pothos/core';
import { ServiceError } from '../../errors.ts';
import type { builder } from '../../graphql/builder.ts';
import { globalId, type IdKind } from '../../graphql/node.ts';

type Types = (typeof builder)['$inferSchemaTypes'];
type Fields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>;

declare const account: unique symbol;

/** An object in the wire shape whose account is known. */
export type ReadWith<T> = T & { readonly [account]: never };

/**
 * What a field says about itself, in its `extensions.wire`: where its value is in the wire shape. Fields made with
 * `t.expose` say the same in Pothos' `pothosExposedField`. A reader of the schema need not call a resolver to know it.
 */
export type WireValue =
  /** The object under `key`; it inherits the account of its parent. */
  | { readonly part: string }
  /** A global id made of the account and of the raw id under `key`. */
  | { readonly globalId: IdKind; readonly key: string };

const declared = (wire: WireValue) => ({ extensions: { wire } });

const accounts = new WeakMap<object, string>();

/** Records that `value` was read with the account, in the place of any account recorded before. */
export function readWith<T extends object>(value: T, accountId: string): ReadWith<T> {
  accounts.set(value, accountId);
  return value as ReadWith<T>;
}

/** The account that `value` was read with. A value without one is our bug, so that it is `unexpected_error`. */
export function accountOf(value: ReadWith<object>): string {
  const accountId = accounts.get(value);
  if (accountId === undefined) throw new Error('An object of a post has no account: was it read through partField?');
  return accountId;
}

/** A key that the contract makes optional gives a nullable field. */
type Nullability<Value> = undefined extends Value ? { readonly nullable: true } : { readonly nullable?: false };

/**
 * A field for the object that the parent has under `key`, read with the same account.
 * @throws ServiceError `provider_error` when the part is not an object: a provider may send anything
 */
export function partField<Parent extends ReadWith<object>, Key extends string & keyof Parent>(
  t: Fields<Parent>,
  key: Key,
  options: {
    readonly type: ObjectRef<Types, ReadWith<NonNullable<Parent[Key]>>>;
    readonly description: string;
  } & Nullability<Parent[Key]>,
): FieldRef<Types> {
  const type: ObjectRef<Types, ReadWith<object>> = options.type;
  const field = { type, description: options.description, ...declared({ part: key }) };
  return options.nullable
    ? t.field({ ...field, nullable: true, resolve: (parent) => inherit(parent, parent[key]) })
    : t.field({ ...field, resolve: (parent) => inherit(parent, parent[key]) ?? notAnObject() });
}

function inherit(parent: ReadWith<object>, part: unknown): ReadWith<object> | null {
  if (part === undefined || part === null) return null;
  return typeof part === 'object' ? readWith(part, accountOf(parent)) : notAnObject();
}

function notAnObject(): never {
  throw new ServiceError('provider_error', { detail: 'A part of the post is not an object.' });
}

/** The field `id` of an object of a post: global, and scoped to the account that the object was read with. */
export function globalIdField<Parent extends ReadWith<object>, Key extends string & keyof Parent>(
  t: Fields<Parent>,
  kind: IdKind,
  key: Key,
): FieldRef<Types> {
  return t.id({
    description: 'Global id, scoped to the account that reads: accounts may see the same thing differently.',
    ...declared({ globalId: kind, key }),
    resolve: (parent) => globalId(kind, accountOf(parent), rawId(parent[key])),
  });
}

function rawId(id: unknown): string {
  if (typeof id === 'string' || typeof id === 'number') return String(id);
  throw new ServiceError('provider_error', { detail: 'A part of the post has no id.' });
}
