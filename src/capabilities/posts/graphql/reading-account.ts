/**
 * The account that a post was read with: ids and the author's posts depend on it, but posts keep the wire shape, so it
 * is no property. Parts of a post inherit it.
 *
 * Only this file produces `ReadWith`, so exposing an author without {@link partField} does not compile.
 */
import { hash } from 'node:crypto';
import type { FieldRef, ObjectRef } from '@pothos/core';
import type { SchemaTypes } from '../../../graphql/kit/builder.ts';
import { globalId, type IdKind } from '../../../graphql/kit/global-ids.ts';
import type { OptionalValue, RequiredValue } from '../../../graphql/kit/network-values.ts';
import { type OwnedBy, type RawIds, type RawIdsOfKind, standsAt } from '../../../graphql/kit/wire.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/lib/objects.ts';

export type Fields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Parent>;

declare const account: unique symbol;

export type ReadWith<T> = T & { readonly [account]: never };

const accounts = new WeakMap<object, string>();

/** Replaces the account recorded before. */
export function readWith<T extends object>(value: T, accountId: string): ReadWith<T> {
  accounts.set(value, accountId);
  return value as ReadWith<T>;
}

/** A missing account is our bug, and so `unexpected_error`. */
export function accountOf(value: ReadWith<object>): string {
  const accountId = accounts.get(value);
  if (accountId === undefined) throw new Error('An object of a post has no account: was it read through partField?');
  return accountId;
}

type Need<Value> = undefined extends Value ? OptionalValue : RequiredValue;

/** A field for the object under `key`, read with the parent's account; odd values as in network-values.ts. */
export function partField<Parent extends ReadWith<object>, Key extends string & keyof Parent>(
  t: Fields<Parent>,
  key: Key,
  {
    type: of,
    description,
    nullable,
    extensions,
  }: {
    readonly type: ObjectRef<SchemaTypes, ReadWith<NonNullable<Parent[Key]>>>;
  } & Need<Parent[Key]>,
): FieldRef<SchemaTypes> {
  const type: ObjectRef<SchemaTypes, ReadWith<object>> = of;
  return t.field({
    type,
    description,
    nullable,
    extensions: { ...extensions, ...standsAt({ part: key }) },
    resolve: (parent) => {
      const part: unknown = parent[key];
      if (part === undefined || part === null) return null;
      return isObject(part) ? readWith(part, accountOf(parent)) : refusePart();
    },
  });
}

function refusePart(): never {
  throw new ServiceError('provider_error', { detail: 'A part of the post is not an object.' });
}

/**
 * The field `id`: global, scoped to the reading account, and never null, as caches rely on it: of an object without a
 * raw id it hashes all that was sent, so that different objects never share one.
 */
export function globalIdField<Parent extends ReadWith<object>>(
  t: Fields<Parent>,
  { kind, ...ids }: IdOfPart<Parent>,
): FieldRef<SchemaTypes> {
  return t.id({
    description: 'Global id for the reading account.',
    extensions: standsAt({ globalId: kind, ...ids }),
    resolve: (parent) => globalId(kind, accountOf(parent), ...(rawIdsOf(parent, ids) ?? ['', digestOf(parent)])),
  });
}

interface IdOfPart<Parent> extends RawIdsOf<Parent> {
  readonly kind: IdKind;
}

export interface RawIdsOf<Parent> extends RawIdsOfOne<Parent> {
  readonly preferred?: Required<RawIdsOfOne<Parent>>;
}

interface RawIdsOfOne<Parent> extends RawIds {
  readonly key: string & keyof Parent;
  /** The owner of the list in which the post is found again. */
  readonly ownedBy?: OwnedBy & { readonly object: string & keyof Parent };
}

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

const digestOf = (value: object): string => hash('sha256', JSON.stringify(value), 'base64url');

/** @throws ServiceError `provider_error` when the provider sent no id */
export function requireRawId(id: unknown): string {
  if (isRawId(id)) return String(id);
  throw new ServiceError('provider_error', { detail: 'A part of the post has no id.' });
}
