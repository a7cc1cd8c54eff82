/** Operations that ask for the schema, by tools (GraphiQL, code generators, Relay, Apollo, urql) and others. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  getIntrospectionQuery,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { type Fragments, fragmentsOf } from '../cost/selections.ts';

/** For federation gateways: see federation/subgraph.ts. */
export const serviceField = '_service';

/** Needs no API key. A fragment may hide anything: it counts as more. */
export const isIntrospection = ({ selectionSet }: OperationDefinitionNode): boolean =>
  selectionSet.selections.every(
    (each) => each.kind === Kind.FIELD && (each.name.value.startsWith('__') || each.name.value === serviceField),
  );

/** Several times any tool's, with fragments counted at every spread. */
const maxSelections = 1_000;

/** The fields that tools select within each field. */
type Selected = ReadonlyMap<string, Selected>;

let ofTools: Selected | undefined;

/**
 * Whether an operation selects a part of graphql-js' own introspection query, without aliases: then its result is no larger than
 * the schema, which sizes of its lists, multiplied, say nothing of.
 */
export function isOfTool(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  if (!isIntrospection(operation)) return false;
  ofTools ??= selectedByTools();
  const fragments = fragmentsOf(document);
  let left = maxSelections;
  const fits = ({ selections }: SelectionSetNode, known: Selected): boolean =>
    selections.every((selection) => {
      left -= 1;
      // A fragment that spreads itself would never end.
      if (left < 0) return false;
      if (selection.kind !== Kind.FIELD) {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        return fragment !== undefined && fits(fragment.selectionSet, known);
      }
      const { name, alias, selectionSet } = selection;
      if (name.value === '__typename') return alias === undefined;
      const inner = known.get(name.value);
      return alias === undefined && inner !== undefined && (selectionSet === undefined || fits(selectionSet, inner));
    });
  return fits(operation.selectionSet, ofTools);
}

function selectedByTools(): Selected {
  const options = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, oneOf: true };
  const whole = parse(getIntrospectionQuery({ ...options, inputValueDeprecation: true }));
  const operation = getOperationAST(whole);
  return operation ? selectedIn([operation.selectionSet], fragmentsOf(whole)) : new Map();
}

function selectedIn(sets: readonly SelectionSetNode[], fragments: Fragments): Selected {
  const selected = new Map<string, Selected>();
  for (const { selections } of sets) {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const { name, selectionSet } = selection;
        const inner = name.value === 'ofType' ? selected : selectedIn(selectionSet ? [selectionSet] : [], fragments);
        selected.set(name.value, inner);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value) as FragmentDefinitionNode;
        for (const [name, inner] of selectedIn([fragment.selectionSet], fragments)) selected.set(name, inner);
      }
    }
  }
  return selected;
}
