/**
 * The quota of a workspace: bytes of its events, with their deliveries and attempts, and of its job postings. Written
 * once a second, outside the transactions that store them: they would wait for one row.
 */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../kernel/errors.ts';
import { within } from '../kernel/lib/abort-signal.ts';
import type { After } from '../kernel/lib/after.ts';
import { createKeyedLock } from '../kernel/lib/keyed-lock.ts';
import { addTo, type Tally } from '../kernel/lib/tally.ts';
import { day } from '../kernel/lib/time-units.ts';
import type { Trouble } from '../kernel/troubles.ts';
import type { Database } from './database.ts';

/** Size of a row of an event, a delivery, an attempt or a posting, besides its data. */
export const rowBytes = 512;

const saveMs = 1_000;

/** Between two sums of a workspace: what other processes store is known so much later. */
const knownMs = 60_000;

/** The wait of a command for a sum. */
const readMs = 500;

const maxKnown = 10_000;

/** The day of bytes that no retention deletes. */
const forGood = 2 ** 31 - 1;

interface StoredBytesOptions {
  readonly database: Database;
  /** Quota of a workspace; 0 for any number. */
  readonly maxBytes: number;
  readonly now: () => Date;
  readonly after: After;
  /** Bytes that could not be stored are tried again. */
  readonly trouble: Trouble;
  /** A sum that could not be read is read a minute later. */
  readonly unread: Trouble;
}

interface Sum {
  bytes: number;
  readonly at: number;
  /** Ends in time, and never fails. */
  readonly isRead: Promise<void>;
}

export type StoredBytes = ReturnType<typeof createStoredBytes>;

export function createStoredBytes({ database, maxBytes, now, after, trouble, unread }: StoredBytesOptions) {
  const known = new LRUCache<string, Sum>({ max: maxKnown });
  /** One statement at a time: whoever has locked the table gets one connection. */
  const turns = createKeyedLock();
  const wanted = new Set<string>();
  let nextSums: Promise<ReadonlyMap<string, number>> | null = null;
  const ofToday: Tally = new Map();
  const ofJobs: Tally = new Map();
  const unsaved = [ofToday, ofJobs];
  let cancel: (() => void) | null = null;

  const today = () => Math.floor(now().getTime() / day);

  const saveLater = () => {
    cancel ??= after(saveMs, () => {
      inTurn(save).catch(trouble.failed);
    });
  };

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await turns.acquire('');
    try {
      return await work();
    } finally {
      leave();
    }
  }

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

  const unsavedOf = (workspaceId: string) => unsaved.reduce((sum, tally) => sum + (tally.get(workspaceId) ?? 0), 0);

  async function sumOf(workspaceId: string): Promise<number> {
    wanted.add(workspaceId);
    nextSums ??= inTurn(readWanted);
    const sums = await nextSums;
    return sums.get(workspaceId) ?? 0;
  }

  async function readWanted(): Promise<ReadonlyMap<string, number>> {
    const ids = [...wanted];
    wanted.clear();
    nextSums = null;
    const rows = await database
      .selectFrom('stored_bytes')
      .select(['workspace_id', ({ fn }) => fn.sum<number | string>('bytes').as('bytes')])
      .where('workspace_id', 'in', ids)
      .groupBy('workspace_id')
      .execute();
    const stored = new Map(rows.map(({ workspace_id, bytes }) => [workspace_id, Number(bytes)]));
    return new Map(ids.map((id) => [id, (stored.get(id) ?? 0) + unsavedOf(id)]));
  }

  /**
   * Begins to read the sum of a workspace. Commands go on without it if somebody has locked the table: until it is known,
   * what this process stores counts from the sum before, and from none after a start.
   */
  function readSum(workspaceId: string, at: number): Sum {
    const read = sumOf(workspaceId).then((bytes) => {
      sum.bytes = bytes;
      unread.worked();
    });
    const bytes = known.get(workspaceId)?.bytes ?? unsavedOf(workspaceId);
    const sum: Sum = { bytes, at, isRead: within(readMs, read, 'The sum was not read in time').catch(unread.failed) };
    known.set(workspaceId, sum);
    return sum;
  }

  function addOf(tally: Tally, workspaceId: string, bytes: number): void {
    addTo(tally, workspaceId, bytes);
    const sum = known.get(workspaceId);
    if (sum !== undefined) sum.bytes += bytes;
    saveLater();
  }

  return {
    /** @throws ServiceError `action_required` for a workspace that has stored its quota, as far as that can be known */
    async requireRoom(workspaceId: string): Promise<void> {
      if (maxBytes === 0) return;
      const at = now().getTime();
      let sum = known.get(workspaceId);
      if (sum === undefined || Math.abs(at - sum.at) >= knownMs) sum = readSum(workspaceId, at);
      await sum.isRead;
      if (sum.bytes < maxBytes) return;
      throw new ServiceError('action_required', {
        detail: `The events and postings of the workspace take ${sum.bytes} bytes, and can take ${maxBytes}: wait until old events are deleted, or have STORED_BYTES_PER_WORKSPACE raised.`,
      });
    },
    /** Adds what goes with old events. */
    add: (workspaceId: string, bytes: number) => addOf(ofToday, workspaceId, bytes),
    /** Adds what stays. */
    addForGood: (workspaceId: string, bytes: number) => addOf(ofJobs, workspaceId, bytes),
    /** Writes what was added, as far as the database can: the events are stored whether or not they are counted. */
    async close(): Promise<void> {
      await inTurn(save);
      cancel?.();
    },
  };
}

/** Forgets the bytes of deleted events: retention deletes the oldest of all workspaces first. @returns the oldest day left */
export async function forgetDeletedBytes(database: Database, now: number, known: number): Promise<number> {
  const { oldest } = await database
    .selectFrom('events')
    .select(({ fn }) => fn.min<number | string | null>('created_at').as('oldest'))
    .executeTakeFirstOrThrow();
  const from = Math.floor(Number(oldest ?? now) / day);
  if (from !== known) await database.deleteFrom('stored_bytes').where('day', '<', from).execute();
  return from;
}

/** In one order, so that no two processes wait for each other. */
const rowsOf = (tally: Tally, ofDay: number) =>
  [...tally]
    .map(([workspace_id, bytes]) => ({ workspace_id, day: ofDay, bytes }))
    .sort((one, other) => (one.workspace_id < other.workspace_id ? -1 : 1));
