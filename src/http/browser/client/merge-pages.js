export function mergePages(list, page, idOf) {
  const byId = new Map([...(list?.edges ?? []), ...page.edges].map((edge) => [idOf(edge) ?? edge, edge]));
  return { ...list, ...page, edges: [...byId.values()] };
}
