import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';

/** `mayActFor` (account-access.ts) in a query. @param accountIds null for every account, and for what has none */
export const amongAccounts = (accountIds: Iterable<string> | null, column: string): Expression<SqlBool> =>
  accountIds === null
    ? sql<boolean>`1 = 1`
    : // SQL has no empty list; no account has an empty id.
      expressionBuilder<never, never>()(sql<string>`${sql.ref(column)}`, 'in', [...accountIds, '']);
