import { type RawBuilder, sql } from 'kysely';

/**
 * `mayActFor` (account-access.ts) as a condition of a query: whether the account whose id is in `column` is one of these.
 * @param accountIds null for every account, and for what belongs to none
 */
export const amongAccounts = (accountIds: Iterable<string> | null, column: string): RawBuilder<boolean> =>
  accountIds === null
    ? sql<boolean>`1 = 1`
    : // SQL has no empty list; no account has an empty id.
      sql<boolean>`${sql.ref(column)} in (${sql.join([...accountIds, ''])})`;
