/** Workspaces, which own accounts, jobs, webhooks and API keys. */

import { newId, type RandomBytes } from '../kernel/ids.ts';
import type { Database } from '../store/database.ts';

/** Finds the workspace with this name, or creates it. @returns its id */
export async function ensureWorkspace(
  database: Database,
  name: string,
  { now, randomBytes }: { readonly now: Date; readonly randomBytes: RandomBytes },
): Promise<string> {
  await database
    .insertInto('workspaces')
    .values({ id: newId(randomBytes), name, created_at: now.getTime() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await database.selectFrom('workspaces').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id;
}
