/** The operation of the bar. A test holds them against the schema. */

export const whose = /* GraphQL */ `
  query WhoseKey { viewer { name scopes accountIds workspace { name } } }
`;
