import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { busyMs, createPrivately, openDatabaseFile } from './database-file.ts';
import { DatabaseFault, sqliteFault } from './faults.ts';

/** The message names the file. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase';
}

/** Copies a database as of one instant, beside its writers. @param to must not exist. @throws DatabaseFault */
export function copyDatabase(from: string, to: string): void {
  // SQLite would create a file that every user of the machine can read. It fills an empty one.
  createPrivately(to);
  // SQLite's online backup restarts after each write of others, and would never end beside a busy gateway.
  readFrom(from, (database) => database.prepare('vacuum into ?').run(to));
}

export interface DatabaseContent {
  /** Recognizes the deployment's secret; undefined in a database that was never used. */
  readonly secretCheck: string | undefined;
  readonly events: number;
  readonly bytes: number;
}

const valueShape = z.object({ value: z.string() }).optional();
const countShape = z.object({ count: z.number() });
const problemShape = z.object({ problem: z.string() });

/** Reads the whole file. @throws DamagedDatabase if damaged or no gateway's; DatabaseFault if unreadable */
export function checkDatabase(file: string): DatabaseContent {
  return readFrom(file, (database) => {
    const integrity = database.prepare('select integrity_check as problem from pragma_integrity_check').get();
    const { problem } = problemShape.parse(integrity);
    if (problem !== 'ok') throw new DamagedDatabase(`${file} is damaged: ${problem}`);
    const orphan = database.prepare('select "table" as problem from pragma_foreign_key_check limit 1').get();
    if (orphan !== undefined) {
      throw new DamagedDatabase(
        `${file} is damaged: rows of "${problemShape.parse(orphan).problem}" belong to nothing`,
      );
    }
    const tables = database.prepare(
      `select count(*) as count from sqlite_schema where name in ('deployment', 'events')`,
    );
    if (countShape.parse(tables.get()).count !== 2)
      throw new DamagedDatabase(`${file} is not the database of a gateway`);
    const size = database.prepare('select page_count * page_size as count from pragma_page_count, pragma_page_size');
    const secret = database.prepare(`select value from deployment where name = 'secret'`).get();
    const events = database.prepare('select count(*) as count from events').get();
    return {
      secretCheck: valueShape.parse(secret)?.value,
      events: countShape.parse(events).count,
      bytes: countShape.parse(size.get()).count,
    };
  });
}

function readFrom<Result>(file: string, work: (database: DatabaseSync) => Result): Result {
  try {
    const database = openDatabaseFile(file, { access: 'read', timeout: busyMs });
    try {
      return work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    const fault = sqliteFault(error);
    if (!(fault instanceof DatabaseFault) || fault.reason !== 'damaged') throw fault;
    throw new DamagedDatabase(`${file} is damaged: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** Flushes the names in a folder. SQLite flushes its files itself. */
export function syncFolder(path: string): void {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
