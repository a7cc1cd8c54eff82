/**
 * SQLite in two threads, as `node:sqlite` blocks its own: one only reads, and so waits for no writer. Short reads are executed
 * where they are asked for (short-reads.ts).
 */
import { resolve } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  type SqliteDatabase,
  SqliteIntrospector,
} from 'kysely';
import { besideModule } from '../kernel/lib/beside-module.ts';
import { createKeyedLock } from '../kernel/lib/keyed-lock.ts';
import { busyMs } from './database-file.ts';
import { DatabaseFault, type OnFault, sqliteFault, unconfirmed } from './faults.ts';
import type { OnPool, PoolFigures } from './observed.ts';
import { SqliteCompiler } from './query-compilers.ts';
import type { Tables } from './schema.ts';
import type { MarkedQuery } from './short-reads.ts';
import { openReader, readsOnly } from './sqlite.ts';
import { TransactionalDdlAdapter } from './sqlite-dialect.ts';
import { openThread, type Thread, ThreadEnded } from './thread.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Checks the file, by {@link checkSqlite}. */
  readonly checks?: true;
}

/** A whole transaction in one order, by the `transact` of a module. */
export interface ModuleTransaction {
  readonly module: string;
  /** Plain data. */
  readonly input: unknown;
}

export type DatabaseOrder = Statement | ModuleTransaction;

/** A transaction's result is the one row. */
export type StatementResult =
  | { readonly rows: unknown[]; readonly changes?: bigint; readonly insertId?: bigint }
  /** Rows as JSON, which they fit as texts and numbers: threads copy one text sooner than a page of objects. */
  | { readonly read: string }
  | { readonly error: unknown; readonly properties: object };

type StatementThread = Thread<DatabaseOrder, StatementResult>;

export interface SqliteThreadOptions {
  readonly onPool?: OnPool;
  /** Whether the first statement starts both threads, as the other one will soon be needed. */
  readonly startsBoth?: boolean;
}

/** @param file not `:memory:`, which belongs to one connection */
export const threadedSqliteDialect = (file: string, onFault: OnFault, options: SqliteThreadOptions = {}): Dialect => ({
  createDriver: () => new ThreadedDriver(file, onFault, options),
  createAdapter: () => new ThreadedAdapter(),
  createQueryCompiler: () => new SqliteCompiler(),
  createIntrospector: (database) => new SqliteIntrospector(database),
});

/** One writer at a time per file in this process: connections that meet at the file would have to sleep. */
const writers = createKeyedLock();

/**
 * @returns releases the file, which all connections of the process share
 * @throws DatabaseFault when others wrote for as long as a statement would wait for another process: behind one that holds
 * the file, each writer waits so long in turn, and the last would write when nobody expects it any more
 */
export async function lockForWriting(file: string): Promise<() => void> {
  const began = performance.now();
  const release = await writers.acquire(resolve(file));
  if (performance.now() - began < busyMs) return release;
  release();
  throw new DatabaseFault('slow', new Error(`Others wrote to ${file} for ${busyMs} ms`));
}

/** Runs a module's `transact` in a transaction, from `begin` to `commit` in the thread that writes. @throws as both do */
type RunInThread = <Result>(module: URL, input: unknown) => Promise<Result>;

/** @returns null for a database that is not in threads */
export function inThread(database: Kysely<Tables>): RunInThread | null {
  const executor = database.getExecutor();
  if (!(executor.adapter instanceof ThreadedAdapter)) return null;
  return (module, input) =>
    executor.provideConnection((connection) => {
      if (!(connection instanceof ThreadedConnection)) throw new Error('The connection is of another database');
      return connection.transact(module, input);
    });
}

