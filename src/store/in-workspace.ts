import { type RawBuilder, sql } from 'kysely';

/**
 * `workspace_id = ?` beside ids or a webhook, whose index finds the rows: SQLite expects few rows of a workspace, and would
 * look at all of them.
 */
export const isInWorkspace = (table: string, workspaceId: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${table}.workspace_id`)} = ${workspaceId}) is true`;
