/**
 * Weights. The unit is about a microsecond of the event loop on a small server, so that a cost limit is a time:
 * `npx node test/bench/worst-operation.ts` searches for the operation that holds it longest.
 */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { fieldsOf } from '../kit/schema-fields.ts';
import { type CostDirectives, costs, directivesOf } from './directives.ts';

const weights = {
  /** One object by id; the reads of one tick are one query. */
  read: 50,
  /** Some hundred entries of an index. */
  counts: 250,
  /** Counting a list: up to ten thousand entries of an index. */
  size: 1_000,
  /** Transactions, and calls of a network. */
  mutation: 1_000,
  value: 1,
  /** A whole object of the scalar `JSON`, to be serialized. */
  json: 10,
  schema: 2_500,
  /** An HMAC. */
  cursor: 20,
  /** A row of the database, or an item of a page, to be parsed. */
  row: 10,
} as const;

/** These are for `extensions`. Of a field that reads one object, or a few, by id. */
export const readsById = costs(weights.read);

/** Cost of a field that reads or makes counts of an object. */
export const readsCounts = costs(weights.counts);

export const readsSize = costs(weights.size);

export const writes = costs(weights.mutation);

export const weightOfWrite = weights.mutation;

export const tellsSchema = costs(weights.schema);

/** Cost of a field that seals a cursor: once for each edge, however often it is selected. */
export const sealsCursor = costs(weights.cursor);

/** Cost of a list within an object. @param assumedSize of a large one */
export const listOf = (assumedSize: number) => costs(null, { assumedSize });

/** Cost of a list within an object that is read by itself. @param assumedSize of a large one */
export const readsPart = (assumedSize: number) => costs(weights.read, { assumedSize });

/** Cost of a list read by the ids in an argument. */
export const readsByIds = (argument: string, assumedSize: number) =>
  costs(weights.read, { assumedSize, slicingArguments: [argument], requireOneSlicingArgument: false });

export const readsList = (assumedSize: number) => costs(rowsOfDatabase.call, { assumedSize });

export interface PageWeights {
  readonly call: number;
  readonly item: number;
}

/** SQLite holds the event loop while it reads. */
export const rowsOfDatabase: PageWeights = { call: 1_000, item: 20 };

/** Others are served while a network responds; equal pages of one operation are read once. */
export const itemsOfNetwork: PageWeights = { call: 300, item: 5 };

/** For `extensions` of a connection type. Each field that returns it gets {@link connectionCost}. */
export const isConnection = (page: PageWeights) => ({ connection: page });

export const pageWeightsOf = ({ extensions }: GraphQLNamedType): PageWeights | undefined =>
  extensions.connection as PageWeights | undefined;

/** An omitted `first` counts with its default. */
const connectionCost = ({ call }: PageWeights): CostDirectives =>
  costs(call, {
    slicingArguments: ['first'],
    sizedFields: ['edges', 'nodes'],
    requireOneSlicingArgument: false,
  }).directives;

export function applyCosts(schema: GraphQLSchema): GraphQLSchema {
  for (const type of rowTypes(schema)) {
    type.extensions = { ...type.extensions, directives: { ...costs(weights.row).directives, ...directivesOf(type) } };
  }
  for (const { field } of fieldsOf(schema, { interfaces: true })) {
    const said = directivesOf(field);
    field.extensions = { ...field.extensions, directives: { ...derived(field, said), ...said } };
  }
  return schema;
}

function rowTypes(schema: GraphQLSchema): ReadonlySet<GraphQLObjectType> {
  const nodes = Object.values(schema.getTypeMap()).flatMap((type) => {
    const field = isObjectType(type) && pageWeightsOf(type) !== undefined ? type.getFields().nodes : undefined;
    return field === undefined ? [] : [getNamedType(field.type)];
  });
  return new Set(
    nodes.flatMap((type) => (isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [])),
  );
}

function derived(field: GraphQLField<unknown, unknown>, { listSize }: CostDirectives): CostDirectives {
  const type = getNamedType(field.type);
  const page = pageWeightsOf(type);
  if (page !== undefined) return connectionCost(page);
  if (!isLeafType(type)) return {};
  // The specification weighs list values by their type, and a built-in scalar cannot carry a weight in a printed schema.
  const size = isListType(getNullableType(field.type)) ? (listSize?.assumedSize ?? 0) : 0;
  const weight = type.name === 'JSON' ? weights.json : weights.value;
  return costs(weight * (1 + size)).directives;
}
