/** For each root field what it reads, with the lists within it. */
import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { Scope } from '../../../kernel/caller.ts';
import type { Ports } from '../../../kernel/ports.ts';
import type { SplicePlan } from '../../../splice/plan.ts';
import { fragmentsOf, includedBy, variablesOf } from '../../cost/selections.ts';
import type { Values } from '../../documents/variables.ts';
import { Declined } from '../declined.ts';
import { type CompilingShared, knownToResolver, selectedOf } from './compile.ts';
import { type CompiledReading, compileReading, type ReadingScope } from './reading.ts';
import { CompiledSources } from './sources.ts';

interface CompiledRoot extends CompiledReading {
  /** Between the root field before and this one. */
  readonly before: string;
}

export interface CompiledOperation {
  /** Scopes of the callers who get what the plan prints; the resolvers give others something else. */
  readonly scopes: ReadonlySet<Scope>;
  readonly plan: SplicePlan;
  readonly roots: readonly CompiledRoot[];
  /** Behind the last root field. */
  readonly after: string;
}

/** @param values coerced: equal ones in directives share a plan. @throws Declined beyond what a plan can say */
export function compileOperation(
  schema: GraphQLSchema,
  ports: Ports,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
): CompiledOperation {
  const query = schema.getQueryType();
  if (operation.operation !== OperationTypeNode.QUERY || !query) throw new Declined(`a ${operation.operation}`);
  const variables = variablesOf(operation, values);
  const scopes = new Set<Scope>();
  const sources = new CompiledSources(ports);
  const scope: ReadingScope = {
    schema,
    fragments: fragmentsOf(document),
    includes: (selection) => includedBy(selection, variables),
    count: countPlan(),
    needs: (needed) => scopes.add(needed),
    sources,
    templates: [],
  };
  const selected = selectedOf(scope, query, [operation.selectionSet]);
  const roots: CompiledRoot[] = [];
  let before = '{"data":{';
  let written = 0;
  for (const [name, nodes] of selected) {
    before += `${written === 0 ? '' : ','}${JSON.stringify(name)}:`;
    written += 1;
    const [node] = nodes;
    const fieldName = node?.name.value ?? '';
    if (fieldName === '__typename') {
      before += JSON.stringify(query.name);
      continue;
    }
    const field = query.getFields()[fieldName];
    if (field === undefined) throw knownToResolver(query, fieldName);
    roots.push({ ...compileReading(scope, { parent: query, field, nodes }), before });
    before = '';
  }
  if (roots.length === 0) throw new Declined('nothing is read');
  return { scopes, plan: { shape: sources.shape(), templates: scope.templates }, roots, after: `${before}}}` };
}

/**
 * Counts selections at every spread: nested fragments make a plan of megabytes of a short document, slower to make than
 * resolvers are to execute. Six lists with all their fields fit, in some 300 KB.
 */
const maxPlanCharacters = 262_144;
const charactersPerField = 64;

function countPlan(): CompilingShared['count'] {
  let characters = 0;
  return (selected) => {
    for (const name of selected.keys()) characters += charactersPerField + name.length;
    if (characters > maxPlanCharacters) throw new Declined('more than a plan holds');
  };
}
