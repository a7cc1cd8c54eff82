import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** Whether an operation selects a field of one of these names anywhere below a field: it may, if a directive decides. */
export function selectsAny(
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  names: ReadonlySet<string>,
): boolean {
  const open: (SelectionSetNode | undefined)[] = fieldNodes.map(({ selectionSet }) => selectionSet);
  const spread = new Set<string>();
  for (const set of open) {
    for (const selection of set?.selections ?? []) {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.kind === Kind.FIELD && names.has(selection.name.value)) return true;
        open.push(selection.selectionSet);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        open.push(fragments[selection.name.value]?.selectionSet);
      }
    }
  }
  return false;
}
