/** The column `name_key`, a name as it is searched and sorted: kernel/lib/name-key.ts. */
import { type RawBuilder, sql } from 'kysely';
import { nameKey } from '../kernel/lib/name-key.ts';

/** Whether the name of a row contains a text. */
export const nameContains = (table: 'webhooks' | 'jobs', text: string): RawBuilder<boolean> =>
  sql`${sql.ref(`${table}.name_key`)} like ${`%${nameKey(text).replace(/[!%_]/g, '!$&')}%`} escape '!'`;
