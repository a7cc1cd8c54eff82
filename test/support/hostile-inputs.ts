/** Requests as large as they can be at every place of every input, derived from the shapes and from the GraphQL schema. */
import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import type { z } from 'zod';
import * as accounts from '../../src/capabilities/accounts/operations.ts';
import * as deliveries from '../../src/capabilities/deliveries/operations.ts';
import * as jobs from '../../src/capabilities/jobs/operations.ts';
import * as posts from '../../src/capabilities/posts/operations.ts';
import * as webhooks from '../../src/capabilities/webhooks/operations.ts';
import type { Operation } from '../../src/kernel/operation.ts';
import { schema } from './schema.ts';

type Check = Pick<Operation<unknown, unknown>, 'check' | 'shape'>;

/** The loaders give it the ids of what is shown, and the fields that are selected. */
const ofLoaders = 'readJobFields';

/** Every operation that callers give an object to. Those that find by id are given a list by the loaders alone. */
export const operations: readonly (readonly [string, Check])[] = [accounts, deliveries, jobs, posts, webhooks]
  .flatMap((all): [string, Check][] => Object.entries(all))
  .filter(([name, { shape }]) => name !== ofLoaders && (typeOf(shape) === 'object' || typeOf(shape) === 'union'));

export type Kind = 'list' | 'object' | 'value';

/** A place in a request, and how a request is made that has a given value there. */
export interface Place {
  readonly name: string;
  readonly kind: Kind;
  /** The shape at this place; null for a place in the GraphQL schema. */
  readonly shape: z.core.$ZodType | null;
  readonly with: (value: unknown) => unknown;
}

/** The parts of Zod's definitions that are walked through. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly values?: readonly unknown[];
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
}

// Zod types the definition of each kind of shape apart; this is what they have in common.
export function definitionOf(shape: z.core.$ZodType): Definition {
  return shape._zod.def as unknown as Definition;
}

function typeOf(shape: z.core.$ZodType): string {
  return definitionOf(shape).type;
}

export function* placesOf(
  shape: z.core.$ZodType,
  name = 'request',
  wrap: Place['with'] = (value) => value,
): Generator<Place> {
  const { type, innerType, element, options = [], shape: fields = {}, in: input, out } = definitionOf(shape);
  if (innerType !== undefined) return yield* placesOf(innerType, name, wrap);
  if (type === 'pipe' && input !== undefined && out !== undefined) {
    return yield* placesOf(typeOf(input) === 'transform' ? out : input, name, wrap);
  }
  if (type === 'union') {
    for (const [index, option] of options.entries()) yield* placesOf(option, `${name}|${index}`, wrap);
    return;
  }
  if (type === 'array' && element !== undefined) {
    yield { name, kind: 'list', shape, with: wrap };
    return yield* placesOf(element, `${name}[]`, (value) => wrap([value]));
  }
  if (type !== 'object') return yield { name, kind: 'value', shape, with: wrap };
  yield { name, kind: 'object', shape, with: (value) => wrap({ ...tagsOf(fields), ...(value as object) }) };
  for (const [key, field] of Object.entries(fields)) {
    yield* placesOf(field, `${name}.${key}`, (value) => wrap({ ...tagsOf(fields), [key]: value }));
  }
}

/** The fields that can have one value only: they choose the variant of a union. */
const tagsOf = (fields: Readonly<Record<string, z.core.$ZodType>>): object =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, field]) =>
      typeOf(field) === 'literal' ? [[key, definitionOf(field).values?.[0]]] : [],
    ),
  );

const many = 100_000;
const letters = (letter: string) => letter.repeat(Math.floor(900_000 / Buffer.byteLength(JSON.stringify(letter))));
const list = (entry: unknown) => new Array<unknown>(many).fill(entry);
const keys = (name: (index: number) => string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 1]));

/** What is put at a place of each kind; less than the megabyte that a request may have. */
export const hostile: Readonly<Record<Kind, Readonly<Record<string, unknown>>>> = {
  list: {
    'objects without fields': list({}),
    numbers: list(0),
    nulls: list(null),
    lists: list([]),
    'objects with an unknown field': list({ a: 1 }),
  },
  object: {
    'a huge unknown key': { [letters('x')]: 1 },
    'many unknown keys': keys((index) => `k${index}`, 70_000),
    'a huge unknown key of control characters': { [letters('\u0001')]: 1 },
    'large unknown keys': keys((index) => `${'é'.repeat(120)}${index}`, 3_000),
  },
  value: {
    'a huge text': letters('x'),
    'many keys': keys((index) => `k${index}`, 70_000),
    'a huge text of quotation marks': letters('"'),
    'a huge text of white space': letters(' '),
    'a huge text of digits': letters('7'),
    'a huge text of @': `a@${letters('a')}`,
    'a huge text of surrogates': letters('😀'),
    'a long list': list({}),
  },
};

/** An operation of the schema, with a variable for each argument. */
export interface Field {
  readonly name: string;
  readonly document: string;
  readonly places: readonly Place[];
}

const failure =
  '... on ServiceError { code message ... on CheckpointError { issues { path message } } } ... on InvalidRequestError { issues { path message } }';

/** Every field of Query and Mutation that has arguments. */
export const fields: readonly Field[] = [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
  Object.values(root?.getFields() ?? {})
    .filter(({ args }) => args.length > 0)
    .map(({ name, args }) => {
      const kind = root === schema.getMutationType() ? 'mutation' : 'query';
      const variables = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
      const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
      const others = Object.fromEntries(
        args.filter((arg) => isNonNullType(arg.type)).map((arg) => [arg.name, leastOf(arg.type)]),
      );
      return {
        name,
        document: `${kind} (${variables}) { ${name}(${given}) { __typename ${kind === 'mutation' ? failure : ''} } }`,
        places: args.flatMap((arg) => [
          ...inputPlaces(arg.type, arg.name, (value) => ({ ...others, [arg.name]: value })),
        ]),
      };
    }),
);

function* inputPlaces(type: GraphQLInputType, name: string, wrap: Place['with']): Generator<Place> {
  if (isNonNullType(type)) return yield* inputPlaces(type.ofType, name, wrap);
  if (isListType(type)) {
    yield { name, kind: 'list', shape: null, with: wrap };
    return yield* inputPlaces(type.ofType, `${name}[]`, (value) => wrap([value]));
  }
  if (!isInputObjectType(type)) return yield { name, kind: 'value', shape: null, with: wrap };
  const least = leastOf(type) as object;
  yield { name, kind: 'object', shape: null, with: (value) => wrap({ ...least, ...(value as object) }) };
  for (const field of Object.values(type.getFields())) {
    // Of a one-of, the variant alone.
    const others = type.isOneOf ? {} : least;
    yield* inputPlaces(field.type, `${name}.${field.name}`, (value) => wrap({ ...others, [field.name]: value }));
  }
}

/** A value that coercion accepts, with as little as possible. */
function leastOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return leastOf(type.ofType);
  if (isListType(type)) return [];
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0]?.name;
  if (!isInputObjectType(named)) return { Boolean: true, Int: 1, Float: 1, JSON: {} }[named.name] ?? '1';
  const all = Object.values(named.getFields());
  const [first] = all;
  if (named.isOneOf && first !== undefined) return { [first.name]: leastOf(first.type) };
  return Object.fromEntries(all.filter(isRequiredInputField).map((field) => [field.name, leastOf(field.type)]));
}
