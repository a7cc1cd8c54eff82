import type { Kysely } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** The trace of an emission, which its deliveries continue, perhaps days later in another process. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('events').addColumn('traceparent', 'text').execute();
}
