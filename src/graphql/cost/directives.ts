/**
 * The directives of IBM's cost specification (https://ibm.github.io/graphql-specs/cost-spec.html), as Hot Chocolate,
 * Cosmo and Apollo read them, in `extensions.directives`. {@link applyCosts} adds those that follow from types.
 */
import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';

/** Weight of every field and object that does not say another; the printed schema leaves it out. */
export const defaultWeight = '1';

export const costDirective = new GraphQLDirective({
  name: 'cost',
  description: 'Weight in the cost of an operation, once for each object; otherwise 1.',
  locations: [
    DirectiveLocation.ARGUMENT_DEFINITION,
    DirectiveLocation.ENUM,
    DirectiveLocation.FIELD_DEFINITION,
    DirectiveLocation.INPUT_FIELD_DEFINITION,
    DirectiveLocation.OBJECT,
    DirectiveLocation.SCALAR,
  ],
  args: { weight: { type: new GraphQLNonNull(GraphQLString), description: 'A number as text.' } },
});

const nameList = new GraphQLList(new GraphQLNonNull(GraphQLString));

export const listSizeDirective = new GraphQLDirective({
  name: 'listSize',
  description: 'Length of a list in the cost of an operation.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    assumedSize: { type: GraphQLInt, description: 'Length, if no slicing argument gives it.' },
    slicingArguments: {
      type: nameList,
      description: 'Arguments that give it: numbers, or lists by their length.',
    },
    sizedFields: {
      type: nameList,
      description: 'Fields of the object that have it instead.',
    },
    requireOneSlicingArgument: {
      type: GraphQLBoolean,
      defaultValue: true,
      description: 'Whether one slicing argument must be given.',
    },
  },
});

interface ListSize {
  readonly assumedSize?: number;
  readonly slicingArguments?: readonly string[];
  readonly sizedFields?: readonly string[];
  readonly requireOneSlicingArgument?: boolean;
}

export interface CostDirectives {
  readonly cost?: { readonly weight: string };
  readonly listSize?: ListSize;
}

/** The `extensions` of a field or type with a cost. */
export const costs = (weight: number | null, listSize?: ListSize): { readonly directives: CostDirectives } => ({
  directives: {
    ...(weight === null ? {} : { cost: { weight: String(weight) } }),
    ...(listSize === undefined ? {} : { listSize }),
  },
});

export const directivesOf = ({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }) =>
  (extensions.directives ?? {}) as CostDirectives;
