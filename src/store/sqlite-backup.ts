import { closeSync, constants, fsyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../kernel/lib/to-error.ts';
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

/** Reads the whole file. @throws DamagedDatabase if damaged or no gateway's; DatabaseFault if unreadable */
export function checkDatabase(file: string) {
  return readFrom(file, (database) => {
    const single = (query: string) => database.prepare(query).get()?.value;
    const problem = single('select integrity_check as value from pragma_integrity_check');
    if (problem !== 'ok') throw new DamagedDatabase(`${file} is damaged: ${problem}`);
    const orphans = single('select "table" as value from pragma_foreign_key_check limit 1');
    if (orphans !== undefined) throw new DamagedDatabase(`${file} is damaged: rows of "${orphans}" belong to nothing`);
    const tables = single(`select count(*) as value from sqlite_schema where name in ('deployment', 'events')`);
    if (tables !== 2) throw new DamagedDatabase(`${file} is not the database of a gateway`);
    const secret = single(`select value from deployment where name = 'secret'`);
    return {
      /** Recognizes the deployment's secret; undefined in a database that was never used. */
      secretCheck: typeof secret === 'string' ? secret : undefined,
      events: Number(single('select count(*) as value from events')),
      bytes: Number(single('select page_count * page_size as value from pragma_page_count, pragma_page_size')),
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
    throw new DamagedDatabase(`${file} is damaged: ${messageOf(error)}`, {
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
