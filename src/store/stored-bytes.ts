/**
 * The quota of a workspace: bytes of its events, with their deliveries and attempts, and of its job postings. Written
 * once a second, outside the transactions that store them: they would wait for one row.
 */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../kernel/errors.ts';
import { addTo, type Tally } from '../kernel/lib/tally.ts';
import { day } from '../kernel/lib/time-units.ts';
import type { Trouble } from '../kernel/troubles.ts';
import type { Database } from './database.ts';

/** Of a row of an event, a delivery, an attempt or a posting, besides its data. */
export const rowBytes = 512;

const saveMs = 1_000;

/** Between two sums of a workspace: what other processes store is known so much later. */
const knownMs = 60_000;

const maxKnown = 10_000;

/** The day of bytes that no retention deletes. */
const forGood = 2 ** 31 - 1;

type After = (ms: number, act: () => void) => () => void;

interface StoredBytesOptions {
  readonly database: Database;
  /** Of a workspace; 0 for any number. */
  readonly maxBytes: number;
  readonly now: () => Date;
  readonly after: After;
  /** Bytes that could not be stored are tried again. */
  readonly trouble: Trouble;
}

export type StoredBytes = ReturnType<typeof createStoredBytes>;

export function createStoredBytes({ database, maxBytes, now, after, trouble }: StoredBytesOptions) {
  const known = new LRUCache<string, { bytes: number; readonly at: number }>({ max: maxKnown });
  const ofToday: Tally = new Map();
  const ofJobs: Tally = new Map();
  const unsaved = [ofToday, ofJobs];
  let cancel: (() => void) | null = null;

  const today = () => Math.floor(now().getTime() / day);

  const saveLater = () => {
    cancel ??= after(saveMs, () => {
      save().catch(trouble.failed);
    });
  };

  async function save(): Promise<void> {
    cancel?.();
    cancel = null;
    const rows = [rowsOf(ofToday, today()), rowsOf(ofJobs, forGood)].flat();
    if (rows.length === 0) return;
    for (const tally of unsaved) tally.clear();
    try {
      await database
        .insertInto('stored_bytes')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['workspace_id', 'day'])
            .doUpdateSet(({ ref, eb }) => ({ bytes: eb('stored_bytes.bytes', '+', ref('excluded.bytes')) })),
        )
        .execute();
      trouble.worked();
    } catch (error) {
      trouble.failed(error);
      for (const row of rows) addTo(row.day === forGood ? ofJobs : ofToday, row.workspace_id, row.bytes);
      saveLater();
    }
  }

  /** Retention deletes the oldest events of all workspaces first: what is older than the oldest is gone. */
  async function sumOf(workspaceId: string): Promise<number> {
    const { oldest } = await database
      .selectFrom('events')
      .select(({ fn }) => fn.min<number | string | null>('created_at').as('oldest'))
      .executeTakeFirstOrThrow();
    const from = oldest === null ? today() : Math.floor(Number(oldest) / day);
    await database.deleteFrom('stored_bytes').where('workspace_id', '=', workspaceId).where('day', '<', from).execute();
    const { bytes } = await database
      .selectFrom('stored_bytes')
      .where('workspace_id', '=', workspaceId)
      .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
      .executeTakeFirstOrThrow();
    return unsaved.reduce((sum, tally) => sum + (tally.get(workspaceId) ?? 0), Number(bytes ?? 0));
  }

  function addOf(tally: Tally, workspaceId: string, bytes: number): void {
    addTo(tally, workspaceId, bytes);
    const sum = known.get(workspaceId);
    if (sum !== undefined) sum.bytes += bytes;
    saveLater();
  }

  return {
    /** @throws ServiceError `action_required` for a workspace that has stored its quota */
    async requireRoom(workspaceId: string): Promise<void> {
      if (maxBytes === 0) return;
      const at = now().getTime();
      let sum = known.get(workspaceId);
      if (sum === undefined || Math.abs(at - sum.at) >= knownMs) {
        sum = { bytes: await sumOf(workspaceId), at };
        known.set(workspaceId, sum);
      }
      if (sum.bytes < maxBytes) return;
      throw new ServiceError('action_required', {
        detail: `The events and postings of the workspace take ${sum.bytes} bytes, and can take ${maxBytes}: wait until old events are deleted, or have STORED_BYTES_PER_WORKSPACE raised.`,
      });
    },
    /** Of what goes with old events. */
    add: (workspaceId: string, bytes: number) => addOf(ofToday, workspaceId, bytes),
    /** Of what stays. */
    addForGood: (workspaceId: string, bytes: number) => addOf(ofJobs, workspaceId, bytes),
    /** Writes what was added, as far as the database can: the events are stored whether or not they are counted. */
    async close(): Promise<void> {
      await save();
      cancel?.();
    },
  };
}

/** In one order, so that no two processes wait for each other. */
const rowsOf = (tally: Tally, ofDay: number) =>
  [...tally]
    .map(([workspace_id, bytes]) => ({ workspace_id, day: ofDay, bytes }))
    .sort((one, other) => (one.workspace_id < other.workspace_id ? -1 : 1));
