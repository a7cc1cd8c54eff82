/** Postgres behind Kysely: a pool that abandons silent connections and replaces stale ones. */
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  sql,
} from 'kysely';
import pg from 'pg';
import { type Deadline, underDeadline } from '../kernel/lib/abort-signal.ts';
import { createKeyedLock } from '../kernel/lib/keyed-lock.ts';
import { DatabaseFault, type OnFault, unconfirmed } from './faults.ts';
import type { PoolFigures } from './observed.ts';
import { clientConfig, goodbyeMs, limitsOf, onceLate, PostgresClient, silentMs } from './postgres-client.ts';
import { postgresFault } from './postgres-faults.ts';
import type { PostgresSettings } from './postgres-settings.ts';
import { PostgresCompiler } from './query-compilers.ts';
import type { MarkedQuery } from './short-reads.ts';
import { readsOnly } from './sqlite.ts';
import { type Prepared, StatementNames } from './statement-names.ts';
import { repeatConflicting } from './transaction.ts';

/**
 * Connections belong to the epoch in which they were made. A silent one, or one to a read-only server, ends its epoch,
 * and none of that epoch serves another request: after a failover all of them lead to the old server.
 */
export class Epoch {
  #current = 0;
  readonly #listeners = new Set<() => void>();

  get current(): number {
    return this.#current;
  }

