import { openDatabaseFile } from './database-file.ts';
import { DatabaseFault, sqliteFault } from './faults.ts';

/**
 * Reads every table and writes a row, on a connection of its own: others remember what they have read.
 * A locked file counts as writable. @throws DatabaseFault when it is damaged, full, read-only or gone
 */
export function checkSqlite(file: string, write: string): void {
  try {
    const database = openDatabaseFile(file, { access: 'write', timeout: 0 });
    try {
      database.exec('pragma synchronous = full');
      const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
      for (const { name } of tables) database.prepare(`select * from "${name}" limit 1`).get();
      database.exec(write);
    } finally {
      database.close();
    }
  } catch (error) {
    const fault = sqliteFault(error);
    if (!(fault instanceof DatabaseFault) || fault.reason !== 'slow') throw fault;
  }
}
