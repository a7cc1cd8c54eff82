import { newId, type RandomBytes } from '../kernel/ids.ts';
import type { Database } from '../store/database.ts';

export const hasWorkspace = async (database: Database, name: string): Promise<boolean> =>
  (await database.selectFrom('workspaces').select('id').where('name', '=', name).executeTakeFirst()) !== undefined;

/** @returns the id of the workspace with this name, old or new */
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
