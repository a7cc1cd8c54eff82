/**
 * The shape of a document: what the validation and the executor will have to go through, whatever the schema says.
 * The rule that fields of one name must be mergeable compares each with each, and descends into pairs of pairs, so this
 * is measured before a document is validated.
 */
import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { LimitError, operationLimits, requireWithin } from './limits.ts';
import { collectFields, type Filter, type Fragments, selectionSetsOf } from './selections.ts';

/** Everything takes part: the validation knows neither variables nor which fragments can never apply. */
const everything: Filter = { includes: () => true, applies: () => true };

/** @throws LimitError for a document that would take too long to validate */
export function requireReasonableShape(document: DocumentNode, fragments: Fragments): void {
  let operations = 0;
  const walk = createWalk(fragments);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations += 1;
    if ('selectionSet' in definition) walk([definition.selectionSet]);
  }
  requireWithin('operations', operations);
}

/** Walks through selections and counts; every count is for the whole document. */
function createWalk(fragments: Fragments) {
  const aliased = new Set<FieldNode>();
  let selections = 0;
  let comparisons = 0;
  /** Levels of fields below each selection set that is alone in its place; 0 while it is being measured. */
  const heights = new Map<SelectionSetNode, number>();

  const measure = (sets: readonly SelectionSetNode[], depth: number): number => {
    const [alone, ...others] = sets;
    if (alone === undefined) return 0;
    const known = others.length === 0 ? heights.get(alone) : undefined;
    const height = known ?? descend(sets, depth);
    if (depth + height > operationLimits.depth) throw new LimitError('depth', operationLimits.depth);
    return height;
  };

  const descend = (sets: readonly SelectionSetNode[], depth: number): number => {
    if (depth >= operationLimits.depth) throw new LimitError('depth', operationLimits.depth);
    // A fragment that leads back to itself ends here. The validation says so.
    if (sets.length === 1) for (const set of sets) heights.set(set, 0);
    const { fields, fragments: spread } = collectFields(sets, fragments, everything);
    comparisons += spread * (spread - 1);
    let height = 0;
    for (const nodes of fields.values()) {
      selections += nodes.length;
      comparisons += nodes.length * (nodes.length - 1);
      for (const node of nodes) if (node.alias !== undefined) aliased.add(node);
      requireWithin('selections', selections);
      requireWithin('comparisons', comparisons);
      requireWithin('aliases', aliased.size);
      height = Math.max(height, 1 + measure(selectionSetsOf(nodes), depth + 1));
    }
    if (sets.length === 1) for (const set of sets) heights.set(set, height);
    return height;
  };

  return (sets: readonly SelectionSetNode[]) => measure(sets, 0);
}
