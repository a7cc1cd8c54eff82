/**
 * The gateway as a subgraph of Apollo Federation 2 (https://www.apollographql.com/docs/graphos/reference/federation/subgraph-specific-fields):
 * the schema with two root fields more. `_service` tells composers the schema, `_entities` reads objects for a gateway that
 * joins subgraphs. Everything else is the schema as it is, down to its objects.
 *
 * Why not `@pothos/plugin-federation`: it needs a resolver for each type, where one does for all, as every entity has a
 * global id; what it prints has none of the directives of print.ts; and it imports internals of `@apollo/subgraph` that the
 * present version does not have.
 */
import {
  GraphQLError,
  type GraphQLFieldConfig,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { fromUnknown, ServiceError } from '../../kernel/errors.ts';
import { invalidParameters, shortened } from '../../kernel/issues.ts';
import { readsByIds, tellsSchema } from '../cost/weights.ts';
import { serviceField } from '../executors/introspection.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { idArguments } from '../kit/id-arguments.ts';
import { findNode, findOfKind, typeOfNode } from '../kit/node.ts';
import { entityKeysOf } from './keys.ts';

/**
 * Largest number of entities that one field reads. A gateway asks for all that a response needs at once, and cannot ask
 * in parts: ten times what a client may ask of `nodes`.
 */
export const maxEntities = 1_000;

/** If more representations of a field are invalid, there is one error for all of them. */
const maxInvalid = 100;

/** What another subgraph knows of an object: the name of its type, and one of the type's keys. */
interface Representation extends Readonly<Record<string, unknown>> {
  readonly __typename: string;
}

type FieldConfig = GraphQLFieldConfig<unknown, GraphQLContext>;

/**
 * The schema of a subgraph.
 * @param schema not federated; it stays as it is
 * @param print the schema as composers read it; null where it cannot be read
 */
export function toSubgraph(schema: GraphQLSchema, print: (() => Promise<string>) | null): GraphQLSchema {
  const query = schema.getQueryType();
  if (!query) throw new Error('The schema has no queries');
  const config = query.toConfig();
  const added: Record<string, FieldConfig> = { _entities: entitiesOf(schema) };
  if (print !== null) added[serviceField] = serviceOf(print);
  const federated = new GraphQLObjectType<unknown, GraphQLContext>({
    ...config,
    fields: { ...config.fields, ...added },
  });
  const { types, ...rest } = schema.toConfig();
  return new GraphQLSchema({ ...rest, query: federated, types: types.filter((type) => type !== query) });
}

function serviceOf(print: () => Promise<string>): FieldConfig {
  const Service = new GraphQLObjectType({
    name: '_Service',
    description: 'This subgraph, as composers see it.',
    fields: {
      sdl: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'The schema of the subgraph, with the directives of federation.',
        extensions: tellsSchema,
        resolve: print,
      },
    },
  });
  return {
    type: new GraphQLNonNull(Service),
    description: 'This subgraph, as composers see it. It needs no API key.',
    resolve: () => ({}),
  };
}

function entitiesOf(schema: GraphQLSchema): FieldConfig {
  const Entity = new GraphQLUnionType({
    name: '_Entity',
    description: 'Every object that other subgraphs can refer to.',
    types: Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter((type) => entityKeysOf(type).length > 0),
    resolveType: typeOfNode,
  });
  return {
    type: new GraphQLNonNull(new GraphQLList(Entity)),
    description:
      'Reads objects for a gateway that joins subgraphs, in the order of the representations; null in the place of an object that the API key cannot access.',
    args: {
      representations: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(AnyScalar))),
        description: `Up to ${maxEntities} objects: of each the \`__typename\` and a key.`,
      },
    },
    extensions: readsByIds('representations', maxEntities),
    resolve: (_root, { representations }: { readonly representations: readonly Representation[] }, context, info) => {
      const typeOf = async (found: object) =>
        info.schema.getType((await typeOfNode(found, context, info, Entity)) ?? '');
      const references: (Reference | ServiceError)[] = [];
      let invalid = 0;
      for (const [place, representation] of representations.slice(0, maxEntities).entries()) {
        const reference = referenceOf(representation, info.schema.getType(representation.__typename), place);
        if (reference instanceof ServiceError) invalid += 1;
        // An error for each takes far longer than reading an object, and no gateway sends so many that are invalid.
        if (invalid > maxInvalid) throw reference;
        references.push(reference);
      }
      // One that cannot be read costs no other: a gateway asks for the objects of many places at once.
      return representations.map(async (_representation, place) => {
        if (place > maxEntities) return null;
        const reference = references[place] ?? tooMany();
        if (reference instanceof ServiceError) throw reference;
        try {
          const found = await find(reference, context);
          return found !== null && isOf(info.schema, await typeOf(found), reference.type) ? found : null;
        } catch (error) {
          throw fromUnknown(error);
        }
      });
    },
  };
}

const AnyScalar = new GraphQLScalarType<Representation, unknown>({
  name: '_Any',
  description: 'What another subgraph knows of an object: an object with `__typename` and a key of that type.',
  specifiedByURL: 'https://www.apollographql.com/docs/graphos/reference/federation/subgraph-specific-fields',
  parseValue(value) {
    if (isRepresentation(value)) return value;
    throw new GraphQLError('A representation must be an object with a __typename.');
  },
});

const isRepresentation = (value: unknown): value is Representation =>
  typeof value === 'object' && value !== null && '__typename' in value && typeof value.__typename === 'string';

/** Whether objects of a type are of the type that is wanted, which may be an interface. */
const isOf = (schema: GraphQLSchema, type: Type, wanted: Type): boolean =>
  type === wanted || (isInterfaceType(wanted) && isObjectType(type) && schema.isSubType(wanted, type));

type Type = GraphQLNamedType | undefined;

/** Of all entities beyond the limit: the first of them has this error, and the others are null. */
const tooMany = () =>
  new ServiceError('limit_too_high', { detail: `representations must have at most ${maxEntities} entries` });

/** The key of an object. */
interface Reference {
  readonly type: Type;
  readonly key: string;
  readonly id: string;
}

/** @returns an error of the type `invalid_parameters` for what is no entity, and for a key that is missing or no id */
function referenceOf(representation: Representation, type: Type, place: number): Reference | ServiceError {
  const invalid = (message: string, ...path: string[]) =>
    invalidParameters([{ path: ['representations', place, ...path], message }]);
  const keys = entityKeysOf(type);
  if (keys.length === 0) {
    return invalid(`is no entity of this subgraph: ${shortened(representation.__typename)}`, '__typename');
  }
  const key = keys.find((name) => Object.hasOwn(representation, name));
  if (key === undefined) return invalid(`must have ${keys.map((name) => `"${name}"`).join(' or ')}`);
  const id = representation[key];
  return typeof id === 'string' ? { type, key, id } : invalid('must be a string', key);
}

/** The object with a key; null if the caller can access none. It may be of another type. */
async function find({ key, id }: Reference, context: GraphQLContext): Promise<object | null> {
  const kind = idArguments[key];
  return kind === undefined ? findNode(id, context) : findOfKind(kind, [id], context);
}