  onEnd(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Ends `epoch` unless it has ended. */
  end(epoch: number): void {
    if (epoch !== this.#current) return;
    this.#current += 1;
    for (const listener of this.#listeners) listener();
  }
}

export interface PostgresPoolOptions {
  /** Shared by several pools; by default each pool has its own. */
  readonly epoch?: Epoch;
  readonly onFault?: OnFault;
  readonly onFigures?: (figures: () => PoolFigures) => void;
  /** Statements to prepare on each connection. `all` are planned once, too. */
  readonly prepares?: Prepared;
  /** A statement that each connection begins with. */
  readonly session?: string | undefined;
  /** Whether each transaction may get another session of the server: then nothing is left to the session. */
  readonly sharesSessions?: boolean;
}

/** "cached plan must not change result type", as a migration has changed a column, and "prepared statement does not exist". */
const stalePlans: ReadonlySet<string | undefined> = new Set(['0A000', '26000']);

/** A plan that is made once must not depend on table sizes: while tables are small, a full scan looks cheapest. */
const onePlan = `set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off`;

export const postgresDialect = (url: string, settings: PostgresSettings, options: PostgresPoolOptions): Dialect => ({
  createAdapter: () => new MigratingAdapter(),
  createQueryCompiler: () => new PostgresCompiler(),
  createIntrospector: (database) => new PostgresIntrospector(database),
  createDriver: () => new PooledDriver(url, settings, options),
});

/** Number of the migration lock in Kysely, which older gateways take. */
const migrationLock = 3853314791062309107n;

/** Kysely's lock would wait for an hour, with a snapshot that `create index concurrently` waits for. */
class MigratingAdapter extends PostgresAdapter {
  override async acquireMigrationLock(database: Kysely<unknown>): Promise<void> {
    await sql`select pg_advisory_lock(${sql.lit(migrationLock)})`.execute(database);
  }
}

/** Of a connection: those behind a read wait for it. */
const mostTogether = 16;

/** Short reads that share a connection: they leave in one packet, as to send one costs more than most of them. */
interface Together {
  readonly opening: Promise<PooledConnection>;
  begun: number;
  ended: number;
}

const nothing = (): void => undefined;

class PooledDriver implements Driver {
  readonly #settings: PostgresSettings;
  readonly #epoch: Epoch;
  readonly #onFault: OnFault;
  readonly #pool: pg.Pool;
  readonly #open = new Map<PostgresClient, number>();
  readonly #used = new Set<PooledConnection>();
  /** Commands wait for what others have locked, and reads would wait behind them. */
  readonly #commands: ReturnType<typeof createKeyedLock>;
  readonly #leavesToReads: boolean;
  /** Null if none are prepared. */
  readonly #names: StatementNames | null;
  /** What each connection begins with; null for nothing. */
  readonly #session: string | null;
  /** What each transaction begins with. */
  readonly #begin: string;
  /** Short reads that begin now, while a connection is taken for them. */
  #together: Together | null = null;

  constructor(
    url: string,
    settings: PostgresSettings,
    {
      epoch = new Epoch(),
      onFault = () => undefined,
      onFigures,
      prepares,
      session,
      sharesSessions = false,
    }: PostgresPoolOptions,
  ) {
    this.#names = prepares === undefined || sharesSessions ? null : new StatementNames(prepares);
    const beginning = [limitsOf(settings, 'session'), prepares === 'all' ? onePlan : [], session ?? []].flat();
    this.#session = sharesSessions ? null : beginning.join('; ');
    this.#begin = sharesSessions ? `begin; ${limitsOf(settings, 'local')}` : 'begin';
    this.#leavesToReads = prepares === 'repeated';
    this.#commands = createKeyedLock(undefined, () => Math.max(1, settings.connections - 1));
    this.#settings = settings;
    this.#epoch = epoch;
    this.#onFault = onFault;
    // Statements that wait for a silent server have waited long enough.
    epoch.onEnd(() => {
      for (const connection of this.#used) connection.hurry();
    });
    this.#pool = new pg.Pool({
      ...clientConfig(url, settings),
      Client: PostgresClient,
      max: settings.connections,
      maxLifetimeSeconds: settings.lifetimeSeconds,
      types: { getTypeParser },
      pipeline: this.#session !== null,
    });
    onFigures?.(() => {
      const { totalCount, idleCount: idle, waitingCount: waiting } = this.#pool;
      return { used: totalCount - idle, idle, waiting };
    });
    // The pool has dropped the connection already, as for the listener of the client.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => {
      if (!(client instanceof PostgresClient)) return;
      this.#open.set(client, epoch.current);
      client.once('end', () => this.#open.delete(client));
    });
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<LazyConnection> {
    const open = async (isRead: boolean) => {
      const leave = isRead || !this.#leavesToReads ? nothing : await this.#enterCommands();
      try {
        const connection = await this.#connect();
        connection.whenReleased = leave;
        return connection;
      } catch (error) {
        leave();
        throw error;
      }
    };
    // Without a session, a statement is a transaction of several, and others cannot come between them.
    return new LazyConnection(open, this.#session === null ? null : (query) => this.#readTogether(query));
  }

  async #readTogether<Row>(query: MarkedQuery): Promise<QueryResult<Row>> {
    this.#together ??= this.#gather();
    const together = this.#together;
    together.begun += 1;
    if (together.begun === mostTogether) this.#together = null;
    const connection = await together.opening;
    try {
      return await connection.executeQuery<Row>(query);
    } finally {
      together.ended += 1;
      if (together.ended === together.begun) this.#release(connection);
    }
  }

  #gather(): Together {
    const together = { opening: this.#connect(), begun: 0, ended: 0 };
    const close = () => {
      if (this.#together === together) this.#together = null;
    };
    // Before those that wait for it go on.
    together.opening.then((connection) => {
      close();
      connection.writeTogether();
    }, close);
    return together;
  }

  async #enterCommands(): Promise<() => void> {
    const { connectTimeoutMs } = this.#settings;
    const leave = this.#commands.tryAcquire('');
    if (leave !== null) return leave;
    const full = 'Commands have all connections that they may have';
    const waiting = ({ signal }: Deadline) => this.#commands.acquire('', { signal });
    return await underDeadline(connectTimeoutMs, null, full, waiting).catch((error: unknown) => {
      throw new DatabaseFault('busy', error);
    });
  }

  async #connect(): Promise<PooledConnection> {
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => {
        if (this.#used.size >= this.#settings.connections) throw new DatabaseFault('busy', error);
        // Nothing was asked for yet that could be to blame.
        const fault = postgresFault(error);
        throw fault instanceof DatabaseFault ? fault : new DatabaseFault('unavailable', error);
      });
      // The pool's types do not know its `Client` option.
      if (!(client instanceof PostgresClient)) throw new Error('The pool has a connection of another kind');
      const epoch = this.#open.get(client) ?? -1;
      if (epoch === this.#epoch.current) {
        const connection = new PooledConnection(
          client,
          this.#settings.queryTimeoutMs,
          this.#names,
          this.#session === null ? this.#begin : null,
          (fault, isStale) => {
            if (isStale) this.#epoch.end(epoch);
            this.#onFault(fault);
          },
        );
        this.#used.add(connection);
        await this.#beginSession(client, connection);
        return connection;
      }
      client.abandon();
      client.release(true);
    }
  }

