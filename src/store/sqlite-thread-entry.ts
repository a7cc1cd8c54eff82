/** Entry of a thread that executes statements on a SQLite file, on a connection of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import type { SqliteDatabase } from 'kysely';
import { DatabaseFault } from './faults.ts';
import { checkSqlite, openSqlite } from './sqlite.ts';
import type { DatabaseOrder, ModuleTransaction, Statement, StatementResult } from './sqlite-threads.ts';
import type { ThreadJob, ThreadResult } from './thread.ts';

if (parentPort === null) throw new Error('This is the program of a thread');
const port = parentPort;
let database: SqliteDatabase | null = null;

port.on('message', (job: ThreadJob<DatabaseOrder>) => {
  if (job === null) {
    database?.close();
    port.close();
    return;
  }
  const { id, order } = job;
  const respond = (report: StatementResult): void =>
    port.postMessage({ id, report } satisfies ThreadResult<StatementResult>);
  if ('sql' in order) respond(executeStatement(order));
  else executeOrder(order).then(respond, (error: unknown) => respond(failedStatement(error)));
});

function executeStatement({ sql, parameters, checks }: Statement): StatementResult {
  try {
    if (checks) {
      checkSqlite(workerData, sql);
      return { rows: [] };
    }
    database ??= openSqlite(workerData);
    const statement = database.prepare(sql);
    if (statement.reader) return { read: JSON.stringify(statement.all(parameters)) };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], changes: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  } catch (error) {
    return failedStatement(error);
  }
}

async function executeOrder(order: ModuleTransaction): Promise<StatementResult> {
  // Kysely has 250 modules.
  const { transactIn } = await import('./module-transaction.ts');
  database ??= openSqlite(workerData);
  return { rows: [await transactIn(database, order)] };
}

/** Only message and stack of an error would arrive: the other thread makes the fault anew. */
function failedStatement(error: unknown): StatementResult {
  const cause = error instanceof DatabaseFault ? error.cause : error;
  return { error: cause, properties: cause instanceof Error ? { ...cause } : {} };
}
