import type { Kysely } from 'kysely';

/** Who acts on a posting, and what is known of its publication where its state does not say it. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('claimed_by', 'text').execute();
  await db.schema.alterTable('jobs').addColumn('publication', 'text').execute();
}