  async #beginSession(client: PostgresClient, connection: PooledConnection): Promise<void> {
    if (this.#session === null || client.hasSession) return;
    try {
      await connection.run(this.#session);
      client.hasSession = true;
    } catch (error) {
      this.#release(connection);
      throw error;
    }
  }

  async beginTransaction(connection: LazyConnection): Promise<void> {
    const opened = await connection.opened(false);
    await opened.begin(this.#begin);
  }

  /** @throws ServiceError with unknown outcome, when the connection ends before the server responds */
  async commitTransaction(connection: LazyConnection): Promise<void> {
    const opened = await connection.opened(false);
    await opened.commit();
  }

  async rollbackTransaction(connection: LazyConnection): Promise<void> {
    const opened = await connection.opened(false);
    await opened.rollback();
  }

  async releaseConnection(connection: LazyConnection): Promise<void> {
    await connection.close((opened) => this.#release(opened));
  }

  #release(connection: PooledConnection): void {
    this.#used.delete(connection);
    connection.release();
  }

  async destroy(): Promise<void> {
    const closed = [...this.#open.keys()].map((client) => new Promise<void>((resolve) => client.once('end', resolve)));
    const cancel = onceLate(goodbyeMs, () => {
      for (const client of this.#open.keys()) client.abandon();
    });
    await this.#pool.end();
    await Promise.all(closed);
    cancel();
  }
}

/** Takes a connection of the pool with its first statement, which says for what. */
class LazyConnection implements DatabaseConnection {
  readonly #open: (isRead: boolean) => Promise<PooledConnection>;
  /** Null where connections are not shared. */
  readonly #readTogether: DatabaseConnection['executeQuery'] | null;
  #opening: Promise<PooledConnection> | undefined;

  constructor(open: LazyConnection['opened'], readTogether: DatabaseConnection['executeQuery'] | null) {
    this.#open = open;
    this.#readTogether = readTogether;
  }

  opened(isRead: boolean): Promise<PooledConnection> {
    this.#opening ??= this.#open(isRead);
    return this.#opening;
  }

  async executeQuery<Row>(query: MarkedQuery): Promise<QueryResult<Row>> {
    if (query.isShort && this.#opening === undefined && this.#readTogether !== null) return this.#readTogether(query);
    const connection = await this.opened(readsOnly(query.sql));
    return connection.executeQuery(query);
  }

  // biome-ignore lint/correctness/useYield: nothing reads rows one by one
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows cannot be read one by one');
  }

  async close(release: (opened: PooledConnection) => void): Promise<void> {
    // Who could not be opened has told that.
    await this.#opening?.then(release, nothing);
  }
}

const hasStalePlan = (error: unknown): boolean => error instanceof pg.DatabaseError && stalePlans.has(error.code);

/** The error of what commits: if the connection was lost, nobody knows whether it has. */
const ofCommit = (error: unknown): unknown =>
  error instanceof DatabaseFault && error.reason === 'unavailable' && !hasStalePlan(error.cause)
    ? unconfirmed(error)
    : error;

class PooledConnection {
  isBroken = false;
  #inTransaction = false;
  #unanswered = 0;
  /** When the first of them was sent: those that share the connection wait for each other. */
  #since = 0;
  #hasResponded = false;
  #cancelWait = nothing;
  #whyGivenUp: DatabaseFault | null = null;
  whenReleased = () => {};
  readonly #client: PostgresClient & pg.PoolClient;
  readonly #timeoutMs: number;
  readonly #names: StatementNames | null;
  readonly #beginAlone: string | null;
  readonly #onFault: (fault: DatabaseFault, isStale: boolean) => void;

  constructor(
    client: PostgresClient & pg.PoolClient,
    timeoutMs: number,
    names: StatementNames | null,
    /** What begins the transaction of a statement that is alone; null if none needs one. */
    beginAlone: string | null,
    onFault: (fault: DatabaseFault, isStale: boolean) => void,
  ) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#names = names;
    this.#beginAlone = beginAlone;
    this.#onFault = onFault;
  }

  async executeQuery<Row>({ sql, parameters, isChange = false }: MarkedQuery): Promise<QueryResult<Row>> {
    const run = () =>
      this.run(sql, parameters, this.#names?.of(sql)).catch((error: unknown) => {
        // With a transaction around it, it does not commit.
        throw isChange && this.#beginAlone === null ? ofCommit(error) : error;
      });
    // Outside of a transaction, a statement is one of its own.
    const { command, rowCount, rows } = await (this.#inTransaction
      ? run()
      : repeatConflicting(() => this.#alone(run, readsOnly(sql))));
    // pg does not know the row type.
    const result = { rows: rows as Row[] };
    return /^(?:INSERT|UPDATE|DELETE|MERGE)$/.test(command)
      ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) }
      : result;
  }

  /** Its own transaction sets the limits of a statement, where no session keeps them. */
  async #alone<Result>(run: () => Promise<Result>, isRead: boolean): Promise<Result> {
    if (this.#beginAlone === null) return run();
    await this.begin(this.#beginAlone);
    try {
      const result = await run();
      await this.commit(isRead);
      return result;
    } catch (error) {
      // The reason of the statement counts; what is wrong with the connection has ended the transaction too.
      if (this.#inTransaction) await this.rollback().catch(() => undefined);
      throw error;
    }
  }

  hurry(): void {
    if (this.#unanswered > 0) this.#wait(Math.max(1, silentMs - (performance.now() - this.#since)));
  }

  writeTogether(): void {
    this.#client.writeTogether();
  }

  async begin(statement: string): Promise<void> {
    await this.run(statement);
    this.#inTransaction = true;
  }

  /** @param isRead whether there is nothing to confirm: its caller may repeat it */
  async commit(isRead = false): Promise<void> {
    const { command } = await this.run('commit').catch((error: unknown) => {
      throw isRead ? error : ofCommit(error);
    });
    this.#inTransaction = false;
    // Postgres rolls back a transaction with a failed statement.
    if (command === 'ROLLBACK') throw new Error('The transaction was rolled back: a statement in it had failed');
  }

  async rollback(): Promise<void> {
    this.#inTransaction = false;
    // The transaction ended with its connection. The caller wants the reason of that, not this error.
    if (!this.isBroken) await this.run('rollback');
  }

  /** @throws DatabaseFault, or the driver's error if the statement is to blame */
  async run(text: string, parameters: readonly unknown[] = [], name?: string): Promise<pg.QueryResult<object>> {
    if (this.#unanswered === 0) {
      this.#since = performance.now();
      this.#hasResponded = false;
      this.#wait(this.#timeoutMs);
    }
    this.#unanswered += 1;
    try {
      return await this.#client.query<object>(name === undefined ? text : { text, name }, [...parameters]);
    } catch (error) {
      // Another connection prepares it anew.
      const fault =
        name !== undefined && hasStalePlan(error) ? new DatabaseFault('unavailable', error) : postgresFault(error);
      throw this.#judged(this.#whyGivenUp ?? fault);
    } finally {
      this.#unanswered -= 1;
      this.#hasResponded = true;
      if (this.#unanswered === 0) this.#cancelWait();
    }
  }

  #wait(milliseconds: number): void {
    this.#cancelWait();
    this.#cancelWait = onceLate(milliseconds, () => {
      const reason = `Postgres did not respond in ${Math.round(performance.now() - this.#since)} ms`;
      // A server that has responded to others meanwhile is not silent.
      this.#whyGivenUp = new DatabaseFault(this.#hasResponded ? 'slow' : 'unavailable', new Error(reason));
      this.#client.abandon();
    });
  }

  release(): void {
    this.#client.release(this.isBroken);
    this.whenReleased();
  }

  #judged(error: unknown): unknown {
    if (!(error instanceof DatabaseFault)) return error;
    const isStale = this.#whyGivenUp?.reason === 'unavailable' || error.reason === 'read-only';
    if (isStale || this.#whyGivenUp !== null || error.reason === 'unavailable') this.isBroken = true;
    this.#onFault(error, isStale);
    return error;
  }
}

/** The schema's bigints are epoch milliseconds, exact in a double. By default the driver returns text. */
const int8 = 20;
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text');
