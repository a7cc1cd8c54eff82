import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { repeatConflicting } from './faults.ts';
import type { Tables } from './schema.ts';

/** Runs `work`, again after a conflict: it must change the database only. @throws DatabaseFault; as `work` does */
export const inTransaction = <Result>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> => repeatConflicting(() => database.transaction().execute(work));
