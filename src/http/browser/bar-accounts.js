/** What the bar asks where the gateway knows accounts. A test holds it against the schema. */

/** Those of a key that is limited to accounts. */
export const accounts = /* GraphQL */ `
  query AccountsOfKey { accounts(first: 20) { nodes { accountId name } } }
`;
