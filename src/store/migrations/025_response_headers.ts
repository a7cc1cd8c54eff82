import type { Kysely } from 'kysely';

export const worksFrom = '011_queue_indexes';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('delivery_attempts').addColumn('response_headers', 'text').execute();
}
