/**
 * What a network or a service sends is read field by field, and what is missing or odd costs the field that it stands
 * in, never what stands around it. So every field that is read from a network is nullable:
 *
 * | The contract says | The network sends | The field is |
 * |---|---|---|
 * | required | nothing, or null | null, with an error at its path |
 * | optional | nothing, or null | null |
 * | a time | text or a number that stands for none (see date-time.ts) | null, with an error at its path, whose `extensions.value` is what was sent |
 * | a number | anything else | null, with an error at its path |
 * | an object | anything else | null, with an error at its path |
 * | a list of objects | anything else | null, with an error at its path |
 * | a list of objects | an entry that is no object | null in the place of the entry, with an error at its path |
 *
 * The price is that clients must expect null where the contract promises a value. The alternative is dearer: null in the
 * place of a non-null field takes the object that has the field, and one image without its size would take the post.
 * `@semanticNonNull` says of a required field that null comes with an error (see semantic-nullability.ts), so that the two
 * kinds of null can be told apart.
 */
import {
  type GraphQLField,
  GraphQLFloat,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
} from 'graphql';
import { ServiceError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import { fieldsOf } from './schema-fields.ts';

interface NetworkValue<Required extends boolean, Nullable> {
  readonly nullable: Nullable;
  readonly description: string;
  readonly extensions: { readonly required: Required };
}

export type RequiredValue = NetworkValue<true, true>;
export type OptionalValue = NetworkValue<false, true>;

export const required = (description: string): RequiredValue => ({
  nullable: true,
  description,
  extensions: { required: true },
});

export const requiredList = (
  description: string,
  extensions: object = {},
): NetworkValue<true, { readonly list: true; readonly items: true }> => ({
  nullable: { list: true, items: true },
  description,
  extensions: { ...extensions, required: true },
});

export const optional = (description: string, extensions: object = {}): OptionalValue => ({
  nullable: true,
  description,
  extensions: { ...extensions, required: false },
});

export function readNetworkValues(schema: GraphQLSchema): GraphQLSchema {
  for (const { field } of fieldsOf(schema)) if (field.extensions.required !== undefined) wrap(field);
  return schema;
}

function wrap(field: GraphQLField<unknown, unknown>): void {
  const { name, resolve } = field;
  const check = checkOf(field);
  field.resolve =
    resolve === undefined
      ? (parent) => check((parent as Readonly<Record<string, unknown>>)[name])
      : (parent, args, context, info) => check(resolve(parent, args, context, info));
}

function checkOf({ type, extensions }: GraphQLField<unknown, unknown>): (value: unknown) => unknown {
  const check = checkOfType(type);
  const missing = () => {
    if (extensions.required !== true) return null;
    throw misreadValue('The provider did not send a value that it must send.');
  };
  return (value) => (value === undefined || value === null ? missing() : check(value));
}

function checkOfType(type: GraphQLOutputType): (value: unknown) => unknown {
  const named = getNamedType(type);
  if (named === GraphQLFloat) return finiteNumber;
  if (isLeafType(named)) return asItIs;
  return isListType(getNullableType(type)) ? objects : objectSent;
}

const asItIs = (value: unknown): unknown => value;

/** graphql-js would take `true` for 1 and `"5"` for 5. */
function finiteNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw misreadValue('The provider sent something else in the place of a number.');
}

/** @throws ServiceError `provider_error` for anything else */
export function objectSent(value: unknown): object {
  if (isObject(value)) return value;
  throw misreadValue(notAnObject);
}

/** The executor reports an Error in a list at the path of the entry. */
function objects(value: unknown): readonly object[] {
  if (!Array.isArray(value)) throw misreadValue('The provider sent something else in the place of a list.');
  return value.every(isObject) ? value : value.map((item) => (isObject(item) ? item : misreadValue(notAnObject)));
}

const notAnObject = 'The provider sent something else in the place of an object.';

const misreadValue = (detail: string) => new ServiceError('provider_error', { detail });
