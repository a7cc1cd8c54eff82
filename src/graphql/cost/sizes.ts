/** What the schema says of its fields: their weights, and the sizes of their lists. */
import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { maxPage } from '../../kernel/validation.ts';
import { directivesOf } from './directives.ts';
import { introspectionSizes } from './introspection-sizes.ts';
import { pageWeightsOf } from './weights.ts';

/** The types of introspection belong to graphql-js and say nothing. Their resolvers take twice the time of others. */
const introspectionWeight = 2;

export interface FieldOf {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly weight: number;
  /** The weight of each object that the field returns. */
  readonly typeWeight: number;
  /** What each item of the page weighs for being read, where the field returns a connection. */
  readonly itemWeight: number;
  /** Whether the field has the size of the connection that it belongs to. */
  readonly isSized: boolean;
  /** Whether the size is that of fields of the returned object: the field returns a connection. */
  readonly sizesOthers: boolean;
  /** The number of objects, from the values of arguments. */
  readonly size: (argument: (name: string) => unknown) => number;
}

interface Sizes {
  /** A field of a type; undefined for one that the schema does not have. */
  readonly field: (type: GraphQLObjectType, name: string) => FieldOf | undefined;
}

const tables = new WeakMap<GraphQLSchema, Sizes>();

export function createSizes(schema: GraphQLSchema): Sizes {
  const known = tables.get(schema);
  if (known !== undefined) return known;
  const fields = new Map<string, FieldOf>();
  const introspection = introspectionSizes(schema);
  const made: Sizes = {
    field(type, name) {
      const key = `${type.name}.${name}`;
      const before = fields.get(key);
      if (before !== undefined) return before;
      const definition = metaField(schema, type, name) ?? type.getFields()[name];
      if (definition === undefined) return undefined;
      const field = describe(schema, definition, introspection.get(key), isIntrospectionType(type));
      fields.set(key, field);
      return field;
    },
  };
  tables.set(schema, made);
  return made;
}

function metaField(schema: GraphQLSchema, type: GraphQLObjectType, name: string) {
  if (type !== schema.getQueryType()) return undefined;
  return [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
}

function describe(
  schema: GraphQLSchema,
  definition: GraphQLField<unknown, unknown>,
  assumed: number | undefined,
  isIntrospection: boolean,
): FieldOf {
  const { cost, listSize } = directivesOf(definition);
  const named = getNamedType(definition.type);
  const isComposite = isCompositeType(named);
  const isList = isListType(getNullableType(definition.type));
  const sizesOthers = listSize?.sizedFields !== undefined;
  const slicing = listSize?.slicingArguments ?? [];
  const size = (argument: (name: string) => unknown): number => {
    if (!isList && !sizesOthers) return 1;
    const sizes = slicing.flatMap((name) => sizeOf(argument(name) ?? defaultOf(definition, name)));
    // A field refuses a larger page itself, and says so in its own words.
    if (sizes.length > 0) return Math.min(listSize?.assumedSize ?? maxPage, Math.max(1, ...sizes));
    return listSize?.assumedSize ?? assumed ?? maxPage;
  };
  return {
    definition,
    weight: Number(cost?.weight ?? (isIntrospection ? introspectionWeight : 1)),
    typeWeight: isComposite ? dearest(schema, named) : 0,
    itemWeight: pageWeightsOf(named)?.item ?? 0,
    isSized: isList && listSize === undefined && assumed === undefined,
    sizesOthers,
    size,
  };
}

/** What an object of the type weighs; of the types that it may have, the dearest. */
function dearest(schema: GraphQLSchema, type: GraphQLCompositeType): number {
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return Math.max(...types.map((possible) => Number(directivesOf(possible).cost?.weight ?? 1)));
}

const defaultOf = ({ args }: GraphQLField<unknown, unknown>, name: string): unknown =>
  args.find((argument) => argument.name === name)?.defaultValue;

/** The size that a slicing argument gives. What is no size is refused by the validation. */
function sizeOf(value: unknown): number[] {
  if (Array.isArray(value)) return [value.length];
  return typeof value === 'number' && !Number.isNaN(value) ? [value] : [];
}
