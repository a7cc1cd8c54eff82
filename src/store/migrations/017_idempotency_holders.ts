import type { Kysely } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** The request that holds the lease of a row, so that it knows its own after the answer to the insert was lost. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('idempotent_responses').addColumn('claimed_by', 'text').execute();
}
