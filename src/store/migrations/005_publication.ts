import type { Kysely } from 'kysely';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('claimed_by', 'text').execute();
  await db.schema.alterTable('jobs').addColumn('publication', 'text').execute();
}
