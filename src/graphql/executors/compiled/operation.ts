/** For each root field a list, a template, and the template's parameters. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import type { PageSource } from '../../../kernel/page-source.ts';
import type { Ports } from '../../../kernel/ports.ts';
import type { Part, SplicePlan } from '../../../splice/plan.ts';
import { fragmentsOf, includedBy, selectionSetsOf, variablesOf } from '../../cost/selections.ts';
import type { Values } from '../../documents/variables.ts';
import type { Connection } from '../../kit/connection.ts';
import { type AnyListSource, listSourceOf } from '../../kit/list-source.ts';
import { type IdKind, idPrefix } from '../../kit/node.ts';
import { shownBy } from '../../kit/window-field.ts';
import { Declined } from '../declined.ts';
import { type Compiling, compileFields, compileObject, selectedOf } from './compile.ts';
import { type MutableShape, textPart } from './parts.ts';
import { compileArguments, metadataReader, type ReadMetadata, type ReadValues } from './readers.ts';
import { compileField, type Print, readField } from './values.ts';

export interface CompiledRoot {
  /** Between the root field before and this one. */
  readonly before: string;
  readonly args: ReadValues;
  readonly template: number;
  readonly parameters: readonly ((connection: Connection<unknown>, accountId: string) => string)[];
  readonly itemParameters: readonly Print[];
  /** As the field `edges` has them; null where it is not selected. */
  readonly edgesOf: ((connection: Connection<unknown>) => unknown) | null;
}

export interface CompiledOperation {
  readonly source: AnyListSource;
  readonly readMetadata: ReadMetadata;
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
  const scope: CompilingRoot = {
    schema,
    fragments: fragmentsOf(document),
    includes: (selection) => includedBy(selection, variables),
    count: countPlan(),
  };
  const selected = selectedOf(scope, query, [operation.selectionSet]);
  const { source, pages } = sourceOf(query, selected, ports);
  const shape: MutableShape = {};
  const templates: Part[][] = [];
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
    const { parts, ...root } = compileRoot(scope, objectOf(field), nodes, { pages, shape });
    roots.push({ ...root, before, args: compileArguments(field, node), template: templates.push(parts) - 1 });
    before = '';
  }
  const plan = { shape: { ...pages.metadata, [pages.items]: { list: shape } }, templates };
  return { source, readMetadata: metadataReader(pages.metadata), plan, roots, after: `${before}}}` };
}

/**
 * Counts selections at every spread: nested fragments make a plan of megabytes of a short document, slower to make than
 * graphql-js is to execute. Six lists with all their fields fit, in some 300 KB.
 */
const maxPlanCharacters = 262_144;
const charactersPerField = 64;

function countPlan(): Compiling['count'] {
  let characters = 0;
  return (selected) => {
    for (const name of selected.keys()) characters += charactersPerField + name.length;
    if (characters > maxPlanCharacters) throw new Declined('more than a plan holds');
  };
}

type Pages = Pick<PageSource<never, never>, 'items' | 'metadata'>;
type CompilingRoot = Omit<Compiling, 'prefixOf'>;

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

function compileRoot(
  scope: CompilingRoot,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  { pages, shape }: { readonly pages: Pages; readonly shape: MutableShape },
) {
  const { parameters, itemParameters, prefixOf } = collectParameters();
  const compiling: Compiling = { ...scope, prefixOf };
  let edgesOf: CompiledRoot['edgesOf'] = null;
  const parts = compileFields(compiling, type, selectionSetsOf(nodes), (name, fieldNodes) => {
    const field = type.getFields()[name];
    const shown = field && shownBy(field);
    if (field === undefined || shown === undefined) {
      return [{ kind: 'parameter', index: parameters.push(compileField(compiling, type, fieldNodes)) - 1 }];
    }
    const sets = selectionSetsOf(fieldNodes);
    if (shown === 'edges') edgesOf = readField(field);
    const inner =
      shown === 'items'
        ? compileItem(compiling, field, sets, shape)
        : compileEdge(compiling, objectOf(field), sets, { shape, itemParameters });
    return [textPart('['), { kind: 'window', key: pages.items, parts: inner }, textPart(']')];
  });
  return { parts, parameters, itemParameters, edgesOf };
}

function collectParameters() {
  const parameters: CompiledRoot['parameters'][number][] = [];
  const itemParameters: Print[] = [];
  const prefixes = new Map<IdKind, number>();
  const prefixOf = (kind: IdKind): number => {
    const index = prefixes.get(kind) ?? parameters.push((_, accountId) => idPrefix(kind, accountId)) - 1;
    prefixes.set(kind, index);
    return index;
  };
  return { parameters, itemParameters, prefixOf };
}

function compileItem(
  compiling: Compiling,
  field: GraphQLField<unknown, unknown>,
  sets: readonly SelectionSetNode[],
  shape: MutableShape,
): Part[] {
  const item = getNamedType(field.type);
  if (!isObjectType(item) && !isAbstractType(item)) throw new Declined(`${field.name} has no objects`);
  return compileObject(compiling, item, sets, shape);
}

function compileEdge(
  compiling: Compiling,
  edge: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  { shape, itemParameters }: { readonly shape: MutableShape; readonly itemParameters: Print[] },
): Part[] {
  return compileFields(compiling, edge, sets, (name, nodes) => {
    const field = edge.getFields()[name];
    if (field !== undefined && shownBy(field) === 'item') {
      return compileItem(compiling, field, selectionSetsOf(nodes), shape);
    }
    return [{ kind: 'itemParameter', index: itemParameters.push(compileField(compiling, edge, nodes)) - 1 }];
  });
}

function objectOf({ name, type }: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const named = getNamedType(type);
  if (!isObjectType(named)) throw new Declined(`${name} is no object`);
  return named;
}
