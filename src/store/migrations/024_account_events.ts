import type { Kysely } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** The only receiver of an event. Without it, test events from before count as events of their accounts. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('events').addColumn('webhook_id', 'text').execute();
}

const shown = 'where source is not null and webhook_id is null';

/** A page of accounts is a range for each; one of a workspace is a range for each type of event. */
export const indexes = {
  events_by_account: `on events (account_id, created_at, id) ${shown}`,
  events_by_type: `on events (workspace_id, event, created_at, id) ${shown}`,
};
