import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './schema.ts';

export const isPostgres = (database: Kysely<Tables>): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter;
