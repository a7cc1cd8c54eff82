/** For each root field a list, with the lists within it. */
import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { Scope } from '../../../kernel/caller.ts';
import type { Ports } from '../../../kernel/ports.ts';
import type { SplicePlan } from '../../../splice/plan.ts';
import { fragmentsOf, includedBy, variablesOf } from '../../cost/selections.ts';
import type { Values } from '../../documents/variables.ts';
import { type AnyListSource, listSourceOf } from '../../kit/list-source.ts';
import { Declined } from '../declined.ts';
import { type CompilingLists, selectedOf } from './compile.ts';
import { type CompiledList, compileList, type ListScope } from './list.ts';
import { metadataReader, type ReadMetadata } from './readers.ts';

export interface CompiledRoot extends CompiledList {
  /** Between the root field before and this one. */
  readonly before: string;
}

export interface CompiledOperation {
  readonly source: AnyListSource;
  readonly readMetadata: ReadMetadata;
  /** Of the callers who get what the plan prints; the resolvers give others something else. */
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
  const scope: CompilingLists = {
    schema,
    fragments: fragmentsOf(document),
    includes: (selection) => includedBy(selection, variables),
    count: countPlan(),
    needs: (needed) => scopes.add(needed),
  };
  const selected = selectedOf(scope, query, [operation.selectionSet]);
  const { source, pages } = sourceOf(query, selected, ports);
  const lists: ListScope = { ...scope, source, items: pages.items, shape: {}, templates: [] };
  const roots: CompiledRoot[] = [];
  let before = '{"data":{';
  let written = 0;
  for (const [name, nodes] of selected) {
    before += `${written === 0 ? '' : ','}${JSON.stringify(name)}:`;
    written += 1;
    const [node] = nodes;
    const field = node && query.getFields()[node.name.value];
    if (node === undefined || field === undefined) {
      // Only `__typename` is not among the fields of a type.
      before += JSON.stringify(query.name);
      continue;
    }
    roots.push({ ...compileList(lists, field, nodes), before });
    before = '';
  }
  const { shape, templates } = lists;
  const plan = { shape: { ...pages.metadata, [pages.items]: { list: shape } }, templates };
  return { source, readMetadata: metadataReader(pages.metadata), scopes, plan, roots, after: `${before}}}` };
}

/**
 * Counts selections at every spread: nested fragments make a plan of megabytes of a short document, slower to make than
 * resolvers are to execute. Six lists with all their fields fit, in some 300 KB.
 */
const maxPlanCharacters = 262_144;
const charactersPerField = 64;

function countPlan(): CompilingLists['count'] {
  let characters = 0;
  return (selected) => {
    for (const name of selected.keys()) characters += charactersPerField + name.length;
    if (characters > maxPlanCharacters) throw new Declined('more than a plan holds');
  };
}

/** The same for all lists of an operation. */
function sourceOf(query: GraphQLObjectType, selected: ReturnType<typeof selectedOf>, ports: Ports) {
  const sources = new Set<AnyListSource>();
  for (const [node] of selected.values()) {
    const name = node?.name.value ?? '';
    if (name === '__typename') continue;
    const field = query.getFields()[name];
    const source = field && listSourceOf(field);
    if (source === undefined) throw new Declined(`${query.name}.${name} reads no list of a service`);
    sources.add(source);
  }
  const [source, ...others] = sources;
  if (source === undefined || others.length > 0) throw new Declined('no list of one kind');
  const pages = source.bytes(ports);
  if (pages === undefined) throw new Declined('pages do not come as bytes');
  return { source, pages };
}
