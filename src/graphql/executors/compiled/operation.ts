/** A compiled operation: for each of its root fields a list, a template, and the parameters of the template. */
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
import { includedBy, variablesOf } from '../../cost/arguments.ts';
import { fragmentsOf, selectionSetsOf } from '../../cost/selections.ts';
import type { Values } from '../../documents/variables.ts';
import type { Connection } from '../../kit/connection.ts';
import { type AnyListSource, listSourceOf } from '../../kit/list-source.ts';
import { type IdKind, idPrefix } from '../../kit/node.ts';
import { shownBy } from '../../kit/window-field.ts';
import { Declined } from '../declined.ts';
import { compileArguments, type ReadValues } from './arguments.ts';
import { type Compiling, compileFields, compileObject, selectedOf } from './compile.ts';
import { type MutableShape, text } from './parts.ts';
import { compileField, type Print, readField } from './values.ts';

/** A root field of a compiled operation. */
export interface CompiledRoot {
  /** The text of the response between the root field before and this one. */
  readonly before: string;
  /** Its arguments. */
  readonly args: ReadValues;
  /** The index of its template. */
  readonly template: number;
  /** The parameters of its template, from the connection and the account that it is read with. */
  readonly parameters: readonly ((connection: Connection<unknown>, accountId: string) => string)[];
  /** The parameters for each edge. */
  readonly itemParameters: readonly Print[];
  /** The edges of a connection, as the field `edges` has them; null where it is not selected. */
  readonly edgesOf: ((connection: Connection<unknown>) => unknown) | null;
}

export interface CompiledOperation {
  readonly source: AnyListSource;
  readonly plan: SplicePlan;
  readonly roots: readonly CompiledRoot[];
  /** The text behind the last root field. */
  readonly after: string;
}

/**
 * @param values of the variables, coerced: the plan is good for operations with the same values in their directives
 * @throws Declined for an operation that a plan cannot say
 */
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
  const scope: Scope = {
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
  return { source, plan, roots, after: `${before}}}` };
}

/**
 * What is selected is counted wherever it is spread: fragments in fragments make of a short document a plan of many
 * megabytes, which takes longer to make than the operation takes graphql-js. Six lists with all their fields fit, in a plan
 * of some 300 KB.
 */
const maxPlanCharacters = 262_144;
/** Of a field, beside its name in the response. */
const charactersOfField = 64;

function countPlan(): Compiling['count'] {
  let characters = 0;
  return (selected) => {
    for (const name of selected.keys()) characters += charactersOfField + name.length;
    if (characters > maxPlanCharacters) throw new Declined('more than a plan holds');
  };
}

type Pages = Pick<PageSource<never, never>, 'items' | 'metadata'>;
type Scope = Omit<Compiling, 'prefixOf'>;

/** The one source of all lists of an operation. */
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
  scope: Scope,
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
    return [text('['), { kind: 'window', key: pages.items, parts: inner }, text(']')];
  });
  return { parts, parameters, itemParameters, edgesOf };
}

/** The parameters of a template, as the compiler finds that it needs them. */
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
