/** How much `Idempotency-Key` may store, and when it is deleted. */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from './database.ts';

export const idempotencyLimits = {
  /** Of one response. Those of the contract have about a hundred; a service in front may add fields of its own. */
  bodyBytes: 16_384,
  /** Stored at a time, that is, successful requests with an `Idempotency-Key` within 24 hours: more than one a second. */
  rowsOfApiKey: 100_000,
} as const;

/** The first characters of a row's id are its API key's, so that its rows stand together in the index of the primary key. */
export const apiKeyCharacters = 16;

/** Expired rows are deleted, and the rows of an API key counted, at most this often by one process. */
const intervalMs = 60_000;
/** Deleted at a time, so that no request waits for long. */
const batchRows = 1_000;
/** API keys whose count is known at a time. */
const countedApiKeys = 1_000;

export function idempotencyRows(database: Database, maxRows: number) {
  const counts = new LRUCache<string, { rows: number; readonly countedAt: number }>({ max: countedApiKeys });
  let deletedAt = 0;

  async function deleteExpired(time: number): Promise<void> {
    // A clock that was set back must not put the next deletion off until it has caught up.
    if (Math.abs(time - deletedAt) < intervalMs) return;
    deletedAt = time;
    const expired = database.selectFrom('idempotent_responses').select('id').where('expires_at', '<=', time);
    const { numDeletedRows } = await database
      .deleteFrom('idempotent_responses')
      .where('id', 'in', expired.orderBy('expires_at').limit(batchRows))
      .executeTakeFirst();
    // There may be more: the next request deletes them.
    if (numDeletedRows === BigInt(batchRows)) deletedAt = 0;
  }

  /** Counts no further than the limit. An `f` is the last digit of hex, so that all ids of the API key are before `g`. */
  async function countRows(apiKey: string): Promise<number> {
    const counted = await database
      .selectFrom(
        database
          .selectFrom('idempotent_responses')
          .select('id')
          .where('id', '>=', apiKey)
          .where('id', '<', `${apiKey}g`)
          .limit(maxRows)
          .as('own'),
      )
      .select(({ fn }) => fn.countAll<number | string>().as('rows'))
      .executeTakeFirstOrThrow();
    return Number(counted.rows);
  }

  return {
    /** @throws ServiceError `limit_too_high` when the API key of the row has as many rows as it may have */
    async requireRoom(id: string, time: number): Promise<void> {
      await deleteExpired(time);
      const apiKey = id.slice(0, apiKeyCharacters);
      let known = counts.get(apiKey);
      if (known === undefined || Math.abs(time - known.countedAt) >= intervalMs) {
        known = { rows: await countRows(apiKey), countedAt: time };
        counts.set(apiKey, known);
      }
      if (known.rows < maxRows) return;
      throw new ServiceError('limit_too_high', {
        detail: `The API key has used ${maxRows} values of Idempotency-Key within 24 hours: wait, or leave the header out.`,
      });
    },
    /** Notes that the response of a row has been stored. */
    stored(id: string): void {
      const known = counts.get(id.slice(0, apiKeyCharacters));
      if (known !== undefined) known.rows += 1;
    },
  };
}
