/** The costs of operations that clients send again and again, which depend on few of their values. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { BoundedMap } from '../../bounded-map.ts';
import { operationCost } from './operation-cost.ts';

/**
 * The cost of an operation with these values of its variables.
 * @throws LimitError as {@link operationCost}
 */
export type CostOf = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
) => number;

/** Clients choose documents and values, so that there may be any number. */
const maxCosts = 4_000;
/** Characters: an operation can have thousands of variables. */
const maxKey = 200;

/** @param trusted documents whose costs no others push out */
export function rememberedCosts(schema: GraphQLSchema, trusted: ReadonlySet<DocumentNode> = new Set()): CostOf {
  /** By the operations of the documents that the cache of documents holds. */
  const ids = new WeakMap<OperationDefinitionNode, number>();
  let lastId = 0;
  const ofOthers = new BoundedMap<string, number>(maxCosts);
  const ofTrusted = new BoundedMap<string, number>(maxCosts);
  return (document, operation, values) => {
    const key = weighing(operation, values);
    if (key === null) return operationCost(schema, document, operation, values);
    const costs = trusted.has(document) ? ofTrusted : ofOthers;
    let id = ids.get(operation);
    if (id === undefined) {
      lastId += 1;
      id = lastId;
      ids.set(operation, id);
    }
    const known = costs.get(`${id}${key}`);
    if (known !== undefined) return known;
    const cost = operationCost(schema, document, operation, values);
    costs.set(`${id}${key}`, cost);
    return cost;
  };
}

/** The values that the cost depends on. No text weighs anything; of lists and objects every entry does, so null for those. */
function weighing({ variableDefinitions = [] }: OperationDefinitionNode, values: Readonly<Record<string, unknown>>) {
  let key = '';
  for (const { variable } of variableDefinitions) {
    const value = values[variable.name.value];
    if (typeof value === 'object' && value !== null) return null;
    key += typeof value === 'string' ? ' text' : ` ${value}`;
    if (key.length > maxKey) return null;
  }
  return key;
}
