import type { Kysely, Transaction } from 'kysely';
import { DatabaseFault } from './faults.ts';
import type { Tables } from './schema.ts';

/** Runs `work`, again after a conflict: it must change the database only. @throws DatabaseFault; as `work` does */
export const inTransaction = <Result>(
  database: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> => repeatConflicting(() => database.transaction().execute(work));

/** Tries of what conflicts with others: they may meet again. */
const conflictTries = 4;

/** Whether it was undone because of others, and may succeed when repeated. */
export const isConflict = (error: unknown): boolean => error instanceof DatabaseFault && error.reason === 'conflict';

/** Runs a statement or transaction, again after a conflict. @throws as `work` does */
export async function repeatConflicting<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === conflictTries || !isConflict(error)) throw error;
    }
  }
}
