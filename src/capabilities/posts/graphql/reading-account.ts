/**
 * The account that a post was read with. Posts keep the wire shape, so the account cannot be one of their properties;
 * but ids depend on it, and so do the posts of an author. Each part of a post inherits the account of its parent.
 *
 * `ReadWith` is a type that only this file produces. A field that exposes an author without {@link partField} does not
 * compile.
 */
import { createHash } from 'node:crypto';
import type { FieldRef, ObjectRef } from '@pothos/core';
import type { builder } from '../../../graphql/kit/builder.ts';
import { isObject, type OptionalValue, type RequiredValue } from '../../../graphql/kit/network-values.ts';
import { globalId, type IdKind } from '../../../graphql/kit/node.ts';
import { type OwnedBy, type RawIds, type RawIdsOfKind, standsAt } from '../../../graphql/kit/wire.ts';
import { ServiceError } from '../../../kernel/errors.ts';

type Types = (typeof builder)['$inferSchemaTypes'];
type Fields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>;

declare const account: unique symbol;

/** An object in the wire shape whose account is known. */
export type ReadWith<T> = T & { readonly [account]: never };

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

/** What the contract says of the key. */
type Need<Value> = undefined extends Value ? OptionalValue : RequiredValue;

/**
 * A field for the object that the parent has under `key`, read with the same account. What a provider sends in its place
 * is handled as in any other field that is read from a network (see network-values.ts).
 */
export function partField<Parent extends ReadWith<object>, Key extends string & keyof Parent>(
  t: Fields<Parent>,
  key: Key,
  {
    type: of,
    description,
    nullable,
    extensions,
  }: {
    readonly type: ObjectRef<Types, ReadWith<NonNullable<Parent[Key]>>>;
  } & Need<Parent[Key]>,
): FieldRef<Types> {
  const type: ObjectRef<Types, ReadWith<object>> = of;
  return t.field({
    type,
    description,
    nullable,
    extensions: { ...extensions, ...standsAt({ part: key }) },
    resolve: (parent) => {
      const part: unknown = parent[key];
      if (part === undefined || part === null) return null;
      return isObject(part) ? readWith(part, accountOf(parent)) : notAnObject();
    },
  });
}

function notAnObject(): never {
  throw new ServiceError('provider_error', { detail: 'A part of the post is not an object.' });
}

/**
 * The field `id` of an object of a post: global, and scoped to the account that the object was read with. It is the one
 * field of such an object that is never null. Caches rely on it, and its value is ours: for an object that was sent
 * without a raw id it is made of all that was sent, so that no two objects that differ share one.
 */
export function globalIdField<Parent extends ReadWith<object>>(
  t: Fields<Parent>,
  { kind, ...ids }: IdOfPart<Parent>,
): FieldRef<Types> {
  return t.id({
    description: 'Global id, scoped to the account that reads: accounts may see the same thing differently.',
    extensions: standsAt({ globalId: kind, ...ids }),
    resolve: (parent) => globalId(kind, accountOf(parent), ...(rawIdsOf(parent, ids) ?? ['', digest(parent)])),
  });
}

/** What the id of an object of a post is made of, beside the account. */
interface IdOfPart<Parent> extends RawIdsOf<Parent> {
  readonly kind: IdKind;
}

export interface RawIdsOf<Parent> extends RawIdsOfOne<Parent> {
  readonly preferred?: Required<RawIdsOfOne<Parent>>;
}

interface RawIdsOfOne<Parent> extends RawIds {
  readonly key: string & keyof Parent;
  /** Whose list the post is found in again. */
  readonly ownedBy?: OwnedBy & { readonly object: string & keyof Parent };
}

/** The raw ids that the id of an object is made of; null for an object that was sent without. */
export function rawIdsOf(object: object, { preferred, ...ids }: RawIdsOfKind): readonly string[] | null {
  const better = preferred && rawIdsAt(object, preferred);
  return better?.length === 2 ? better : rawIdsAt(object, ids);
}

function rawIdsAt(object: object, { ownedBy, key }: RawIds): readonly string[] | null {
  const raw: unknown = Reflect.get(object, key);
  if (!isRawId(raw)) return null;
  const owner: unknown = ownedBy && Reflect.get(object, ownedBy.object);
  const ownerId: unknown = ownedBy && isObject(owner) ? Reflect.get(owner, ownedBy.key) : undefined;
  return isRawId(ownerId) ? [String(ownerId), String(raw)] : [String(raw)];
}

const isRawId = (id: unknown): id is string | number => typeof id === 'string' || typeof id === 'number';

const digest = (value: object): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/**
 * A raw id to read more with.
 * @throws ServiceError `provider_error` when the provider sent none
 */
export function rawId(id: unknown): string {
  if (isRawId(id)) return String(id);
  throw new ServiceError('provider_error', { detail: 'A part of the post has no id.' });
}
