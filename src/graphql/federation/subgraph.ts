/**
 * The gateway as a subgraph of Apollo Federation 2
 * (https://www.apollographql.com/docs/graphos/reference/federation/subgraph-specific-fields): the schema plus
 * `_service` (SDL for composers) and `_entities` (objects for a gateway that joins subgraphs).
 *
 * Why not `@pothos/plugin-federation`: it needs a resolver per type, where one serves all, as every entity has a global
 * id; it prints none of the directives of print.ts; and it imports internals that the present `@apollo/subgraph` does
 * not have.
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
import type { IssueCode } from '../../kernel/issue-codes.ts';
import { invalidParameters, shortened } from '../../kernel/issues.ts';
import { readsByIds, tellsSchema } from '../cost/weights.ts';
import { serviceField } from '../documents/introspection.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { idArguments, parseGlobalId } from '../kit/global-ids.ts';
import { findNode, findOfKind, maxByIds, noGlobalId, readEach, typeOfNode } from '../kit/node.ts';
import { entityKeysOf } from './keys.ts';

/** Beyond these, all invalid representations of a field share one error. */
const maxInvalid = 100;

/** Another subgraph's knowledge of an object: the name of its type, and one of its keys. */
interface Representation extends Readonly<Record<string, unknown>> {
  readonly __typename: string;
}

type FieldConfig = GraphQLFieldConfig<unknown, GraphQLContext>;

/** @param schema stays as it is. @param print the schema for composers; null where it cannot be read */
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
        description: `Up to ${maxByIds} objects: of each the \`__typename\` and a key.`,
      },
    },
    extensions: readsByIds('representations', maxByIds),
    resolve: (_root, { representations }: { readonly representations: readonly Representation[] }, context, info) => {
      const typeOf = async (found: object) =>
        info.schema.getType((await typeOfNode(found, context, info, Entity)) ?? '');
      const references: (Reference | ServiceError)[] = [];
      let invalid = 0;
      for (const [place, representation] of representations.slice(0, maxByIds).entries()) {
        const reference = referenceOf(representation, info.schema.getType(representation.__typename), place);
        if (reference instanceof ServiceError) invalid += 1;
        // An error takes far longer than reading an object, and no gateway sends so many invalid ones.
        if (invalid > maxInvalid) throw reference;
        references.push(reference);
      }
      // A gateway asks for objects of many places at once: a failure costs no other.
      return readEach('representations', representations, async (_representation, place) => {
        const reference = references[place];
        if (reference === undefined || reference instanceof ServiceError) throw reference;
        try {
          const found = await findReferenced(reference, context, info.schema);
          return found !== null && isOfType(info.schema, await typeOf(found), reference.type) ? found : null;
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

const isOfType = (schema: GraphQLSchema, type: Type, wanted: Type): boolean =>
  type === wanted || (isInterfaceType(wanted) && isObjectType(type) && schema.isSubType(wanted, type));

type Type = GraphQLNamedType | undefined;

interface Reference {
  readonly type: Type;
  readonly key: string;
  readonly id: string;
}

/** @returns an `invalid_parameters` error for a type that is no entity, or a missing or invalid key */
function referenceOf(representation: Representation, type: Type, place: number): Reference | ServiceError {
  const invalid = (code: IssueCode, message: string, ...path: string[]) =>
    invalidParameters([{ path: ['representations', place, ...path], code, message }]);
  const keys = entityKeysOf(type);
  if (keys.length === 0) {
    return invalid(
      'not_allowed',
      `is no entity of this subgraph: ${shortened(representation.__typename)}`,
      '__typename',
    );
  }
  const key = keys.find((name) => Object.hasOwn(representation, name));
  if (key === undefined) return invalid('required', `must have ${keys.map((name) => `"${name}"`).join(' or ')}`);
  const id = representation[key];
  if (typeof id !== 'string') return invalid('malformed', 'must be a string', key);
  if (idArguments[key] === undefined && parseGlobalId(id) === null) return invalid('malformed', noGlobalId, key);
  return { type, key, id };
}

/** Null if the caller cannot access the object. It may be of another type. */
async function findReferenced(
  { key, id }: Reference,
  context: GraphQLContext,
  schema: GraphQLSchema,
): Promise<object | null> {
  const kind = idArguments[key];
  return kind === undefined ? findNode(id, context, schema, [key]) : findOfKind(kind, [id], context, schema);
}