class ThreadedAdapter extends TransactionalDdlAdapter {
  /** Reads need not wait for a transaction; the lock serializes writers. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ThreadedDriver implements Driver {
  readonly #threads: readonly [reader: StatementThread, writer: StatementThread];
  readonly #connect: () => ThreadedConnection;
  readonly #startsBoth: boolean;
  readonly #file: string;
  #here: SqliteDatabase | undefined;

  constructor(file: string, onFault: OnFault, { onPool = () => undefined, startsBoth = false }: SqliteThreadOptions) {
    const entry = besideModule('./sqlite-thread-entry', import.meta.url);
    const open = () => openThread<DatabaseOrder, StatementResult>(entry, file, 'database');
    const [reader, writer] = [open(), open()];
    this.#threads = [reader, writer];
    this.#startsBoth = startsBoth;
    this.#file = file;
    onPool('reader', () => figuresOf(reader));
    onPool('writer', () => figuresOf(writer));
    this.#connect = () =>
      new ThreadedConnection(reader, writer, file, onFault, (statement) => this.#readHere(statement));
  }

  /** @returns null for what fails: the thread that reads waits for others, and says what is wrong */
  #readHere({ sql, parameters }: Statement): unknown[] | null {
    try {
      this.#here ??= openReader(this.#file);
      return this.#here.prepare(sql).all(parameters);
    } catch {
      return null;
    }
  }

  async init(): Promise<void> {
    if (this.#startsBoth) for (const thread of this.#threads) thread.start();
  }

  async acquireConnection(): Promise<ThreadedConnection> {
    return this.#connect();
  }
  beginTransaction(connection: ThreadedConnection): Promise<void> {
    return connection.begin();
  }
  commitTransaction(connection: ThreadedConnection): Promise<void> {
    return connection.commit();
  }
  rollbackTransaction(connection: ThreadedConnection): Promise<void> {
    return connection.rollback();
  }
  async releaseConnection(): Promise<void> {}

  /** In turn: of two that close at once, each would take the other for one that stays, and leave -wal and -shm. */
  async destroy(): Promise<void> {
    this.#here?.close();
    for (const thread of this.#threads) await thread.close();
  }
}

const figuresOf = ({ inFlight }: StatementThread): PoolFigures => {
  const used = Math.min(inFlight, 1);
  return { used, idle: 1 - used, waiting: inFlight - used };
};

interface OpenTransaction {
  readonly release: () => void;
  /** {@link Thread.ends} when it began. */
  readonly ends: number;
}

export class ThreadedConnection implements DatabaseConnection {
  readonly #reader: StatementThread;
  readonly #writer: StatementThread;
  readonly #file: string;
  readonly #onFault: OnFault;
  readonly #readHere: (statement: Statement) => unknown[] | null;
  #transaction: OpenTransaction | null = null;

  constructor(
    reader: StatementThread,
    writer: StatementThread,
    file: string,
    onFault: OnFault,
    readHere: (statement: Statement) => unknown[] | null,
  ) {
    this.#reader = reader;
    this.#writer = writer;
    this.#file = file;
    this.#onFault = onFault;
    this.#readHere = readHere;
  }

  async executeQuery<Row>({ sql, parameters, isShort = false }: MarkedQuery): Promise<QueryResult<Row>> {
    const statement = { sql, parameters };
    if (this.#transaction !== null) return this.#runOpen(this.#transaction, statement);
    const read = isShort ? this.#readHere(statement) : null;
    if (read !== null) {
      // As after a hop: whoever went on at once would need no turn (kernel/lib/fair-turns.ts), before all who wait for one.
      await nextRound();
      // The caller's type says what the statement returns.
      return { rows: read as Row[] };
    }
    if (readsOnly(sql)) return this.#run(this.#reader, statement);
    const release = await lockForWriting(this.#file);
    try {
      return await this.#run<Row>(this.#writer, statement);
    } finally {
      release();
    }
  }

  /** With a connection of its own, for which no transaction has to end. */
  async check(write: string): Promise<void> {
    await this.#run(this.#writer, { sql: write, parameters: [], checks: true });
  }

  // biome-ignore lint/correctness/useYield: it has nothing to yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Statements on SQLite are not streamed');
  }

  async begin(): Promise<void> {
    const release = await lockForWriting(this.#file);
    try {
      await this.#run(this.#writer, { sql: 'begin', parameters: [] });
    } catch (error) {
      release();
      throw error;
    }
    this.#transaction = { release, ends: this.#writer.ends };
  }

  /** @throws ServiceError with unknown outcome, when the thread ends in the commit or the disk fails */
  async commit(): Promise<void> {
    await this.#end('commit').catch(refuseCommit);
    this.#release();
  }

  async transact<Result>(module: URL, input: unknown): Promise<Result> {
    const release = await lockForWriting(this.#file);
    try {
      const { rows } = await this.#run<Result>(this.#writer, { module: module.href, input }).catch(refuseCommit);
      // One row, as the thread says.
      return rows[0] as Result;
    } finally {
      release();
    }
  }

  async rollback(): Promise<void> {
    try {
      await this.#end('rollback');
    } catch (error) {
      // The transaction ended with its thread. The caller wants the reason of that, not this error.
      if (this.#transaction?.ends === this.#writer.ends) throw error;
    } finally {
      this.#release();
    }
  }

  async #end(sql: 'commit' | 'rollback'): Promise<void> {
    if (this.#transaction !== null) await this.#runOpen(this.#transaction, { sql, parameters: [] });
  }

  #release(): void {
    this.#transaction?.release();
    this.#transaction = null;
  }

  /** Statements after one that was lost with its thread must not run by themselves. */
  async #runOpen<Row>({ ends }: OpenTransaction, statement: Statement): Promise<QueryResult<Row>> {
    if (this.#writer.ends === ends) return this.#run(this.#writer, statement);
    throw new DatabaseFault('unavailable', new Error('The transaction ended with the thread of the database'));
  }

  async #run<Row>(thread: StatementThread, order: DatabaseOrder): Promise<QueryResult<Row>> {
    const result = await thread.run(order).catch((error: unknown) => {
      throw error instanceof ThreadEnded ? new DatabaseFault('unavailable', error) : error;
    });
    if ('error' in result) throw this.#faultOf(result);
    // The caller's type says what the statement returns.
    if ('read' in result) return { rows: JSON.parse(result.read) };
    const { rows, changes, insertId } = result;
    return {
      rows: rows as Row[],
      ...(changes === undefined ? {} : { numAffectedRows: changes }),
      ...(insertId === undefined ? {} : { insertId }),
    };
  }

  #faultOf({ error, properties }: { readonly error: unknown; readonly properties: object }): unknown {
    const fault = sqliteFault(error instanceof Error ? Object.assign(error, properties) : error);
    if (fault instanceof DatabaseFault) this.#onFault(fault);
    return fault;
  }
}

/** SQLITE_IOERR_FSYNC: only a crash shows what the disk has of the commit. */
const notSynced = 10 | (4 << 8);

function refuseCommit(error: unknown): never {
  throw error instanceof DatabaseFault && mayBeStored(error) ? unconfirmed(error) : error;
}

function mayBeStored({ cause }: DatabaseFault): boolean {
  // The driver's error, marked by the thread.
  const { errcode, carriedOut } = cause as { readonly errcode?: unknown; readonly carriedOut?: unknown };
  return cause instanceof ThreadEnded || errcode === notSynced || carriedOut === true;
}
