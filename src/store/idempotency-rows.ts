/** How much `Idempotency-Key` may store, and when it is deleted. */
import { BoundedMap } from '../bounded-map.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from './database.ts';

export const idempotencyLimits = {
  /** Of one response. Those of the contract have about a hundred; a service in front may add fields of its own. */
  bodyBytes: 16_384,
  /** Stored at a time, that is, successful requests with a key within 24 hours: more than one a second. */
  keysPerWorkspace: 100_000,
} as const;

/** The first characters of a row's id are its workspace's, so that they stand together in the index of the primary key. */
export const workspaceCharacters = 16;

/** Expired rows are deleted, and the rows of a workspace counted, at most this often by one process. */
const intervalMs = 60_000;
/** Deleted at a time, so that no request waits for long. */
const batchRows = 1_000;
/** Workspaces whose count is known at a time. */
const countedWorkspaces = 1_000;

export function idempotencyRows(database: Database, maxKeys: number) {
  const counts = new BoundedMap<string, { rows: number; readonly countedAt: number }>(countedWorkspaces);
  let deletedAt = 0;

  async function deleteExpired(time: number): Promise<void> {
    if (time - deletedAt < intervalMs) return;
    deletedAt = time;
    const expired = database.selectFrom('idempotent_responses').select('id').where('expires_at', '<=', time);
    const { numDeletedRows } = await database
      .deleteFrom('idempotent_responses')
      .where('id', 'in', expired.orderBy('expires_at').limit(batchRows))
      .executeTakeFirst();
    // There may be more: the next request deletes them.
    if (numDeletedRows === BigInt(batchRows)) deletedAt = 0;
  }

  /** Counts no further than the limit. An `f` is the last digit of hex, so that all ids of the workspace are before `g`. */
  async function countRows(workspace: string): Promise<number> {
    const counted = await database
      .selectFrom(
        database
          .selectFrom('idempotent_responses')
          .select('id')
          .where('id', '>=', workspace)
          .where('id', '<', `${workspace}g`)
          .limit(maxKeys)
          .as('own'),
      )
      .select(({ fn }) => fn.countAll<number | string>().as('rows'))
      .executeTakeFirstOrThrow();
    return Number(counted.rows);
  }

  return {
    /** @throws ServiceError `limit_too_high` when the workspace of the row has as many rows as it may have */
    async requireRoom(id: string, time: number): Promise<void> {
      await deleteExpired(time);
      const workspace = id.slice(0, workspaceCharacters);
      let known = counts.get(workspace);
      if (known === undefined || Math.abs(time - known.countedAt) >= intervalMs) {
        known = { rows: await countRows(workspace), countedAt: time };
        counts.set(workspace, known);
      }
      if (known.rows < maxKeys) return;
      throw new ServiceError('limit_too_high', {
        detail: `The workspace has used ${maxKeys} values of Idempotency-Key within 24 hours: wait, or leave the header out.`,
      });
    },
    /** Notes that the response of a row has been stored. */
    stored(id: string): void {
      const known = counts.get(id.slice(0, workspaceCharacters));
      if (known !== undefined) known.rows += 1;
    },
  };
}
