/** Transactions that are repeated when others were in their way. */
import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { isConflict } from './faults.ts';
import type { Tables } from './schema.ts';

/** How often a transaction is tried that is undone because of others: they may meet again. */
const maxTries = 4;

/**
 * Runs `work` in a transaction. After a deadlock or a failed serialization it is undone, and runs again.
 * @param work changes nothing but the database, so that it can be repeated
 * @throws DatabaseFault, or as `work` does
 */
export async function inTransaction<Result>(
  database: Database,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (tries === maxTries || !isConflict(error)) throw error;
    }
  }
}
