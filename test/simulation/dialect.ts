/** A process's way to the shared database, behind Kysely: every statement is an event, takes time, and can fail. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
} from 'kysely';
import { SqliteCompiler } from '../../src/store/query-compilers.ts';
import type { SharedDatabase } from './shared-database.ts';
import type { WriterLock } from './writer-lock.ts';

/** What becomes of a statement: it is not executed, or executed without an answer, or takes so long before and after it. */
export interface Fate {
  readonly refused?: Error;
  readonly unanswered?: Error;
  readonly before: number;
  readonly after: number;
}

/** The process that uses the database. */
export interface DatabaseUser {
  readonly name: string;
  /** Resolves in so many milliseconds, and never if the process dies before. */
  wait(ms: number): Promise<void>;
  /** Decides the fate of a statement. */
  fateOf(sql: string): Fate;
  /** Is told when a transaction has committed that changed rows. */
  committed(): void;
}

export class SimulatedDialect extends SqliteDialect {
  readonly #connect: () => SimulatedConnection;

  constructor(database: SharedDatabase, lock: WriterLock, user: DatabaseUser) {
    super({
      database: () => {
        throw new Error('The database is open');
      },
    });
    this.#connect = () => new SimulatedConnection(database, lock, user);
  }

  override createDriver(): Driver {
    const connect = this.#connect;
    return {
      init: async () => {},
      acquireConnection: async () => connect(),
      beginTransaction: (connection) => asOurs(connection).begin(),
      commitTransaction: (connection) => asOurs(connection).commit(),
      rollbackTransaction: (connection) => asOurs(connection).rollback(),
      releaseConnection: async () => {},
      destroy: async () => {},
    };
  }

  override createQueryCompiler(): SqliteCompiler {
    return new SqliteCompiler();
  }

  override createAdapter(): SqliteAdapter {
    return new SimulatedAdapter();
  }
}

class SimulatedAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

function asOurs(connection: DatabaseConnection): SimulatedConnection {
  if (connection instanceof SimulatedConnection) return connection;
  throw new Error('The connection is of another dialect');
}

class SimulatedConnection implements DatabaseConnection {
  readonly #database: SharedDatabase;
  readonly #lock: WriterLock;
  readonly #user: DatabaseUser;
  #release: (() => void) | null = null;
  /** Why the transaction can only be rolled back. */
  #broken: Error | null = null;
  #changes = 0;

  constructor(database: SharedDatabase, lock: WriterLock, user: DatabaseUser) {
    this.#database = database;
    this.#lock = lock;
    this.#user = user;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#release !== null) return this.#execute(sql, parameters);
    const release = await this.#lock.acquire(this.#user.name);
    try {
      const result = await this.#execute<Row>(sql, parameters);
      if (this.#changes > 0) this.#user.committed();
      return result;
    } finally {
      this.#changes = 0;
      release();
    }
  }

  // biome-ignore lint/correctness/useYield: it has nothing to yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Statements are not streamed');
  }

  async begin(): Promise<void> {
    const release = await this.#lock.acquire(this.#user.name);
    this.#release = release;
    this.#broken = null;
    this.#changes = 0;
    try {
      await this.#execute('begin immediate', []);
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async commit(): Promise<void> {
    await this.#execute('commit', [], () => {
      if (this.#changes > 0) this.#user.committed();
    });
    this.#end();
  }

  async rollback(): Promise<void> {
    this.#end();
  }

  #end(): void {
    // After a commit that was not answered there is nothing to undo.
    this.#database.rollback();
    this.#release?.();
    this.#release = null;
  }

  async #execute<Row>(sql: string, parameters: readonly unknown[], done = () => {}): Promise<QueryResult<Row>> {
    if (this.#broken !== null) throw this.#broken;
    const fate = this.#user.fateOf(sql);
    await this.#user.wait(fate.before);
    if (fate.refused !== undefined) throw this.#fail(fate.refused);
    const { rows, changes } = this.#database.execute(sql, parameters);
    this.#changes += changes;
    done();
    if (fate.after > 0) await this.#user.wait(fate.after);
    if (fate.unanswered !== undefined) throw this.#fail(fate.unanswered);
    // The caller's type says what the statement returns.
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
  }

  #fail(error: Error): Error {
    this.#broken = error;
    return error;
  }
}
