/** `Idempotency-Key` over the database: a row is first the lease of a running request, then its stored response. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ServiceError } from '../errors.ts';
import type { Idempotency, IdempotentRequest } from '../http/idempotency.ts';
import type { Database } from './database.ts';
import { apiKeyCharacters, idempotencyLimits, idempotencyRows } from './idempotency-rows.ts';
import type { IdempotentResponseTable } from './schema.ts';

/** How long a response is stored. */
const keptMs = 24 * 60 * 60 * 1_000;

/** How long a request holds its lease: longer than any request runs, so that an expired lease means a dead process. */
const leaseMs = 2 * 60 * 1_000;

/** How long a request waits for the response of a concurrent one, and how often it checks. */
const maxWaitMs = 30_000;
const pollMs = 25;

/** Stores responses in the database. A row without a status is the lease of the request that is running. */
export function databaseIdempotency(
  database: Database,
  now: () => Date,
  logger: Logger,
  maxRows: number = idempotencyLimits.rowsOfApiKey,
): Idempotency {
  const rows = idempotencyRows(database, maxRows);

  const find = (id: string) =>
    database
      .selectFrom('idempotent_responses')
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', now().getTime())
      .executeTakeFirst();

  /** Leases a request that has no row. Returns when the lease ends, or null if a concurrent request was faster. */
  async function leaseNew(id: string, fingerprint: string): Promise<number | null> {
    const time = now().getTime();
    const until = time + leaseMs;
    const row = { fingerprint, claimed_until: until, status: null, body: null, expires_at: time + keptMs };
    const { numInsertedOrUpdatedRows } = await database
      .insertInto('idempotent_responses')
      .values({ id, ...row })
      // An expired row may not have been deleted yet.
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(row).where('idempotent_responses.expires_at', '<=', time),
      )
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n ? until : null;
  }

  /** Takes over an expired lease. Returns when the new lease ends, or null if it is not expired or another was faster. */
  async function leaseAbandoned({ id, claimed_until }: IdempotentResponseTable): Promise<number | null> {
    const time = now().getTime();
    if (claimed_until > time) return null;
    const until = time + leaseMs;
    const { numUpdatedRows } = await database
      .updateTable('idempotent_responses')
      .set({ claimed_until: until })
      .where('id', '=', id)
      .where('claimed_until', '=', claimed_until)
      .where('status', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n ? until : null;
  }

  /** Stores the response. Another request may have taken over an expired lease: `claimed_until` then differs, and nothing matches. */
  async function store(id: string, until: number, body: string): Promise<void> {
    const change = database.updateTable('idempotent_responses').set({ status: success, body });
    await change.where('id', '=', id).where('claimed_until', '=', until).execute();
    rows.stored(id);
  }

  /** Gives the key back, unless another request has taken over an expired lease. */
  async function release(id: string, until: number): Promise<void> {
    const release = database.deleteFrom('idempotent_responses');
    await release.where('id', '=', id).where('claimed_until', '=', until).execute();
  }

  /**
   * Waits for a write about work that is done. If it fails, that is logged and not thrown: the caller must hear what the
   * work came to. The key is then leased until its lease ends, and free after it.
   */
  const note = (write: Promise<void>): Promise<void> =>
    write.catch((err: unknown) => logger.error({ err }, 'what an Idempotency-Key stands for could not be stored'));

  async function run(id: string, until: number, work: () => Promise<string>): Promise<string> {
    let body: string;
    try {
      body = await work();
    } catch (error) {
      await note(release(id, until));
      throw error;
    }
    const isSmall = Buffer.byteLength(body) <= idempotencyLimits.bodyBytes;
    await note(isSmall ? store(id, until, body) : release(id, until));
    return body;
  }

  return {
    async once(request, work) {
      const id = rowId(request);
      const fingerprint = fingerprintOf(request);
      const started = performance.now();
      while (performance.now() - started < maxWaitMs) {
        const found = await find(id);
        if (found !== undefined && found.fingerprint !== fingerprint) throw keyReused();
        if (found !== undefined && found.status !== null) return { body: found.body ?? '', replayed: true };
        if (found === undefined) await rows.requireRoom(id, now().getTime());
        const until = found === undefined ? await leaseNew(id, fingerprint) : await leaseAbandoned(found);
        if (until !== null) return { body: await run(id, until, work), replayed: false };
        await sleep(pollMs, undefined, { signal: request.signal });
      }
      throw new ServiceError('service_unavailable', {
        detail: 'Another request with this Idempotency-Key is still running. Try again later.',
      });
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

const keyReused = () =>
  new ServiceError('invalid_parameters', {
    detail: 'This Idempotency-Key was used for a different request. Use a new key for each request.',
  });
