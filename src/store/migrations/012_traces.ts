import type { Kysely } from 'kysely';

export const worksFrom = '011_queue_indexes';

/** The trace that an event was emitted in, which its deliveries continue: perhaps days later, and in another process. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('events').addColumn('traceparent', 'text').execute();
}
