/** Workspaces: what accounts, jobs, webhooks and API keys belong to. */

import { newId, type RandomBytes } from '../ids.ts';
import type { Database } from '../store/database.ts';

/** Makes the workspace of that name, or finds it. */
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
