/**
 * The introspection that tools use (GraphiQL, code generators, Relay, Apollo, urql), served from prepared responses.
 * It is as large as the schema, and anybody may ask for it without a key, so it is executed once.
 *
 * A tool's query is recognised by what it selects, not by its text: some or all of what graphql-js' own introspection
 * query selects, without aliases. So it costs no more than that query does. Everything else pays its cost.
 */
import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
} from 'graphql';
import { BoundedMap } from '../../bounded-map.ts';
import { type Fragments, fragmentsOf } from './selections.ts';

/** Selected fields in the order of the response, each with what is selected of it. Arguments are part of the key. */
type Tree = Map<string, Tree>;

/** Several times those of any tool, with those of a fragment counted wherever it is spread. */
const maxSelections = 1_000;

/** Responses to keep: about half a megabyte each. Each tool has one query, and few tools have one of their own. */
const keptResponses = 8;

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

/** The response to an introspection operation, as JSON; null for an operation that is more than that. */
export type Introspect = (document: DocumentNode, operation: OperationDefinitionNode) => string | null;

export function preparedIntrospection(schema: GraphQLSchema): Introspect {
  const everything = withEndlessTypes(treeOfEverything());
  const responses = new BoundedMap<string, string>(keptResponses);
  return (document, operation) => {
    const tree = treeOf(document, operation);
    if (tree === null || !isPartOf(tree, everything)) return null;
    const key = keyOf(tree);
    const known = responses.get(key);
    if (known !== undefined) return known;
    const { data, errors } = executeSync({ schema, document });
    if (errors !== undefined) return null;
    const response = JSON.stringify({ data });
    responses.set(key, response);
    return response;
  };
}

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
    if (selection.kind !== Kind.FIELD) return null;
    const type = selection.name.value === '__schema' ? SchemaMetaFieldDef.type : undefined;
    if (!addField(tree, selection, type, reading)) return null;
  }
  // The validation refuses a fragment that is not used, or defined twice. It is not asked here.
  return document.definitions.length === 1 + reading.used.size ? tree : null;
}

/** Adds a field and what is selected of it. Returns false for a field that no introspection of a tool has. */
function addField(
  tree: Tree,
  { alias, name, arguments: given = [], directives = [], selectionSet }: FieldNode,
  type: Parameters<typeof getNamedType>[0],
  reading: Reading,
): boolean {
  reading.selections += 1;
  if (alias !== undefined || directives.length > 0 || reading.selections > maxSelections) return false;
  const flags = given.map(
    (each) => each.name.value === 'includeDeprecated' && each.value.kind === Kind.BOOLEAN && each.value.value,
  );
  if (given.some((each) => each.name.value !== 'includeDeprecated' || each.value.kind !== Kind.BOOLEAN)) return false;
  const key = `${name.value}${given.length === 0 ? '' : `(${flags})`}`;
  // Two selections of a field with different arguments do not fit together.
  if (!tree.has(key) && [...tree.keys()].some((other) => nameIn(other) === name.value)) return false;
  const inner: Tree = tree.get(key) ?? new Map();
  tree.set(key, inner);
  const named = getNamedType(type);
  if (isObjectType(named) !== (selectionSet !== undefined)) return false;
  return selectionSet === undefined || addSet(inner, selectionSet, named, reading);
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
      if (selection.name.value === '__typename') return addField(tree, selection, undefined, reading);
      if (field === undefined || (selection.arguments?.length ?? 0) > field.args.length) return false;
      return addField(tree, selection, field.type, reading);
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

function nameIn(key: string): string {
  return key.split('(', 1)[0] as string;
}

const keyOf = (tree: Tree): string => `{${[...tree].map(([key, inner]) => `${key} ${keyOf(inner)}`).join()}}`;

function isPartOf(tree: Tree, whole: Tree): boolean {
  return [...tree].every(([key, inner]) => {
    const name = nameIn(key);
    if (name === '__typename') return true;
    const same = whole.get(name);
    return same !== undefined && isPartOf(inner, same);
  });
}

/** Tools differ in how many types within types (`ofType`) they ask for. Beyond those of the schema, all are null. */
function withEndlessTypes(tree: Tree): Tree {
  for (const [key, inner] of [...tree]) {
    tree.delete(key);
    tree.set(nameIn(key), key === 'ofType' ? tree : withEndlessTypes(inner));
  }
  return tree;
}

/** Everything that a tool may select. */
function treeOfEverything(): Tree {
  const options = {
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
  };
  const document = parse(getIntrospectionQuery({ ...options, oneOf: true }));
  const [operation] = document.definitions;
  const tree = operation?.kind === Kind.OPERATION_DEFINITION ? treeOf(document, operation) : null;
  if (tree === null) throw new Error("graphql-js' own introspection query is not recognised");
  return tree;
}
