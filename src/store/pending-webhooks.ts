import type { Database } from './database.ts';

/** The first webhook with a row in the table behind another one, in the order of their ids. */
export async function firstWebhookBehind(
  database: Database,
  table: 'pending_holds' | 'pending_notices',
  behind: string,
): Promise<string | undefined> {
  const pending = await database
    .selectFrom(table)
    .select('webhook_id')
    .where('webhook_id', '>', behind)
    .orderBy('webhook_id')
    .limit(1)
    .executeTakeFirst();
  return pending?.webhook_id;
}
