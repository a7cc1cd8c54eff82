/**
 * `@semanticNonNull` (https://specs.apollo.dev/nullability/v0.4): null means an error. Fields that can fail are
 * nullable, so that a failure takes nothing with it; clients that throw or catch field errors (Relay, `graphql-toe`,
 * Apollo Kotlin) then need not expect null. Level 0 is the field's value, 1 the items of its list.
 */
import {
  DirectiveLocation,
  GraphQLDirective,
  type GraphQLField,
  GraphQLInt,
  GraphQLList,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
} from 'graphql';
import { pageWeightsOf } from '../cost/weights.ts';
import { fieldsOf } from './schema-fields.ts';
import { isRequired, shownBy } from './wire.ts';

export const semanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'Null only with an error at its path.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLList(GraphQLInt),
      defaultValue: [0],
      description: '0 is the field, 1 the items of its list.',
    },
  },
});

type Field = GraphQLField<unknown, unknown>;

export const semanticNonNullOf = ({ extensions }: Field): { readonly levels: readonly number[] } | undefined =>
  extensions.semanticNonNull as { readonly levels: readonly number[] } | undefined;

export function sayNullMeansError(schema: GraphQLSchema): GraphQLSchema {
  for (const { type, field } of fieldsOf(schema, { interfaces: true })) {
    const levels = levelsOf(field, type === schema.getMutationType());
    if (levels.length === 0) continue;
    field.extensions = { ...field.extensions, semanticNonNull: { levels } };
  }
  return schema;
}

function levelsOf(field: Field, isMutation: boolean): readonly number[] {
  const { type } = field;
  if (isNonNullType(type)) return shownBy(field) === 'items' ? [1] : [];
  // The items of a list that the contract requires are objects (network-values.ts).
  if (isRequired(field)) return isListType(getNullableType(type)) ? [0, 1] : [0];
  const isError =
    isMutation ||
    saysNullMeansError(field) ||
    shownBy(field) === 'item' ||
    pageWeightsOf(getNamedType(type)) !== undefined;
  return isError ? [0] : [];
}

/** For the `extensions` of a field whose null means an error, where nothing else implies it. */
export const nullMeansError = { nullMeansError: true } as const;

const saysNullMeansError = ({ extensions }: GraphQLField<unknown, unknown>): boolean =>
  extensions.nullMeansError === true;
