/** Faults of a database, made where the drivers would report them: at one statement of many, without a word from the server. */
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { PostgresClient } from '../../src/store/postgres-client.ts';
import type { Statement, StatementResult } from '../../src/store/sqlite-threads.ts';
import type { ThreadJob, ThreadResult } from '../../src/store/thread.ts';

export interface InjectedFaults {
  /** Lets the statement of this number fail, from 1, counted from now on, and so many after it. */
  failAt(number: number, fault: Fault, times?: number): void;
  /** Lets commits fail of transactions in which a statement began so, whatever other connections do; outside of one it commits itself. */
  failCommitAfter(beginning: string, fault: Fault): void;
  /**
   * Lets the next statement that begins so be carried out, and loses its answer with the connection, or thread.
   * @param andAllAfter lets all statements after it fail as well
   */
  loseAnswerTo(beginning: string, options?: { readonly andAllAfter?: boolean }): void;
  /** Lets no more of them fail. */
  stop(): void;
  /** How many statements have failed since. */
  readonly failed: number;
  restore(): void;
}

/** What is thrown in place of the result of a statement; or that its connection, or thread, is lost with it. */
export type Fault = () => Error | 'lost';

const sqliteError =
  (errcode: number, message: string): Fault =>
  () =>
    Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });

const postgresError =
  (code: string, message: string): Fault =>
  () => {
    const error = new pg.DatabaseError(message, message.length, 'error');
    error.code = code;
    return error;
  };

/** Faults that pass, or that an operator can end. */
export const faults = {
  SQLite: [
    sqliteError(13, 'database or disk is full'),
    sqliteError(10 | (3 << 8), 'disk I/O error'),
    sqliteError(5, 'database is locked'),
    sqliteError(8, 'attempt to write a readonly database'),
    () => 'lost',
  ],
  Postgres: [
    () => 'lost',
    postgresError('53100', 'could not extend file: No space left on device'),
    postgresError('55P03', 'canceling statement due to lock timeout'),
    postgresError('57014', 'canceling statement due to statement timeout'),
    postgresError('25006', 'cannot execute INSERT in a read-only transaction'),
    postgresError('57P01', 'terminating connection due to administrator command'),
  ],
} as const satisfies Record<string, readonly Fault[]>;

/** What Postgres undoes because of others. */
export const conflicts: readonly Fault[] = [
  postgresError('40P01', 'deadlock detected'),
  postgresError('40001', 'could not serialize access due to concurrent update'),
];

/** Statements that belong to no request, and the end of one that has failed. */
const isLeftAlone = (sql: string) => /^(?:select 1$|listen |rollback$)/.test(sql);

/** Of a plain statement, or of a prepared one; null for one of the driver's own objects. */
function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query;
  const isPrepared = typeof query === 'object' && query !== null && 'name' in query && 'text' in query;
  return isPrepared && typeof query.text === 'string' ? query.text : null;
}

/** Patches Postgres' driver, and what is sent to the threads of SQLite, until it is restored. */
export function injectFaults(): InjectedFaults {
  let next = 0;
  let last = 0;
  let seen = 0;
  let failed = 0;
  let current: Fault | null = null;
  let beginning: string | null = null;
  let unanswered: { readonly beginning: string; readonly andAllAfter: boolean } | null = null;
  /** Whether the answer to this statement is to be lost. */
  const losesAnswer = (sql: string | null) => {
    if (unanswered === null || sql?.startsWith(unanswered.beginning) !== true) return false;
    failed += 1;
    if (unanswered.andAllAfter) [next, last, seen, current] = [1, Number.POSITIVE_INFINITY, 0, () => 'lost'];
    unanswered = null;
    return true;
  };
  /** The connections whose next commit fails. */
  const marked = new WeakSet<object>();
  /** The connections in a transaction. */
  const begun = new WeakSet<object>();
  const faultOf = (sql: string): ReturnType<Fault> | null => {
    if (current === null || isLeftAlone(sql)) return null;
    seen += 1;
    if (seen < next || seen > last) return null;
    failed += 1;
    return current();
  };
  const commitFaultOf = (client: object, sql: string): ReturnType<Fault> | null => {
    if (current === null || beginning === null) return null;
    if (sql.startsWith('begin')) begun.add(client);
    if (sql.startsWith(beginning)) marked.add(client);
    const commits = sql === 'commit' || (client instanceof pg.Client && !begun.has(client));
    if (sql === 'commit' || sql === 'rollback') begun.delete(client);
    if (!commits || !marked.delete(client)) return null;
    failed += 1;
    return current();
  };

  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (this: Worker, job: ThreadJob<Statement>, ...rest: never[]) {
    const sql = job !== null && typeof job.order.sql === 'string' ? job.order.sql : null;
    const fault = sql === null ? null : beginning === null ? faultOf(sql) : commitFaultOf(this, sql);
    if (fault === 'lost') void this.terminate();
    if (job !== null && losesAnswer(sql)) {
      const { emit } = this;
      this.emit = (event: string | symbol, ...values: unknown[]) => {
        if (event !== 'message') return Reflect.apply(emit, this, [event, ...values]);
        void this.terminate();
        return true;
      };
    }
    if (job === null || !(fault instanceof Error)) return Reflect.apply(postMessage, this, [job, ...rest]);
    const result = { id: job.id, report: { error: fault, properties: {} } } satisfies ThreadResult<StatementResult>;
    queueMicrotask(() => this.emit('message', result));
  } as typeof postMessage;

  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const sql = textOf(given[0]);
    const fault = sql === null ? null : beginning === null ? faultOf(sql) : commitFaultOf(this, sql);
    if (fault instanceof Error) return Promise.reject(fault);
    if (fault === 'lost' && this instanceof PostgresClient) this.abandon();
    if (losesAnswer(sql)) {
      return (Reflect.apply(query, this, given) as Promise<unknown>).then(() => {
        if (this instanceof PostgresClient) this.abandon();
        throw new Error('Connection terminated unexpectedly');
      });
    }
    return Reflect.apply(query, this, given);
  } as typeof query;

  return {
    failAt(number, fault, times = 1) {
      next = number;
      last = number + times - 1;
      seen = 0;
      failed = 0;
      current = fault;
    },
    failCommitAfter(ofTransaction, fault) {
      beginning = ofTransaction;
      failed = 0;
      current = fault;
    },
    loseAnswerTo(ofStatement, { andAllAfter = false } = {}) {
      unanswered = { beginning: ofStatement, andAllAfter };
      failed = 0;
    },
    stop() {
      current = null;
      beginning = null;
    },
    get failed() {
      return failed;
    },
    restore() {
      Worker.prototype.postMessage = postMessage;
      pg.Client.prototype.query = query;
    },
  };
}
