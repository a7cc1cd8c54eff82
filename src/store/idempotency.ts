/**
 * `Idempotency-Key` over the database. A row is stored before its request acts: first as its lease, then with its
 * response. A lease that ended without a response belongs to a request that may have acted (its process died, or its
 * outcome stayed unknown): nobody takes it over, unless its request was atomic (key-response.ts): then it has not acted.
 */

import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureOfCommand, ServiceError } from '../kernel/errors.ts';
import { type Idempotency, type IdempotentRequest, replayedHeader, type TakenKey } from '../kernel/idempotency.ts';
import { cautiousTime } from '../kernel/lib/cautious-time.ts';
import { stringify } from '../kernel/lib/json-text.ts';
import { type Clock, day } from '../kernel/lib/time-units.ts';
import { apiKeyCharacters, idempotencyLimits, idempotencyRows } from './idempotency-rows.ts';
import { readJsonColumn } from './json.ts';
import { storedResponse } from './key-response.ts';
import { createLeases, type LeaseColumns, type LeaseDependencies } from './lease.ts';
import type { IdempotentResponseTable } from './schema.ts';

const responseLifetimeMs = day;

/** While a lease lasts, repetitions wait for the response, `waitMs` at most. */
const timing = { leaseMs: 5_000, waitMs: 30_000, maxWaiting: 1_000 } as const;

/** Begins the holders of atomic requests: gateways before this mark report a lost response as `request_timeout`, atomic or not. */
const atomicMark = 'atomic:';

/** First pause before another try to release a key, doubled up to two minutes in all, in milliseconds. */
const firstRetryMs = 250;
const maxRetryMs = 64_000;

/** A row without a status is the lease of a running request. */
type Ending = Partial<Pick<IdempotentResponseTable, 'status' | 'body' | 'claimed_by' | 'claimed_until'>>;

