/** Quota and expiry of what `Idempotency-Key` stores. */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from './database.ts';
import { unlocked } from './locks.ts';

export const idempotencyLimits = {
  /** Those of the contract have about a hundred bytes; a service in front may add fields. */
  bodyBytes: 16_384,
  /** More than one successful request a second within 24 hours. */
  rowsOfApiKey: 100_000,
} as const;

/** The id begins with a hash of the API key, so that its rows are adjacent in the primary key. */
export const apiKeyCharacters = 16;

/** Between two deletions, or counts of an API key, of one process. */
const intervalMs = 60_000;
/** Per deletion, so that no request waits for long. */
const batchRows = 1_000;
/** API keys whose count is remembered. */
const countedApiKeys = 1_000;

export function idempotencyRows(database: Database, maxRows: number) {
  const counts = new LRUCache<string, { rows: number; readonly countedAt: number }>({ max: countedApiKeys });
  let deletedAt = 0;

  async function deleteExpired(time: number): Promise<void> {
    // A clock that was set back must not put off the next deletion.
    if (Math.abs(time - deletedAt) < intervalMs) return;
    deletedAt = time;
    const { numAffectedRows } = await sql`
      delete from idempotent_responses where id in (
        select id from idempotent_responses where expires_at <= ${time}
        order by expires_at limit ${sql.lit(batchRows)} ${unlocked()})`.execute(database);
    // There may be more: the next request goes on.
    if (numAffectedRows === BigInt(batchRows)) deletedAt = 0;
  }

  /** Counts up to the limit. `g` comes after every hex digit, and so after every id of the API key. */
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
    /** @throws ServiceError `limit_too_high` when the API key of the row has its quota */
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
        detail: `The API key has used ${maxRows} idempotency keys within 24 hours: wait, or leave the key out.`,
      });
    },
    /** Counts a stored response. */
    stored(id: string): void {
      const known = counts.get(id.slice(0, apiKeyCharacters));
      if (known !== undefined) known.rows += 1;
    },
  };
}
