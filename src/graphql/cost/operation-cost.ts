/**
 * The cost of an operation, before anything is executed: the weights of its fields, each counted once for every object
 * that has it. It runs over a document that may be invalid: what the schema does not know weighs nothing but itself.
 */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { argumentsOf, includedBy, type Variables, variablesOf } from './arguments.ts';
import { LimitError, operationLimits, requireWithin } from './limits.ts';
import { collectFields, type Fragments, fragmentsOf, selectionSetsOf } from './selections.ts';
import { createSizes, type FieldOf } from './sizes.ts';

/**
 * The cost of an operation.
 * @param document within the limits of its shape (see shape.ts)
 * @param values of the variables, as they were sent
 * @throws LimitError for an operation with too many root fields, mutations or selections
 */
export function operationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: unknown,
): number {
  const root = schema.getRootType(operation.operation);
  if (root === undefined || root === null) return 0;
  const variables = variablesOf(operation, values);
  const weigh = createWeigh(schema, fragmentsOf(document), variables);
  const { cost, fields } = weigh(root, operation.selectionSet);
  requireWithin('rootFields', fields);
  if (operation.operation === 'mutation') requireWithin('mutations', fields);
  return Math.min(cost, Number.MAX_SAFE_INTEGER);
}

/** The object that selections are made in. */
interface Place {
  readonly type: GraphQLCompositeType;
  /** If the object is a connection, the size of its page: of its `nodes` and `edges`. */
  readonly size: number | undefined;
}

function createWeigh(schema: GraphQLSchema, fragments: Fragments, variables: Variables) {
  const sizes = createSizes(schema);
  /** Costs of the selection sets that are alone in their place, for one object of a type and size. */
  const known = new Map<SelectionSetNode, Map<string, number>>();
  let selections = 0;

  /** The cost of selections in one object. If its type is an interface or union, that of its dearest possible type. */
  const inObject = (sets: readonly SelectionSetNode[], { type, size }: Place): number => {
    if (!isAbstractType(type)) return remembered(sets, type, size);
    return Math.max(0, ...schema.getPossibleTypes(type).map((possible) => remembered(sets, possible, size)));
  };

  const remembered = (sets: readonly SelectionSetNode[], type: GraphQLObjectType, size: number | undefined): number => {
    const [alone, ...others] = sets;
    if (alone === undefined) return 0;
    if (others.length > 0) return ofFields(sets, type, size).cost;
    const costs = known.get(alone) ?? new Map<string, number>();
    known.set(alone, costs);
    const key = `${type.name} ${size}`;
    const before = costs.get(key);
    if (before !== undefined) return before;
    // A fragment that leads back to itself ends here. The validation says so.
    costs.set(key, 0);
    const { cost } = ofFields(sets, type, size);
    costs.set(key, cost);
    return cost;
  };

  const ofFields = (sets: readonly SelectionSetNode[], type: GraphQLObjectType, size: number | undefined) => {
    const { fields } = collectFields(sets, fragments, {
      includes: (selection) => includedBy(selection, variables),
      applies: (condition) => isOf(schema, type, condition),
    });
    selections += fields.size;
    if (selections > operationLimits.selections) throw new LimitError('selections', operationLimits.selections);
    let cost = 0;
    for (const nodes of fields.values()) cost += ofField(nodes, type, size);
    return { cost, fields: fields.size };
  };

  const ofField = (nodes: readonly FieldNode[], type: GraphQLObjectType, size: number | undefined): number => {
    const [node] = nodes;
    const field = node && sizes.field(type, node.name.value);
    if (node === undefined || field === undefined) return 1;
    const given = argumentsOf(node, variables);
    const own = field.weight + given.weight;
    const named = getNamedType(field.definition.type);
    if (!isCompositeType(named)) return own;
    const { objects, page } = sizesOf(field, given.value, size);
    // A page is read as a whole, whatever is selected of it.
    const reading = (page ?? 0) * field.itemWeight;
    return own + reading + objects * (field.typeWeight + inObject(selectionSetsOf(nodes), { type: named, size: page }));
  };

  return (root: GraphQLObjectType, set: SelectionSetNode) => ofFields([set], root, undefined);
}

/**
 * How many objects a field returns. A connection is one object, and `page` is the size that its `nodes` and `edges` have.
 * @param inherited the size of the page that the field belongs to
 */
function sizesOf(field: FieldOf, argument: (name: string) => unknown, inherited: number | undefined) {
  const size = field.size(argument);
  if (field.isSized && inherited !== undefined) return { objects: inherited, page: undefined };
  return field.sizesOthers ? { objects: 1, page: size } : { objects: size, page: undefined };
}

/** Whether a fragment on the condition applies to objects of the type. One on an unknown type counts. */
function isOf(schema: GraphQLSchema, type: GraphQLObjectType, condition: string): boolean {
  const on = schema.getType(condition);
  if (on === undefined || on === type) return true;
  return isAbstractType(on) && !isObjectType(on) && schema.isSubType(on, type);
}

/** The operation of a document that a request chooses; undefined if it chooses none. */
export function chosenOperation(
  { definitions }: DocumentNode,
  operationName: string | null | undefined,
): OperationDefinitionNode | undefined {
  const operations = definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operationName === undefined || operationName === null) {
    return operations.length === 1 ? operations[0] : undefined;
  }
  return operations.find(({ name }) => name?.value === operationName);
}