export function databaseIdempotency(
  { clock = () => performance.now(), ...dependencies }: LeaseDependencies & { readonly clock?: Clock },
  maxRows: number = idempotencyLimits.rowsOfApiKey,
): Idempotency {
  const { database, now, logger } = dependencies;
  // By a clock that is ahead, what is repeated would be carried out twice.
  const expiry = cautiousTime(now, clock, null);
  const rows = idempotencyRows(database, maxRows);
  const leases = createLeases('idempotent_responses', dependencies, { ...timing, busy: stillRunning });

  const find = (id: string) =>
    database
      .selectFrom('idempotent_responses')
      .select(['fingerprint', 'claimed_by', 'status', 'body'])
      .select(leases.lasts().as('is_running'))
      .where('id', '=', id)
      .where('expires_at', '>', expiry())
      .executeTakeFirst();

  /** Stores a request without a row. False if a concurrent request was faster. */
  async function take(id: string, fingerprint: string, columns: LeaseColumns): Promise<boolean> {
    const expires_at = now().getTime() + responseLifetimeMs;
    const row = { fingerprint, ...columns, status: null, body: null, expires_at };
    const { numInsertedOrUpdatedRows } = await database
      .insertInto('idempotent_responses')
      .values({ id, ...row })
      // An expired row may still be there.
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(row).where('idempotent_responses.expires_at', '<=', expiry()),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** False if a concurrent request was faster, or the lease goes on. */
  async function takeOver(id: string, from: string, columns: LeaseColumns): Promise<boolean> {
    const { numUpdatedRows } = await database
      .updateTable('idempotent_responses')
      .set(columns)
      .where('id', '=', id)
      .where('claimed_by', '=', from)
      .where(({ not }) => not(leases.lasts()))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async function release(id: string, holder: string): Promise<void> {
    await database.deleteFrom('idempotent_responses').where('id', '=', id).where('claimed_by', '=', holder).execute();
  }

  /** Releases a key that may have been taken by a request that has not begun, once the database can be reached. */
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
  async function keep(id: string, holder: string, response: Ending): Promise<void> {
    await end(id, holder, { ...response, claimed_by: null });
    rows.stored(id);
  }

  /** Ends the lease of an atomic request whose commit was not confirmed: its row says what came of it. */
  const abandon = (id: string, holder: string): Promise<void> => end(id, holder, { claimed_until: 0 });

  async function end(id: string, holder: string, columns: Ending): Promise<void> {
    await database
      .updateTable('idempotent_responses')
      .set(columns)
      .where('id', '=', id)
      .where('claimed_by', '=', holder)
      .execute();
  }

  /** Logs the failure of a write about finished work: the caller must get the outcome of the work. */
  const note = (write: Promise<void>): Promise<void> => write.catch(logUnstored);
  const logUnstored = (err: unknown) => logger.error({ err }, 'what an Idempotency-Key stands for could not be stored');

  async function settle(taken: TakenKey, isAtomic: boolean, work: (taken: TakenKey) => Promise<string>) {
    const { id, holder } = taken;
    let body: string;
    try {
      body = await work(taken);
    } catch (error) {
      const failure = failureOfCommand(error);
      const kept = { claimed_until: 0, body: writeFailure(failure) };
      if (!failure.outcomeUnknown) await note(release(id, holder));
      else await note(isAtomic ? abandon(id, holder) : keep(id, holder, kept));
      throw failure;
    }
    await note(keep(id, holder, storedResponse(body)));
    return body;
  }

  return {
    async once(request, work) {
      const id = rowId(request);
      const fingerprint = requestFingerprint(request);
      /** The holder whose insert was not confirmed. */
      let unconfirmed: string | null = null;
      const attempt = async (columns: LeaseColumns) => {
        const found = await find(id);
        unconfirmed = null;
        if (found === undefined) {
          await rows.requireRoom(id, expiry());
          unconfirmed = columns.claimed_by;
          return (await take(id, fingerprint, columns)) ? 'taken' : 'busy';
        }
        if (found.fingerprint !== fingerprint) throw keyReused();
        if (found.status !== null) return { body: found.body ?? '', replayed: true };
        if (found.claimed_by === columns.claimed_by) return 'taken';
        if (found.is_running) return 'busy';
        if (found.claimed_by?.startsWith(atomicMark)) {
          unconfirmed = columns.claimed_by;
          return (await takeOver(id, found.claimed_by, columns)) ? 'taken' : 'busy';
        }
        throw readFailure(found.body) ?? responseLost();
      };
      const { isAtomic = false } = request;
      const holderMark = isAtomic ? atomicMark : '';
      const lease = await leases.acquire(id, request.signal, attempt, holderMark).catch((error: unknown) => {
        if (unconfirmed !== null) releaseLater(id, unconfirmed).catch(logUnstored);
        throw error;
      });
      if ('body' in lease) return lease;
      try {
        return { body: await settle({ id, holder: lease.holder }, isAtomic, work), replayed: false };
      } finally {
        lease[Symbol.dispose]();
      }
    },
  };
}

/** A key and its tokens share responses if they are for the same accounts: nobody gets one that is of others. */
const rowId = ({ caller: { keyId, accountIds }, endpoint, key }: IdempotentRequest): string => {
  const rights = accountIds === null ? [] : [[...accountIds].sort()];
  return hashOfAll([keyId]).slice(0, apiKeyCharacters) + hashOfAll([keyId, endpoint, key, ...rights]);
};

const requestFingerprint = ({ request }: IdempotentRequest): string => hashOfAll([request]);

/** SHA-256 in hex: of fixed size, and nothing of the request can be read. */
const hashOfAll = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts));

/** A failure is stored without a status: so older gateways read it. */
const writeFailure = ({ errorName, status, title, detail }: ServiceError): string =>
  stringify({ errorName, status, title, detail });

function readFailure(column: string | null): ServiceError | null {
  if (column === null) return null;
  const { errorName, ...told } =
    readJsonColumn<Pick<ServiceError, 'errorName' | 'status' | 'title' | 'detail'>>(column);
  return new ServiceError(errorName, { ...told, headers: { [replayedHeader]: 'true' }, outcomeUnknown: true });
}

const stillRunning = () =>
  new ServiceError('service_unavailable', {
    detail: 'Another request with this idempotency key is still running. Try again later.',
  });

/** Not 503, which says that nothing was carried out. */
const responseLost = () =>
  new ServiceError('request_timeout', {
    detail:
      'An earlier request with this idempotency key was begun, and its response is lost. It may have been carried out: check that before you repeat it with another key.',
    outcomeUnknown: true,
  });

const keyReused = () =>
  new ServiceError('invalid_parameters', {
    detail: 'This idempotency key was used for a different request. Use a new key for each request.',
    issues: [{ path: ['idempotency_key'], code: 'conflicting', message: 'was used for a different request' }],
  });
