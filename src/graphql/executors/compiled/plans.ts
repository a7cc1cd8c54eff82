import {
  type DocumentNode,
  type GraphQLSchema,
  isLeafType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  typeFromAST,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Ports } from '../../../kernel/ports.ts';
import { type EncodedPlan, encodePlan } from '../../../splice/splicer.ts';
import type { Values } from '../../documents/variables.ts';
import { sourceOf } from '../../kit/source.ts';
import { Declined } from '../declined.ts';
import { type CompiledOperation, compileOperation } from './operation.ts';
import { pagesOf } from './readers.ts';

export interface Plans {
  planFor(values: Values): EncodedOperation | Declined;
}

/** Plans of one operation: one per combination of values that decide the selection. */
const maxPlans = 16;

/** @param grew gets the bytes of each plan that is kept, negative when it is given up. @returns the reason against compiling, whatever the values */
export function plansOf(
  schema: GraphQLSchema,
  ports: Ports,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  grew: (bytes: number) => void = () => undefined,
): Plans | Declined {
  if (!readsSourcesOnly(schema, ports, operation)) return new Declined('more than can be read as JSON');
  if (!hasPlainVariables(schema, operation)) return new Declined('variables');
  const deciding = variablesOfDirectives(document, operation);
  const plans = new LRUCache<string, EncodedOperation | Declined>({
    max: deciding.length === 0 ? 1 : maxPlans,
    onInsert: (kept) => grew(bytesOf(kept)),
    dispose: (left) => grew(-bytesOf(left)),
  });

  function compile(values: Values): EncodedOperation | Declined {
    try {
      return encodeOperation(compileOperation(schema, ports, document, operation, values));
    } catch (error) {
      if (error instanceof Declined) return error;
      throw error;
    }
  }

  return {
    planFor(values) {
      // A directive without a value is an error where it stands.
      if (deciding.some((name) => typeof values[name] !== 'boolean')) return new Declined('variables');
      const key = JSON.stringify(deciding.map((name) => values[name]));
      const kept = plans.get(key);
      if (kept !== undefined) return kept;
      const plan = compile(values);
      plans.set(key, plan);
      return plan;
    },
  };
}

const bytesOf = (plan: EncodedOperation | Declined): number => (plan instanceof Declined ? 0 : plan.plan.bytes.length);

/** Root fields with JSON of a port. Fragments are seen at compilation. */
function readsSourcesOnly(
  schema: GraphQLSchema,
  ports: Ports,
  { operation, selectionSet }: OperationDefinitionNode,
): boolean {
  if (operation !== OperationTypeNode.QUERY) return false;
  const fields = schema.getQueryType()?.getFields() ?? {};
  return selectionSet.selections.every((selection) => {
    if (selection.kind !== Kind.FIELD || selection.name.value === '__typename') return true;
    const field = fields[selection.name.value];
    const source = field && sourceOf(field);
    return source !== undefined && pagesOf(source, ports) !== undefined;
  });
}

/** A list or an object may be of any size. */
const hasPlainVariables = (schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): boolean =>
  variableDefinitions.every((definition) => {
    const type = typeFromAST(schema, definition.type);
    // graphql-js would set its values' prototype by `__proto__`.
    return isLeafType(isNonNullType(type) ? type.ofType : type) && definition.variable.name.value !== '__proto__';
  });

function variablesOfDirectives(document: DocumentNode, { variableDefinitions = [] }: OperationDefinitionNode) {
  const inDirectives = new Set<string>();
  visit(document, {
    Directive({ arguments: given = [] }) {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) inDirectives.add(value.name.value);
    },
  });
  // Another operation may have a variable of this name and another type.
  return variableDefinitions.flatMap(({ variable: { name }, type }) =>
    print(type).replace('!', '') === 'Boolean' && inDirectives.has(name.value) ? name.value : [],
  );
}

/** As kept and run: without the parts of its plan, which take several times the memory. */
export interface EncodedOperation extends Omit<CompiledOperation, 'plan'> {
  readonly plan: EncodedPlan;
}

export const encodeOperation = (operation: CompiledOperation): EncodedOperation => ({
  ...operation,
  plan: encodePlan(operation.plan),
});
