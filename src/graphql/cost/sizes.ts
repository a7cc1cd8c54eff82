/** Weights and list sizes of the schema's fields. */
import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { maxPage } from '../../kernel/validation.ts';
import { directivesOf } from './directives.ts';
import { pageWeightsOf } from './weights.ts';

/** Types of introspection carry no costs. Their resolvers take twice the time of others. */
const introspectionWeight = 2;

export interface FieldOf {
  readonly definition: GraphQLField<unknown, unknown>;
  readonly weight: number;
  readonly typeWeight: number;
  readonly itemWeight: number;
  readonly isSized: boolean;
  /** Whether the field returns a connection: its size is that of fields below. */
  readonly sizesOthers: boolean;
  readonly size: (argument: (name: string) => unknown) => number;
}

type SizesOf = (type: GraphQLObjectType, name: string) => FieldOf | undefined;

const knownSizes = new WeakMap<GraphQLSchema, SizesOf>();

export function createSizes(schema: GraphQLSchema): SizesOf {
  const known = knownSizes.get(schema);
  if (known !== undefined) return known;
  const fields = new Map<string, FieldOf>();
  const introspection = introspectionSizes(schema);
  const made: SizesOf = (type, name) => {
    const key = `${type.name}.${name}`;
    const before = fields.get(key);
    if (before !== undefined) return before;
    const definition = metaField(schema, type, name) ?? type.getFields()[name];
    if (definition === undefined) return undefined;
    const field = sizesOfField(schema, definition, introspection.get(key), isIntrospectionType(type));
    fields.set(key, field);
    return field;
  };
  knownSizes.set(schema, made);
  return made;
}

/** `__schema` and `__type` of the query type, which its own fields do not have. */
export function metaField(schema: GraphQLSchema, type: GraphQLObjectType, name: string) {
  if (type !== schema.getQueryType()) return undefined;
  return [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
}

function sizesOfField(
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
    // A field refuses a larger page itself, in its own words.
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

/** Weight of an object of the type; of an abstract type, the dearest. */
function dearest(schema: GraphQLSchema, type: GraphQLCompositeType): number {
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return Math.max(...types.map((possible) => Number(directivesOf(possible).cost?.weight ?? 1)));
}

const defaultOf = ({ args }: GraphQLField<unknown, unknown>, name: string): unknown =>
  args.find((argument) => argument.name === name)?.defaultValue;

function sizeOf(value: unknown): number[] {
  if (Array.isArray(value)) return [value.length];
  return typeof value === 'number' && !Number.isNaN(value) ? [value] : [];
}

/** Largest size of each introspection list in a schema, by coordinate. */
function introspectionSizes(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const most = (of: (type: GraphQLNamedType) => number): number => Math.max(1, ...types.map(of));
  const fields = (type: GraphQLNamedType) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  return new Map([
    ['__Schema.types', types.length],
    ['__Schema.directives', directives.length],
    ['__Directive.locations', Math.max(1, ...directives.map(({ locations }) => locations.length))],
    ['__Directive.args', Math.max(1, ...directives.map(({ args }) => args.length))],
    ['__Field.args', most((type) => Math.max(0, ...fields(type).map(({ args }) => args.length)))],
    ['__Type.fields', most((type) => fields(type).length)],
    [
      '__Type.interfaces',
      most((type) => (isObjectType(type) || isInterfaceType(type) ? type.getInterfaces().length : 0)),
    ],
    ['__Type.possibleTypes', most((type) => (isAbstractType(type) ? schema.getPossibleTypes(type).length : 0))],
    ['__Type.enumValues', most((type) => (isEnumType(type) ? type.getValues().length : 0))],
    ['__Type.inputFields', most((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0))],
  ]);
}
