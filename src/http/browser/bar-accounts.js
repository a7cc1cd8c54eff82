/** What the bar asks where the gateway knows accounts. A test holds it against the schema. */

/** The first accounts that the key may use. */
export const accounts = /* GraphQL */ `
  query AccountsOfKey { accounts(first: 20) { nodes { id accountId name type } } }
`;
