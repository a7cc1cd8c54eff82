/**
 * `Idempotency-Key` over the database. A row is stored before its request acts, and belongs to that request for as long as
 * it is kept: first as its lease, then with its response. One whose lease has ended without a response is of a request
 * that may have acted: its process died, or its outcome never became known. Nobody takes that over.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { deadline, TimeoutError } from '../deadline.ts';
import { failureOfCommand, ServiceError } from '../errors.ts';
import { type Idempotency, type IdempotentRequest, replayedHeader } from '../http/idempotency.ts';
import type { Database } from './database.ts';
import { apiKeyCharacters, idempotencyLimits, idempotencyRows } from './idempotency-rows.ts';
import { readJsonColumn } from './json.ts';
import { createKeyedLock } from './keyed-lock.ts';

/** How long a response is stored. */
const keptMs = 24 * 60 * 60 * 1_000;

/** How long a lease outlives its last renewal. While it lasts, a repetition waits for the response. */
const leaseMs = 5_000;
/** A lease survives the failure of a renewal or two. */
const renewalsPerLease = 4;

/** How long a request waits for the response of a concurrent one. */
const maxWaitMs = 30_000;
/** How often to look whether another process is done: the first wait, doubled up to the longest, in milliseconds. */
const firstPollMs = 25;
const maxPollMs = 400;

