import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { nameKey } from '../kernel/lib/name-key.ts';
import { isOneOf } from './json.ts';
import { maxListed } from './query-compilers.ts';

/**
 * `workspace_id = ?` beside ids or a webhook, whose index finds the rows: SQLite expects few rows of a workspace, and would
 * look at all of them.
 */
export const isInWorkspace = (table: string, workspaceId: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${table}.workspace_id`)} = ${workspaceId}) is true`;

/** Whether the name of a row contains a text. The column has it as kernel/lib/name-key.ts makes it. */
export const nameContains = (table: 'webhooks' | 'jobs', text: string): RawBuilder<boolean> =>
  contains(sql.ref(`${table}.name_key`), text);

/** Whether a value in lower case contains a text in any case. */
export const contains = (value: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  sql`${value} like ${`%${nameKey(text).replace(/[!%_]/g, '!$&')}%`} escape '!'`;

/** `mayActFor` (kernel/caller.ts) in a query. @param accountIds null for every account, and for what has none */
export const amongAccounts = (accountIds: Iterable<string> | null, column: string): Expression<SqlBool> =>
  accountIds === null ? sql<boolean>`1 = 1` : amongIds(column, [...accountIds, '']);

/** SQL has no empty list; no account has an empty id. Kysely makes a node of each id, which takes long for many. */
const amongIds = (column: string, ids: readonly string[]): Expression<SqlBool> =>
  ids.length > maxListed
    ? isOneOf(column, ids)
    : expressionBuilder<never, never>()(sql<string>`${sql.ref(column)}`, 'in', ids);
