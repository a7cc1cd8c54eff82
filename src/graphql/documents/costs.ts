/** The costs of an operation that clients send again and again, which depend on few of its values. */
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { LimitError } from '../cost/limits.ts';
import { operationCost } from '../cost/operation-cost.ts';
import type { Values } from './variables.ts';

/**
 * The cost of an operation with these values of its variables, as they were sent.
 * @throws LimitError as {@link operationCost}
 */
export type CostOf = (values: Values) => number;

/** Costs that are kept of one operation: clients choose values, so that there may be any number. */
export const maxCosts = 100;
/** Characters: an operation can have thousands of variables. */
const maxKey = 200;

export function createCosts(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): CostOf {
  let known: LRUCache<string, number | LimitError> | undefined;
  const weigh = (values: Values): number | LimitError => {
    try {
      return operationCost(schema, document, operation, values);
    } catch (error) {
      if (error instanceof LimitError) return error;
      throw error;
    }
  };
  return (values) => {
    const key = weighing(operation, values);
    const cost = (key === null ? undefined : known?.get(key)) ?? weigh(values);
    if (key !== null) {
      known ??= new LRUCache({ max: operation.variableDefinitions?.length ? maxCosts : 1 });
      known.set(key, cost);
    }
    if (cost instanceof LimitError) throw cost;
    return cost;
  };
}

/** The values that the cost depends on. No text weighs anything; of lists and objects every entry does, so null for those. */
function weighing({ variableDefinitions = [] }: OperationDefinitionNode, values: Values): string | null {
  let key = '';
  for (const { variable } of variableDefinitions) {
    const value = values[variable.name.value];
    if (typeof value === 'object' && value !== null) return null;
    key += typeof value === 'string' ? ' text' : ` ${value}`;
    if (key.length > maxKey) return null;
  }
  return key;
}
