export interface Page<Edge> {
  readonly edges: readonly Edge[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/**
 * A list with its next page. An item that both have stands once, where it stood before, as the page has it: a list that grew
 * meanwhile repeats items. Where the next page starts is what this page says, also if none of its items could be read.
 * @param idOf what tells items apart; an edge without it is kept
 */
export function mergePages<Edge>(
  list: Page<Edge> | null | undefined,
  page: Page<Edge>,
  idOf: (edge: Edge) => unknown,
): Page<Edge> {
  const byId = new Map([...(list?.edges ?? []), ...page.edges].map((edge) => [idOf(edge) ?? edge, edge]));
  return { ...list, ...page, edges: [...byId.values()] };
}