/** Stores responses in the database. A row without a status is the lease of the request that is running. */
export function databaseIdempotency(
  database: Database,
  now: () => Date,
  logger: Logger,
  maxRows: number = idempotencyLimits.rowsOfApiKey,
): Idempotency {
  const rows = idempotencyRows(database, maxRows);
  /** Of requests with one key in this process, one looks into the database or acts, and the others wait in line. */
  const lock = createKeyedLock(Number.POSITIVE_INFINITY);

  const find = (id: string) =>
    database
      .selectFrom('idempotent_responses')
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', now().getTime())
      .executeTakeFirst();

  /** Stores a request that has no row. False if a concurrent request was faster. */
  async function lease(id: string, fingerprint: string): Promise<boolean> {
    const time = now().getTime();
    const row = { fingerprint, claimed_until: time + leaseMs, status: null, body: null, expires_at: time + keptMs };
    const { numInsertedOrUpdatedRows } = await database
      .insertInto('idempotent_responses')
      .values({ id, ...row })
      // An expired row may not have been deleted yet.
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(row).where('idempotent_responses.expires_at', '<=', time),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** The row of a request that has no response. */
  const running = (id: string) =>
    database.updateTable('idempotent_responses').where('id', '=', id).where('status', 'is', null);

  /**
   * Renews the lease of a request for as long as it runs.
   * @returns ends the renewals
   */
  function keepLease(id: string): () => void {
    let isRenewing = false;
    const renew = async () => {
      // Of two at a time, the older one could win.
      if (isRenewing) return;
      isRenewing = true;
      try {
        await running(id)
          .set({ claimed_until: now().getTime() + leaseMs })
          .execute();
      } catch (err) {
        // The next renewal makes up for one that fails. If none succeeds, repetitions hear that the outcome is unknown.
        logger.warn({ err }, 'the lease of an Idempotency-Key could not be renewed');
      } finally {
        isRenewing = false;
      }
    };
    const renewNow = () => {
      renew().catch((err: unknown) => logger.warn({ err }, 'the lease of an Idempotency-Key could not be renewed'));
    };
    const timer = setInterval(renewNow, leaseMs / renewalsPerLease).unref();
    return () => clearInterval(timer);
  }

  /** Stores the response. */
  async function store(id: string, body: string): Promise<void> {
    await running(id).set({ status: success, body }).execute();
    rows.stored(id);
  }

  /**
   * Ends the lease of a request that has acted, or may have, and has no response to give again.
   * @param failure to give again; null where the request succeeded
   */
  async function keepWithoutResponse(id: string, failure: ServiceError | null): Promise<void> {
    await running(id)
      .set({ claimed_until: 0, body: failure && writeFailure(failure) })
      .execute();
    rows.stored(id);
  }

  /** Gives the key back. */
  async function release(id: string): Promise<void> {
    await database.deleteFrom('idempotent_responses').where('id', '=', id).where('status', 'is', null).execute();
  }

  /**
   * Waits for a write about work that is done. If it fails, that is logged and not thrown: the caller must hear what the
   * work came to. When its lease has ended, the outcome of the request is unknown.
   */
  const note = (write: Promise<void>): Promise<void> =>
    write.catch((err: unknown) => logger.error({ err }, 'what an Idempotency-Key stands for could not be stored'));

  async function run(id: string, work: () => Promise<string>): Promise<string> {
    const stopKeeping = keepLease(id);
    try {
      return await settle(id, work);
    } finally {
      stopKeeping();
    }
  }

  /** Does the work, and stores what it came to. */
  async function settle(id: string, work: () => Promise<string>): Promise<string> {
    let body: string;
    try {
      body = await work();
    } catch (error) {
      const failure = failureOfCommand(error);
      await note(failure.outcomeUnknown ? keepWithoutResponse(id, failure) : release(id));
      throw failure;
    }
    const isSmall = Buffer.byteLength(body) <= idempotencyLimits.bodyBytes;
    await note(isSmall ? store(id, body) : keepWithoutResponse(id, null));
    return body;
  }

  return {
    async once(request, work) {
      const id = rowId(request);
      const fingerprint = fingerprintOf(request);
      const ends = deadline(maxWaitMs, request.signal, 'The request with this Idempotency-Key takes too long');
      const wait = { signal: ends.signal };
      let unlock = () => {};
      try {
        unlock = await lock.acquire(id, ends.signal, () => {});
        for (let pause = firstPollMs; ; pause = Math.min(2 * pause, maxPollMs)) {
          const found = await find(id);
          if (found !== undefined && found.fingerprint !== fingerprint) throw keyReused();
          if (found !== undefined && found.status !== null) return { body: found.body ?? '', replayed: true };
          if (found !== undefined && found.claimed_until <= now().getTime()) {
            throw readFailure(found.body) ?? responseLost();
          }
          if (found === undefined) {
            await rows.requireRoom(id, now().getTime());
            if (await lease(id, fingerprint)) {
              ends[Symbol.dispose]();
              return { body: await run(id, work), replayed: false };
            }
          }
          await sleep(pause, undefined, wait);
        }
      } catch (error) {
        throw ends.signal.reason instanceof TimeoutError && !(error instanceof ServiceError) ? stillRunning() : error;
      } finally {
        ends[Symbol.dispose]();
        unlock();
      }
    },
  };
}

/** Only successes are stored. The endpoint knows the status of their responses. */
const success = 200;

const rowId = ({ caller, endpoint, key }: IdempotentRequest): string =>
  hashOf([caller.keyId]).slice(0, apiKeyCharacters) + hashOf([caller.keyId, endpoint, key]);

const fingerprintOf = ({ request }: IdempotentRequest): string => hashOf([request]);

/** SHA-256 in hex: rows are of one size and contain nothing of the request. */
const hashOf = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** What is given again of a failure. The row of a request that has one has no status: gateways of before read it as such. */
const writeFailure = ({ errorName, status, title, detail }: ServiceError): string =>
  JSON.stringify({ errorName, status, title, detail });

function readFailure(column: string | null): ServiceError | null {
  if (column === null) return null;
  const { errorName, ...told } =
    readJsonColumn<Pick<ServiceError, 'errorName' | 'status' | 'title' | 'detail'>>(column);
  return new ServiceError(errorName, { ...told, headers: { [replayedHeader]: 'true' }, outcomeUnknown: true });
}

const stillRunning = () =>
  new ServiceError('service_unavailable', {
    detail: 'Another request with this Idempotency-Key is still running. Try again later.',
  });

/** Not 503, which says that nothing was carried out. */
const responseLost = () =>
  new ServiceError('request_timeout', {
    detail:
      'An earlier request with this Idempotency-Key was begun, and its response is lost. It may have been carried out: check that before you repeat it with another key.',
    outcomeUnknown: true,
  });

const keyReused = () =>
  new ServiceError('invalid_parameters', {
    detail: 'This Idempotency-Key was used for a different request. Use a new key for each request.',
  });
