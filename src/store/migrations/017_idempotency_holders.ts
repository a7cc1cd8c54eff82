import type { Kysely } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** The holder of a lease, so that a request knows its own row when the answer to its insert was lost. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('idempotent_responses').addColumn('claimed_by', 'text').execute();
}
