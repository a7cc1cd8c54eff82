/** Selection sets as an executor sees them: fields that have the same name in the response are one field. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { LimitError, operationLimits } from './limits.ts';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragments of a document. The first of several that share a name: the validation refuses the others. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION || fragments.has(definition.name.value)) continue;
    fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** Which selections count. */
export interface Filter {
  /** Whether the directives of a selection let it take part. */
  readonly includes: (selection: SelectionNode) => boolean;
  /** Whether a fragment on the type applies. */
  readonly applies: (typeCondition: string) => boolean;
}

export interface Collected {
  /** The fields, by their names in the response. */
  readonly fields: ReadonlyMap<string, readonly FieldNode[]>;
  /** The number of fragments that lead to them. */
  readonly fragments: number;
}

/**
 * The fields of selection sets that belong to one object.
 * @throws LimitError for fragments that lead on to one another for too long
 */
export function collectFields(sets: readonly SelectionSetNode[], fragments: Fragments, filter: Filter): Collected {
  const fields = new Map<string, FieldNode[]>();
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode, level: number): void => {
    if (level > operationLimits.fragmentNesting)
      throw new LimitError('fragmentNesting', operationLimits.fragmentNesting);
    for (const selection of selections) {
      if (!filter.includes(selection)) continue;
      if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const same = fields.get(name);
        if (same === undefined) fields.set(name, [selection]);
        else same.push(selection);
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : spread(selection.name.value);
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value;
      // Inline fragments are within one another in the text, so that the limit on brackets holds for them.
      if (condition === undefined || filter.applies(condition)) {
        collect(fragment.selectionSet, fragment === selection ? level : level + 1);
      }
    }
  };
  const spread = (name: string) => {
    if (seen.has(name)) return undefined;
    seen.add(name);
    return fragments.get(name);
  };
  for (const set of sets) collect(set, 0);
  return { fields, fragments: seen.size };
}

/** The selection sets of fields that are one in the response. */
export const selectionSetsOf = (nodes: readonly FieldNode[]): SelectionSetNode[] =>
  nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
