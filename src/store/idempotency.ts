/**
 * `Idempotency-Key` over the database. A row is stored before its request acts, and belongs to that request for as long as
 * it is kept: first as its lease, then with its response. One whose lease has ended without a response is of a request
 * that may have acted: its process died, or its outcome never became known. Nobody takes that over.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureOfCommand, ServiceError } from '../kernel/errors.ts';
import { type Idempotency, type IdempotentRequest, replayedHeader } from '../kernel/idempotency.ts';
import { apiKeyCharacters, idempotencyLimits, idempotencyRows } from './idempotency-rows.ts';
import { readJsonColumn } from './json.ts';
import { type Claim, createLeases, type LeaseDependencies } from './lease.ts';
import type { IdempotentResponseTable } from './schema.ts';

/** How long a response is stored, by the clock of the process: to a day, seconds do not matter. */
const keptMs = 24 * 60 * 60 * 1_000;

/**
 * How long a lease outlives its last renewal: while it lasts, a repetition waits for the response. How long a request waits
 * for the response of a concurrent one.
 */
const timing = { leaseMs: 5_000, waitMs: 30_000, maxWaiting: 1_000 } as const;

/** How often it is tried to give a key back: the first wait, doubled each time up to two minutes in all, in milliseconds. */
const firstRetryMs = 250;
const maxRetryMs = 64_000;

/** Stores responses in the database. A row without a status is the lease of the request that is running. */
export function databaseIdempotency(
  dependencies: LeaseDependencies,
  maxRows: number = idempotencyLimits.rowsOfApiKey,
): Idempotency {
  const { database, now, logger } = dependencies;
  const rows = idempotencyRows(database, maxRows);
  const leases = createLeases('idempotent_responses', dependencies, { ...timing, busy: stillRunning });

  const find = (id: string) =>
    database
      .selectFrom('idempotent_responses')
      .select(['fingerprint', 'claimed_by', 'status', 'body'])
      .select(({ eb }) => eb('claimed_until', '>', leases.time()).as('is_running'))
      .where('id', '=', id)
      .where('expires_at', '>', now().getTime())
      .executeTakeFirst();

  /** Stores a request that has no row. False if a concurrent request was faster. */
  async function take(id: string, fingerprint: string, claim: Claim): Promise<boolean> {
    const time = now().getTime();
    const row = { fingerprint, ...claim, status: null, body: null, expires_at: time + keptMs };
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

  /** Gives the key back. */
  async function release(id: string, holder: string): Promise<void> {
    await database.deleteFrom('idempotent_responses').where('id', '=', id).where('claimed_by', '=', holder).execute();
  }

  /** Gives back what a request may have taken that has not begun, as soon as the database can be reached. */
  async function releaseLater(id: string, holder: string): Promise<void> {
    for (let pause = firstRetryMs; ; pause *= 2) {
      await sleep(pause, undefined, { ref: false });
      try {
        return await release(id, holder);
      } catch (error) {
        if (pause >= maxRetryMs) throw error;
      }
    }
  }

  /** Ends the lease of a request that has acted, or may have, and keeps its key. */
  async function keep(
    id: string,
    holder: string,
    response: Partial<Pick<IdempotentResponseTable, 'status' | 'body' | 'claimed_until'>>,
  ): Promise<void> {
    await database
      .updateTable('idempotent_responses')
      .set({ ...response, claimed_by: null })
      .where('id', '=', id)
      .where('claimed_by', '=', holder)
      .execute();
    rows.stored(id);
  }

  /**
   * Waits for a write about work that is done. If it fails, that is logged and not thrown: the caller must hear what the
   * work came to. When its lease has ended, the outcome of the request is unknown.
   */
  const note = (write: Promise<void>): Promise<void> => write.catch(logUnstored);
  const logUnstored = (err: unknown) => logger.error({ err }, 'what an Idempotency-Key stands for could not be stored');

  /** Does the work, and stores what it came to. */
  async function settle(id: string, holder: string, work: () => Promise<string>): Promise<string> {
    let body: string;
    try {
      body = await work();
    } catch (error) {
      const failure = failureOfCommand(error);
      const kept = { claimed_until: 0, body: writeFailure(failure) };
      await note(failure.outcomeUnknown ? keep(id, holder, kept) : release(id, holder));
      throw failure;
    }
    const isSmall = Buffer.byteLength(body) <= idempotencyLimits.bodyBytes;
    await note(keep(id, holder, isSmall ? { status: success, body } : { claimed_until: 0 }));
    return body;
  }

  return {
    async once(request, work) {
      const id = rowId(request);
      const fingerprint = fingerprintOf(request);
      /** The holder whose insert has had no answer. */
      let unconfirmed: string | null = null;
      const attempt = async (claim: Claim) => {
        const found = await find(id);
        unconfirmed = null;
        if (found === undefined) {
          await rows.requireRoom(id, now().getTime());
          unconfirmed = claim.claimed_by;
          return (await take(id, fingerprint, claim)) ? 'taken' : 'busy';
        }
        if (found.fingerprint !== fingerprint) throw keyReused();
        if (found.status !== null) return { body: found.body ?? '', replayed: true };
        if (found.claimed_by === claim.claimed_by) return 'taken';
        if (found.is_running) return 'busy';
        throw readFailure(found.body) ?? responseLost();
      };
      const lease = await leases.acquire(id, request.signal, attempt).catch((error: unknown) => {
        if (unconfirmed !== null) releaseLater(id, unconfirmed).catch(logUnstored);
        throw error;
      });
      if ('body' in lease) return lease;
      try {
        return { body: await settle(id, lease.holder, work), replayed: false };
      } finally {
        lease[Symbol.dispose]();
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
