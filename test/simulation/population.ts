/** Who is there when a simulation begins: a workspace, its accounts and webhooks. */
import type { World } from './world.ts';

export const workspaceId = 'workspace------------A';

export interface Population {
  readonly accounts: readonly string[];
  /** Their ids, in the order of their destinations. */
  readonly webhooks: string[];
}

export const hostOf = (webhook: number): string => `d${webhook}.example`;

/** Stores the workspace and its accounts. The webhooks are created as callers create them. */
export function populate({ database, network, scenario }: World): Population {
  const accounts = ['account-one----------A', 'account-two----------A'];
  database.execute('insert into workspaces (id, name, created_at) values (?, ?, 0)', [workspaceId, 'workspace']);
  for (const id of accounts) {
    database.execute(
      "insert into accounts (id, workspace_id, type, status, session, created_at) values (?, ?, 'PNET', 'OK', '{}', 0)",
      [id, workspaceId],
    );
  }
  for (const [webhook, behaviour] of scenario.behaviours.entries()) network.behaviours.set(hostOf(webhook), behaviour);
  return { accounts, webhooks: [] };
}
