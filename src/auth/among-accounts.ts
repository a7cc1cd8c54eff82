import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';

/**
 * `mayActFor` (account-access.ts) as a condition of a query: whether the account whose id is in `column` is one of these.
 * @param accountIds null for every account, and for what belongs to none
 */
export const amongAccounts = (accountIds: Iterable<string> | null, column: string): Expression<SqlBool> =>
  accountIds === null
    ? sql<boolean>`1 = 1`
    : // SQL has no empty list; no account has an empty id.
      expressionBuilder<never, never>()(sql<string>`${sql.ref(column)}`, 'in', [...accountIds, '']);
