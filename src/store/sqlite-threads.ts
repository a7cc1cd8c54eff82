/** SQLite in two threads, as `node:sqlite` blocks its own: one only reads, and so waits for no writer. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type SqliteAdapter,
  SqliteDialect,
} from 'kysely';
import { DatabaseFault, type OnFault, sqliteFault, unconfirmed } from './faults.ts';
import { SqliteCompiler } from './long-lists.ts';
import type { OnPool, PoolFigures } from './observed.ts';
import { readsOnly } from './sqlite.ts';
import { TransactionalDdlAdapter } from './sqlite-dialect.ts';
import { openThread, type Thread, ThreadEnded } from './thread.ts';
import { type WriteLock, writeLockOf } from './write-lock.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Of the file, by {@link checkSqlite}. */
  readonly checks?: true;
}

export type StatementResult =
  | { readonly rows: unknown[]; readonly changes?: bigint; readonly insertId?: bigint }
  | { readonly error: unknown; readonly properties: object };

type StatementThread = Thread<Statement, StatementResult>;

/** @param file not `:memory:`, which belongs to one connection */
export class ThreadedSqliteDialect extends SqliteDialect {
  readonly #file: string;
  readonly #onFault: OnFault;
  readonly #onPool: OnPool | undefined;

  constructor(file: string, onFault: OnFault, onPool?: OnPool) {
    super({
      database: () => {
        throw new Error('The threads open the database');
      },
    });
    this.#file = file;
    this.#onFault = onFault;
    this.#onPool = onPool;
  }

  override createDriver(): Driver {
    return new ThreadedDriver(this.#file, this.#onFault, this.#onPool);
  }

  override createAdapter(): SqliteAdapter {
    return new ThreadedAdapter();
  }

  override createQueryCompiler(): SqliteCompiler {
    return new SqliteCompiler();
  }
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

  constructor(file: string, onFault: OnFault, onPool: OnPool = () => undefined) {
    const entry = new URL('./sqlite-thread-entry.ts', import.meta.url);
    const open = () => openThread<Statement, StatementResult>(entry, file, 'database');
    const [reader, writer] = [open(), open()];
    const lock = writeLockOf(file);
    this.#threads = [reader, writer];
    onPool('reader', () => figuresOf(reader));
    onPool('writer', () => figuresOf(writer));
    this.#connect = () => new ThreadedConnection(reader, writer, lock, onFault);
  }

  async init(): Promise<void> {}

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
  readonly #lock: WriteLock;
  readonly #onFault: OnFault;
  #transaction: OpenTransaction | null = null;

  constructor(reader: StatementThread, writer: StatementThread, lock: WriteLock, onFault: OnFault) {
    this.#reader = reader;
    this.#writer = writer;
    this.#lock = lock;
    this.#onFault = onFault;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = { sql, parameters };
    if (this.#transaction !== null) return this.#runOpen(this.#transaction, statement);
    if (readsOnly(sql)) return this.#run(this.#reader, statement);
    const release = await this.#lock.acquire();
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
    const release = await this.#lock.acquire();
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
    await this.#end('commit').catch((error: unknown) => {
      throw error instanceof DatabaseFault && mayBeStored(error) ? unconfirmed(error) : error;
    });
    this.#release();
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

  async #run<Row>(thread: StatementThread, statement: Statement): Promise<QueryResult<Row>> {
    const result = await thread.run(statement).catch((error: unknown) => {
      throw error instanceof ThreadEnded ? new DatabaseFault('unavailable', error) : error;
    });
    if ('error' in result) throw this.#faultOf(result);
    const { rows, changes, insertId } = result;
    return {
      // The caller's type says what the statement returns.
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

function mayBeStored({ cause }: DatabaseFault): boolean {
  // The driver's error, marked by the thread.
  const { errcode, carriedOut } = cause as { readonly errcode?: unknown; readonly carriedOut?: unknown };
  return cause instanceof ThreadEnded || errcode === notSynced || carriedOut === true;
}
