/** What both parts need to know. */
export const viewer = /* GraphQL */ `
  query ViewerOfPage { viewer { scopes accountIds } }
`;

/** Those that have posts. */
export const accounts = /* GraphQL */ `
  query AccountsOfPage {
    accounts(first: 250, types: [PNET, PHOTONET]) { nodes { accountId name type status } }
  }
`;
