import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import type { Idempotency, IdempotentRequest, StoredAnswer } from '../http/idempotency.ts';
import type { Database } from './database.ts';
import type { IdempotentResponseTable } from './schema.ts';

/** How long an answer is kept. */
const keptMs = 24 * 60 * 60 * 1_000;

/** How long a process may take to answer before another one believes that it died: longer than any request takes. */
const leaseMs = 2 * 60 * 1_000;

/** How long a request waits for another one's answer, and how often it looks. */
const maxWaitMs = 30_000;
const lookEveryMs = 25;

/** Answers in the embedded backend's database. A row without a status is the claim of the request that works on it. */
export function databaseIdempotency(database: Database, now: () => Date): Idempotency {
  const find = (id: string) =>
    database.selectFrom('idempotent_responses').selectAll().where('id', '=', id).executeTakeFirst();

  /** Claims a request for which there is no row; answers until when, or null where another one was faster. */
  async function claimNew(id: string, fingerprint: string): Promise<number | null> {
    const time = now().getTime();
    const until = time + leaseMs;
    const { numInsertedOrUpdatedRows } = await database
      .insertInto('idempotent_responses')
      .values({ id, fingerprint, claimed_until: until, status: null, body: null, expires_at: time + keptMs })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n ? until : null;
  }

  /** Claims a request whose process is gone; of several that notice one goes on. */
  async function claimAbandoned({ id, claimed_until }: IdempotentResponseTable): Promise<number | null> {
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

  async function run(id: string, until: number, work: () => Promise<StoredAnswer>): Promise<StoredAnswer> {
    let answer: StoredAnswer | undefined;
    try {
      answer = await work();
      return answer;
    } finally {
      // A claim that outlived its lease may be another's by now: neither of these changes anything then.
      if (answer !== undefined && answer.status < 500) {
        const { status, body } = answer;
        const kept = database.updateTable('idempotent_responses').set({ status, body });
        await kept.where('id', '=', id).where('claimed_until', '=', until).execute();
      } else {
        const given = database.deleteFrom('idempotent_responses');
        await given.where('id', '=', id).where('claimed_until', '=', until).execute();
      }
    }
  }

  return {
    async once(request, work) {
      const id = hashOf([request.caller.workspaceId, request.endpoint, request.key]);
      const fingerprint = fingerprintOf(request);
      const started = performance.now();
      await database.deleteFrom('idempotent_responses').where('expires_at', '<=', now().getTime()).execute();
      while (performance.now() - started < maxWaitMs) {
        const found = await find(id);
        if (found !== undefined && found.fingerprint !== fingerprint) throw otherRequest();
        if (found !== undefined && found.status !== null) {
          return { answer: { status: found.status, body: found.body ?? '' }, replayed: true };
        }
        const until = found === undefined ? await claimNew(id, fingerprint) : await claimAbandoned(found);
        if (until !== null) return { answer: await run(id, until, work), replayed: false };
        await sleep(lookEveryMs, undefined, { signal: request.signal });
      }
      throw new ServiceError('service_unavailable', {
        detail: 'Another request with this Idempotency-Key is still running. Try again later.',
      });
    },
  };
}

/** What is asked, and for which accounts: a key that is limited to others must not be shown the answer. */
function fingerprintOf({ caller, request }: IdempotentRequest): string {
  return hashOf([caller.accountIds === null ? null : [...caller.accountIds].sort(), request]);
}

/** Hashes, so that a row is of one size and holds nothing of the request. */
const hashOf = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const otherRequest = () =>
  new ServiceError('invalid_parameters', {
    detail: 'This Idempotency-Key has been used for a different request: use a new key for a new request.',
  });
