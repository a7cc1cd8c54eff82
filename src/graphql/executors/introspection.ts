/**
 * The introspection that tools use (GraphiQL, code generators, Relay, Apollo, urql). It is as large as the schema, and
 * anybody may ask for it without a key, so it is executed once: each response is a part of what was found then.
 *
 * A tool's query is recognised by what it selects, not by its text: some or all of what graphql-js' own introspection
 * query selects, in any order, without aliases. Everything else pays its cost.
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
  SchemaMetaFieldDef,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type Fragments, fragmentsOf } from '../cost/selections.ts';

/** Selected fields in the order of the response. */
type Tree = Map<string, Selected>;

interface Selected {
  /** The argument `includeDeprecated`; undefined where it is not given. */
  readonly includeDeprecated: boolean | undefined;
  readonly inner: Tree;
}

/** Several times those of any tool, with those of a fragment counted wherever it is spread. */
const maxSelections = 1_000;

const rootFields: ReadonlySet<string> = new Set(['__schema', '__typename']);

/** A document while it is read. */
interface Reading {
  readonly fragments: Fragments;
  /** Names of the fragments that are spread. */
  readonly used: Set<string>;
  /** The fragments that are being read. */
  readonly open: Set<object>;
  selections: number;
}

/** Prints the response to an introspection, as JSON. */
export type Project = () => string;

/** Recognizes an introspection as tools send it; null for an operation that is more than that. */
export type Introspect = (document: DocumentNode, operation: OperationDefinitionNode) => Project | null;

export function preparedIntrospection(schema: GraphQLSchema): Introspect {
  const whole = wholeIntrospection();
  const selectable = withEndlessTypes(treeOfWhole(whole));
  let prepared: Prepared | undefined;
  return (document, operation) => {
    const tree = treeOf(document, operation);
    if (tree === null || !isPartOf(tree, selectable)) return null;
    return () => {
      prepared ??= prepare(schema, whole);
      return `{"data":${project(tree, prepared)}}`;
    };
  };
}

/** The field with which a federation gateway reads the schema: see federation/subgraph.ts. */
export const serviceField = '_service';

/** Whether an operation asks for the schema only, which needs no API key. A fragment may hide anything: it counts as more. */
export const isIntrospection = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every(
    (each) => each.kind === Kind.FIELD && (each.name.value.startsWith('__') || each.name.value === serviceField),
  );

/** A value of the response to the whole introspection. What is no object or list is JSON already. */
type Prepared = string | readonly Prepared[] | ReadonlyMap<string, Prepared>;

function prepare(schema: GraphQLSchema, whole: DocumentNode): Prepared {
  const { data, errors } = executeSync({ schema, document: withTypenames(whole) });
  if (errors !== undefined) throw new Error('The introspection of the schema failed', { cause: errors[0] });
  return toPrepared(data);
}

function toPrepared(value: unknown): Prepared {
  if (Array.isArray(value)) return value.map(toPrepared);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return new Map(Object.entries(value).map(([name, each]) => [name, toPrepared(each)]));
}

/** What the tree selects of a prepared value, as JSON. */
function project(tree: Tree, value: Prepared): string {
  if (typeof value === 'string') return value;
  if (isList(value)) return `[${value.map((each) => project(tree, each)).join()}]`;
  let fields = '';
  for (const [name, { includeDeprecated = false, inner }] of tree) {
    // Beyond the types within types that the schema has, all are null.
    const found = value.get(name) ?? 'null';
    const shown = includeDeprecated || !isList(found) ? found : found.filter((each) => !isDeprecated(each));
    fields += `${fields === '' ? '' : ','}"${name}":${project(inner, shown)}`;
  }
  return `{${fields}}`;
}

const isList = (value: Prepared): value is readonly Prepared[] => Array.isArray(value);

const isDeprecated = (value: Prepared): boolean => value instanceof Map && value.get('isDeprecated') === 'true';

/** The selections of a document with one operation; null where it has what no introspection of a tool has. */
function treeOf(document: DocumentNode, operation: OperationDefinitionNode): Tree | null {
  const reading: Reading = { fragments: fragmentsOf(document), used: new Set(), open: new Set(), selections: 0 };
  const isPlain =
    operation.operation === 'query' &&
    (operation.variableDefinitions ?? []).length === 0 &&
    (operation.directives ?? []).length === 0 &&
    operation.selectionSet.selections.every((each) => each.kind === Kind.FIELD && rootFields.has(each.name.value));
  if (!isPlain) return null;
  const tree: Tree = new Map();
  for (const selection of operation.selectionSet.selections) {
    if (selection.kind !== Kind.FIELD || (selection.arguments ?? []).length > 0) return null;
    const type = selection.name.value === '__schema' ? SchemaMetaFieldDef.type : undefined;
    if (!addField(tree, selection, type, reading)) return null;
  }
  // The validation refuses a fragment that is not used, or defined twice. It is not asked here.
  return document.definitions.length === 1 + reading.used.size ? tree : null;
}

/** Adds a field and what is selected of it. Returns false for a field that no introspection of a tool has. */
function addField(
  tree: Tree,
  { alias, name: { value: name }, arguments: given = [], directives = [], selectionSet }: FieldNode,
  type: Parameters<typeof getNamedType>[0],
  reading: Reading,
): boolean {
  reading.selections += 1;
  if (alias !== undefined || directives.length > 0 || reading.selections > maxSelections) return false;
  let includeDeprecated: boolean | undefined;
  for (const { name: argument, value } of given) {
    if (argument.value !== 'includeDeprecated' || value.kind !== Kind.BOOLEAN) return false;
    includeDeprecated = value.value;
  }
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
  reading: Reading,
): boolean {
  if (!isObjectType(type)) return false;
  return selections.every((selection) => {
    if (selection.kind === Kind.FIELD) {
      const field = type.getFields()[selection.name.value];
      if ((selection.arguments?.length ?? 0) > (field?.args.length ?? 0)) return false;
      if (selection.name.value === '__typename') return addField(tree, selection, undefined, reading);
      return field !== undefined && addField(tree, selection, field.type, reading);
    }
    const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
    const fragment = isSpread ? reading.fragments.get(selection.name.value) : selection;
    if (fragment === undefined || (selection.directives ?? []).length > 0 || (fragment.directives ?? []).length > 0) {
      return false;
    }
    // One that leads back to itself would never end.
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

/** Tools differ in how many types within types (`ofType`) they ask for. */
function withEndlessTypes(tree: Tree): Tree {
  for (const [name, { includeDeprecated, inner }] of tree) {
    tree.set(name, { includeDeprecated, inner: name === 'ofType' ? tree : withEndlessTypes(inner) });
  }
  return tree;
}

/** Everything that a tool may select. */
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
  const tree = operation ? treeOf(whole, operation) : null;
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
