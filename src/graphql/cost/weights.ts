/**
 * What things weigh. The unit is about a microsecond of the event loop on a small server, so that the limit of an
 * operation is a time: `npx node test/bench/worst-operation.ts` searches for the operation that holds it longest.
 */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { type CostDirectives, costs, directivesOf } from './directives.ts';

const weights = {
  /** Reading one object by its id. The reads of one tick are one query. */
  read: 50,
  /** Reading what was counted, or counting, of one object: some hundred entries of an index. */
  counts: 250,
  /** Counting a list: up to ten thousand entries of an index. */
  size: 1_000,
  /** A write: transactions, and calls of a network. */
  mutation: 1_000,
  /** A value in the response. */
  value: 1,
  /** A value of the scalar `JSON`: a whole object, to be serialized. */
  json: 10,
  /** The whole schema as text, to be serialized. */
  schema: 2_500,
  /** An HMAC. */
  cursor: 20,
  /** An object that is a row of the database, or an item of a page: it is read and parsed. */
  row: 10,
} as const;

/** For `extensions` of a field that reads one object, or a few, by id. */
export const readsById = costs(weights.read);

/** For `extensions` of a field that reads what was counted of an object, or counts. */
export const readsCounts = costs(weights.counts);

/** For `extensions` of a field that counts a list. */
export const readsSize = costs(weights.size);

/** For `extensions` of a field that writes. */
export const writes = costs(weights.mutation);

/** For `extensions` of a field that tells the schema as text. */
export const tellsSchema = costs(weights.schema);

/** For `extensions` of a field that seals a cursor. It is sealed once for each edge, however often it is selected. */
export const sealsCursor = costs(weights.cursor);

/** For `extensions` of a list that is part of an object. @param assumedSize what a large one has */
export const listOf = (assumedSize: number) => costs(null, { assumedSize });

/** For `extensions` of a list that is part of an object, and read by itself. @param assumedSize what a large one has */
export const readsPart = (assumedSize: number) => costs(weights.read, { assumedSize });

/** For `extensions` of a list whose objects are read by the ids in an argument. */
export const readsByIds = (argument: string, assumedSize: number) =>
  costs(weights.read, { assumedSize, slicingArguments: [argument], requireOneSlicingArgument: false });

/** For `extensions` of a list that is read as a whole. */
export const readsList = (assumedSize: number) => costs(rowsOfDatabase.call, { assumedSize });

/** What a page of a connection weighs, whatever is selected of it. */
export interface PageWeights {
  /** The call. */
  readonly call: number;
  /** Each item, for being read. */
  readonly item: number;
}

/** SQLite holds the event loop while it reads. */
export const rowsOfDatabase: PageWeights = { call: 1_000, item: 20 };

/** While a network responds, others are served; and equal pages of one operation are read once. */
export const itemsOfNetwork: PageWeights = { call: 300, item: 5 };

/** For `extensions` of the object type of a connection. Each field that returns it gets {@link connectionCost}. */
export const isConnection = (page: PageWeights) => ({ connection: page });

/** What the type of a connection says of its pages; undefined for any other type. */
export const pageWeightsOf = ({ extensions }: GraphQLNamedType): PageWeights | undefined =>
  // Nothing else writes this extension.
  extensions.connection as PageWeights | undefined;

/** The default of `first` counts where it is omitted. */
const connectionCost = ({ call }: PageWeights): CostDirectives =>
  costs(call, {
    slicingArguments: ['first'],
    sizedFields: ['edges', 'nodes'],
    requireOneSlicingArgument: false,
  }).directives;

/** Gives each field what follows from its type, unless the field says otherwise: the next field is covered at once. */
export function applyCosts(schema: GraphQLSchema): GraphQLSchema {
  for (const type of rowTypes(schema)) {
    type.extensions = { ...type.extensions, directives: { ...costs(weights.row).directives, ...directivesOf(type) } };
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || !(isObjectType(type) || isInterfaceType(type))) continue;
    for (const field of Object.values(type.getFields())) {
      const said = directivesOf(field);
      field.extensions = { ...field.extensions, directives: { ...derived(field, said), ...said } };
    }
  }
  return schema;
}

/** The object types of which connections have pages. */
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
  // The specification weighs values of a list by their type. A built-in scalar cannot say a weight in a printed schema.
  const size = isListType(getNullableType(field.type)) ? (listSize?.assumedSize ?? 0) : 0;
  const weight = type.name === 'JSON' ? weights.json : weights.value;
  return costs(weight * (1 + size)).directives;
}
