/**
 * Introspection by tools (GraphiQL, code generators, Relay, Apollo, urql). As large as the schema and keyless, it is
 * executed once: each response is a part of it.
 *
 * Recognised by its selection, not its text: some or all of graphql-js' own introspection query, in any order, without
 * aliases, under any conditions. Everything else pays its cost.
 */
import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from 'graphql';
import {
  argumentsOf,
  type Fragments,
  fragmentsOf,
  includedBy,
  type VariableValues,
  variablesOf,
} from '../cost/selections.ts';

type Tree = Map<string, Selected>;

interface Selected {
  /** The argument; undefined where it is not given. */
  readonly includeDeprecated: unknown;
  readonly inner: Tree;
}

/** Several times any tool's, with fragments counted at every spread. */
const maxSelections = 1_000;

const rootFields: ReadonlySet<string> = new Set(['__schema', '__typename']);

interface Recognition {
  readonly fragments: Fragments;
  /** Null during recognition, which takes every condition as met. */
  readonly variables: VariableValues | null;
  readonly used: Set<string>;
  readonly open: Set<object>;
  selections: number;
}

/** @param values of variables, coerced. @returns JSON */
export type Project = (values: Readonly<Record<string, unknown>>) => string;

export type Introspect = (document: DocumentNode, operation: OperationDefinitionNode) => Project | null;

export function preparedIntrospection(schema: GraphQLSchema): Introspect {
  let known: { readonly whole: DocumentNode; readonly selectable: Tree } | undefined;
  let prepared: Prepared | undefined;
  return (document, operation) => {
    const recognised = treeOf(document, operation, null);
    if (recognised === null) return null;
    known ??= knownIntrospection();
    const { whole, selectable } = known;
    if (!isPartOf(recognised, selectable)) return null;
    return (values) => {
      prepared ??= prepareIntrospection(schema, whole);
      // A part of the recognised tree.
      const tree = treeOf(document, operation, variablesOf(operation, values)) ?? recognised;
      return `{"data":${project(tree, prepared)}}`;
    };
  };
}

/** For federation gateways: see federation/subgraph.ts. */
export const serviceField = '_service';

/** Needs no API key. A fragment may hide anything: it counts as more. */
export const isIntrospection = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every(
    (each) => each.kind === Kind.FIELD && (each.name.value.startsWith('__') || each.name.value === serviceField),
  );

type Prepared = string | readonly Prepared[] | ReadonlyMap<string, Prepared>;

function prepareIntrospection(schema: GraphQLSchema, whole: DocumentNode): Prepared {
  const { data, errors } = executeSync({ schema, document: withTypenames(whole) });
  if (errors !== undefined) throw new Error('The introspection of the schema failed', { cause: errors[0] });
  return toPrepared(data);
}

function toPrepared(value: unknown): Prepared {
  if (Array.isArray(value)) return value.map(toPrepared);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return new Map(Object.entries(value).map(([name, each]) => [name, toPrepared(each)]));
}

function project(tree: Tree, value: Prepared): string {
  if (typeof value === 'string') return value;
  if (isList(value)) return `[${value.map((each) => project(tree, each)).join()}]`;
  let fields = '';
  for (const [name, { includeDeprecated, inner }] of tree) {
    // Beyond the schema's nesting of types, all are null.
    const found = value.get(name) ?? 'null';
    const shown = includeDeprecated === true || !isList(found) ? found : found.filter((each) => !isDeprecated(each));
    fields += `${fields === '' ? '' : ','}"${name}":${project(inner, shown)}`;
  }
  return `{${fields}}`;
}

const isList = (value: Prepared): value is readonly Prepared[] => Array.isArray(value);

const isDeprecated = (value: Prepared): boolean => value instanceof Map && value.get('isDeprecated') === 'true';

function treeOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: VariableValues | null,
): Tree | null {
  const fragments = fragmentsOf(document);
  const reading: Recognition = { fragments, variables, used: new Set(), open: new Set(), selections: 0 };
  const isPlain =
    operation.operation === 'query' &&
    (operation.directives ?? []).length === 0 &&
    operation.selectionSet.selections.every((each) => each.kind === Kind.FIELD && rootFields.has(each.name.value));
  if (!isPlain) return null;
  const tree: Tree = new Map();
  for (const selection of operation.selectionSet.selections) {
    if (selection.kind !== Kind.FIELD || (selection.arguments ?? []).length > 0) return null;
    const type = selection.name.value === '__schema' ? SchemaMetaFieldDef.type : undefined;
    if (isLeftOut(selection, reading)) continue;
    if (!addField(tree, selection, type, reading)) return null;
  }
  // Validation, which does not run here, refuses unused and repeated fragments.
  const isWhole = variables !== null || document.definitions.length === 1 + reading.used.size;
  return isWhole ? tree : null;
}

