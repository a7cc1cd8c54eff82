import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { conflictTries, isConflict } from './faults.ts';
import type { Tables } from './schema.ts';

/** Runs `work`, again after a conflict: it must change the database only. @throws DatabaseFault; as `work` does */
export async function inTransaction<Result>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (tries === conflictTries || !isConflict(error)) throw error;
    }
  }
}
