/** Connecting accounts to a workspace by hand, and seeing those of all workspaces: for the command, not for callers. */

import { newId, type RandomBytes } from '../ids.ts';
import type { Database } from '../store/database.ts';
import type { AccountStatus, AccountType } from './account.ts';

export interface NewAccount {
  readonly workspaceId: string;
  readonly name: string | null;
  readonly type: AccountType;
  /** The network's own word for how the account is signed in. */
  readonly session: string;
}

/** Connects an account, ready for use. Answers its id. */
export async function connectAccount(
  database: Database,
  { workspaceId, name, type, session }: NewAccount,
  { now, randomBytes }: { readonly now: Date; readonly randomBytes: RandomBytes },
): Promise<string> {
  const id = newId(randomBytes);
  const status: AccountStatus = 'OK';
  const row = { id, workspace_id: workspaceId, name, type, status, session, created_at: now.getTime() };
  await database.insertInto('accounts').values(row).execute();
  return id;
}

/** An account as it may be shown: everything but its session. */
export interface AccountSummary {
  readonly id: string;
  readonly workspace: string;
  readonly name: string | null;
  readonly type: AccountType;
  readonly status: AccountStatus;
}

/** The accounts of all workspaces, or of the one of that name; oldest first. */
export async function listConnected(database: Database, workspace: string | null): Promise<AccountSummary[]> {
  let query = database
    .selectFrom('accounts')
    .innerJoin('workspaces', 'workspaces.id', 'accounts.workspace_id')
    .select(['accounts.id', 'accounts.name', 'accounts.type', 'accounts.status', 'workspaces.name as workspace'])
    .orderBy('accounts.created_at')
    .orderBy('accounts.id');
  if (workspace !== null) query = query.where('workspaces.name', '=', workspace);
  const rows = await query.execute();
  return rows.map((row) => ({ ...row, type: row.type as AccountType, status: row.status as AccountStatus }));
}