const isLeftOut = (selection: SelectionNode, { variables }: Recognition): boolean =>
  variables !== null && !includedBy(selection, variables);

const isConditional = ({ directives = [] }: SelectionNode): boolean =>
  directives.every(({ name }) => name.value === 'include' || name.value === 'skip');

function addField(
  tree: Tree,
  field: FieldNode,
  type: Parameters<typeof getNamedType>[0],
  reading: Recognition,
): boolean {
  const { alias, arguments: given = [], selectionSet } = field;
  const name = field.name.value;
  reading.selections += 1;
  if (alias !== undefined || !isConditional(field) || reading.selections > maxSelections) return false;
  const isFlag = (value: ValueNode) => value.kind === Kind.BOOLEAN || value.kind === Kind.VARIABLE;
  if (!given.every((argument) => argument.name.value === 'includeDeprecated' && isFlag(argument.value))) return false;
  // During recognition, two variables are two values.
  const includeDeprecated =
    reading.variables === null
      ? given[0] && print(given[0].value)
      : argumentsOf(field, reading.variables).value('includeDeprecated');
  const selected = tree.get(name) ?? { includeDeprecated, inner: new Map() };
  // Two selections of a field with different arguments do not fit together.
  if (selected.includeDeprecated !== includeDeprecated) return false;
  tree.set(name, selected);
  const named = getNamedType(type);
  if (isObjectType(named) !== (selectionSet !== undefined)) return false;
  return selectionSet === undefined || addSet(selected.inner, selectionSet, named, reading);
}

function addSet(
  tree: Tree,
  { selections }: SelectionSetNode,
  type: GraphQLNamedType | undefined,
  reading: Recognition,
): boolean {
  if (!isObjectType(type)) return false;
  return selections.every((selection) => {
    if (isLeftOut(selection, reading)) return true;
    if (selection.kind === Kind.FIELD) {
      const field = type.getFields()[selection.name.value];
      if ((selection.arguments?.length ?? 0) > (field?.args.length ?? 0)) return false;
      if (selection.name.value === '__typename') return addField(tree, selection, undefined, reading);
      return field !== undefined && addField(tree, selection, field.type, reading);
    }
    const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
    const fragment = isSpread ? reading.fragments.get(selection.name.value) : selection;
    const isPlain = isSpread ? (fragment?.directives ?? []).length === 0 : true;
    if (fragment === undefined || !isConditional(selection) || !isPlain) return false;
    // A cycle would never end.
    if (reading.open.has(fragment)) return false;
    if (isSpread) reading.used.add(selection.name.value);
    const condition = fragment.typeCondition?.name.value;
    if (condition !== undefined && condition !== type.name) return false;
    reading.open.add(fragment);
    const isAdded = addSet(tree, fragment.selectionSet, type, reading);
    reading.open.delete(fragment);
    return isAdded;
  });
}

function isPartOf(tree: Tree, whole: Tree): boolean {
  return [...tree].every(([name, { inner }]) => {
    if (name === '__typename') return true;
    const same = whole.get(name);
    return same !== undefined && isPartOf(inner, same.inner);
  });
}

/** Tools ask for different depths of `ofType`. */
function withEndlessTypes(tree: Tree): Tree {
  for (const [name, { includeDeprecated, inner }] of tree) {
    tree.set(name, { includeDeprecated, inner: name === 'ofType' ? tree : withEndlessTypes(inner) });
  }
  return tree;
}

/** Made for the first tool that asks. */
function knownIntrospection() {
  const whole = wholeIntrospection();
  return { whole, selectable: withEndlessTypes(treeOfWhole(whole)) };
}

function wholeIntrospection(): DocumentNode {
  const options = {
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
  };
  return parse(getIntrospectionQuery({ ...options, oneOf: true }));
}

function treeOfWhole(whole: DocumentNode): Tree {
  const operation = getOperationAST(whole);
  const tree = operation ? treeOf(whole, operation, null) : null;
  if (tree === null) throw new Error("graphql-js' own introspection query is not recognised");
  return tree;
}

/** Clients such as Apollo select `__typename` everywhere. */
function withTypenames(document: DocumentNode): DocumentNode {
  const typename: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
  return visit(document, {
    SelectionSet: (set) => ({ ...set, selections: [typename, ...set.selections] }),
  });
}
