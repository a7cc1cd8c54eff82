/** What `Idempotency-Key` stores, on every database. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultQueryExecutor, sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { TakenKey } from '../../src/kernel/idempotency.ts';
import { databaseIdempotency } from '../../src/store/idempotency.ts';
import { storeWithRows } from '../../src/store/key-response.ts';
import { type InjectedFaults, injectFaults } from '../support/database-faults.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';

describe.each(databases)('what is stored under an Idempotency-Key on $name', ({ name, withSchema }) => {
  let place: TestDatabase;
  let gateway: Gateway;
  beforeAll(async () => {
    place = await withSchema();
    gateway = await startGateway({ environment: { DATABASE_URL: place.url } });
  });
  afterAll(async () => {
    await gateway.close();
    await place.drop();
  });

  const failures: object[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void failures.push(JSON.parse(line)) });

  function open(maxKeys: number) {
    const clock = { now: new Date('2026-11-20T12:00:00Z') };
    let jumpedMs = 0;
    const jump = (ms: number) => {
      clock.now = new Date(clock.now.getTime() + ms);
      jumpedMs += ms;
    };
    /** As in a process of its own, whose clock is ahead by so much. */
    const start = (aheadMs = 0) =>
      databaseIdempotency(
        {
          database: gateway.app.database,
          now: () => new Date(clock.now.getTime() + aheadMs),
          clock: () => clock.now.getTime() - jumpedMs,
          randomBytes,
          logger,
        },
        maxKeys,
      );
    const ownKeyId = randomBytes(16).toString('base64url');
    const [store, other, ahead] = [start(), start(), start(12_000)];
    const once = (
      key: string,
      work: () => Promise<string>,
      keyId = ownKeyId,
      by = store,
      accountIds: ReadonlySet<string> | null = null,
    ) =>
      by.once(
        {
          caller: { workspaceId: 'w', keyId, keyName: 'k', scopes: new Set(), accountIds } as never,
          endpoint: 'PUB',
          key,
          request: {},
          signal: new AbortController().signal,
        },
        work,
      );
    /** Its work is one transaction, which stores the response. */
    const atomically = (key: string, work: (taken: TakenKey) => Promise<string>, where = 'here') =>
      (where === 'here' ? store : other).once(
        {
          caller: { ...requestContext('w').caller, keyId: ownKeyId },
          endpoint: 'WHCREATE',
          key,
          request: {},
          signal: new AbortController().signal,
          isAtomic: true,
        },
        work,
      );
    const insert = (id: string, taken: TakenKey) =>
      gateway.app.database.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('workspaces')
          .values({ id, name: `atomic ${id}`, created_at: 0 })
          .execute();
        await storeWithRows(transaction, { ...taken, print: () => JSON.stringify(id) }, {});
        return JSON.stringify(id);
      });
    /** In another process. */
    const elsewhere = (key: string, work: () => Promise<string>) => once(key, work, ownKeyId, other);
    const elsewhereAhead = (key: string, work: () => Promise<string>) => once(key, work, ownKeyId, ahead);
    /** On Postgres leases end by the clock of the server: what is later for it is earlier in its rows. */
    const pass = async (ms: number) => {
      clock.now = new Date(clock.now.getTime() + ms);
      if (name === 'SQLite') return;
      await gateway.app.database
        .updateTable('idempotent_responses')
        .set(({ eb }) => ({ claimed_until: eb('claimed_until', '-', ms) }))
        .where('claimed_by', 'is not', null)
        .execute();
    };
    const ofAccount = (key: string, work: () => Promise<string>, accountId: string) =>
      once(key, work, ownKeyId, store, new Set([accountId]));
    return { clock, jump, once, elsewhere, elsewhereAhead, ofAccount, atomically, insert, pass };
  }
  const inserted = async () => {
    const { database } = gateway.app;
    const found = await database
      .selectFrom('workspaces')
      .select('id')
      .where('name', 'like', 'atomic %')
      .orderBy('id')
      .execute();
    return found.map(({ id }) => id);
  };
  const rows = () => gateway.app.database.selectFrom('idempotent_responses').selectAll().execute();

  test('an API key has so many keys in 24 hours, and another of its workspace has its own', async () => {
    const { clock, once } = open(3);
    for (const key of ['a', 'b', 'c']) await once(key, async () => key);
    await expect(once('d', async () => 'd')).rejects.toMatchObject({ errorName: 'limit_too_high' });
    // What is there is still given again.
    expect(await once('a', async () => 'new')).toEqual({ body: 'a', replayed: true });
    expect(await once('d', async () => 'd', 'another')).toEqual({ body: 'd', replayed: false });
    clock.now = new Date(clock.now.getTime() + 24 * 60 * 60 * 1_000);
    expect(await once('d', async () => 'd')).toEqual({ body: 'd', replayed: false });
    // What has expired is deleted.
    expect(await rows()).toHaveLength(1);
    // A key that has expired is free, also before its row is deleted.
    expect(await once('a', async () => 'new')).toEqual({ body: 'new', replayed: false });
  });

  test('a response that has expired is not given, though its row is still there', async () => {
    const { clock, once } = open(3);
    await once('a', async () => 'old');
    clock.now = new Date(clock.now.getTime() + 24 * 60 * 60 * 1_000);
    expect(await once('a', async () => 'new')).toEqual({ body: 'new', replayed: false });
  });

  test('a response is of the accounts of its caller', async () => {
    const { once, ofAccount } = open(3);
    await once('a', async () => 'of all');
    for (const accountId of ['one', 'other'])
      expect(await ofAccount('a', async () => accountId, accountId)).toEqual({ body: accountId, replayed: false });
    expect(await ofAccount('a', async () => 'new', 'one')).toEqual({ body: 'one', replayed: true });
  });

  test('a response outlives a clock that jumps ahead, and is given meanwhile', async () => {
    const { jump, once } = open(3);
    const month = 30 * 24 * 60 * 60 * 1_000;
    await once('a', async () => 'first');
    jump(month);
    expect(await once('a', async () => 'second')).toEqual({ body: 'first', replayed: true });
    await once('b', async () => 'b');
    jump(-month);
    expect(await once('a', async () => 'second')).toEqual({ body: 'first', replayed: true });
    expect(await once('b', async () => 'second')).toEqual({ body: 'b', replayed: true });
  });

  test('expired responses are deleted even after the clock was set back', async () => {
    const { clock, once } = open(3);
    const hour = 60 * 60 * 1_000;
    const put = (hours: number) => {
      clock.now = new Date(Date.parse('2026-12-01T00:00:00Z') + hours * hour);
      return once(`at ${hours}`, async () => 'done');
    };
    await put(-30);
    await gateway.app.database.updateTable('idempotent_responses').set({ expires_at: 1 }).execute();
    // The clock is a day ahead, and is put right.
    await put(24);
    await gateway.app.database.updateTable('idempotent_responses').set({ expires_at: 1 }).execute();
    await put(0);
    expect(await rows()).toHaveLength(1);
  });

  test.skipIf(name !== 'Postgres')('the locked row of a key that has expired holds up no other key', async () => {
    const { clock, once } = open(3);
    await once('a', async () => 'a');
    clock.now = new Date(clock.now.getTime() + 24 * 60 * 60 * 1_000);
    const somebody = new pg.Client({ connectionString: place.url });
    await somebody.connect();
    await somebody.query('begin; select from idempotent_responses for update');
    expect(await once('b', async () => 'b')).toEqual({ body: 'b', replayed: false });
    await somebody.end();
  });

  test('many requests that wait for one response ask the database once each', async () => {
    const { once } = open(3);
    const begun = Promise.withResolvers<void>();
    const response = Promise.withResolvers<string>();
    const first = once('a', () => {
      begun.resolve();
      return response.promise;
    });
    await begun.promise;
    const reads = vi.spyOn(gateway.app.database, 'selectFrom');
    const others = Array.from({ length: 100 }, () => once('a', async () => 'again'));
    setTimeout(response.resolve, 500, 'done');
    expect(await first).toEqual({ body: 'done', replayed: false });
    for (const other of await Promise.all(others)) expect(other).toEqual({ body: 'done', replayed: true });
    expect(reads.mock.calls.length).toBeLessThan(200);
    reads.mockRestore();
  });

  test('refusals are not stored', async () => {
    const before = (await rows()).length;
    const { once } = open(3);
    for (let time = 0; time < 5; time += 1) {
      const refusal = new ServiceError('insufficient_credits', { detail: 'refused' });
      await expect(once('a', () => Promise.reject(refusal))).rejects.toBe(refusal);
    }
    expect(await rows()).toHaveLength(before);
  });

  test('the response is sent even if the database fails to store it', async () => {
    const { once } = open(3);
    const { database } = gateway.app;
    const without = async <T>(work: () => Promise<T>): Promise<T> => {
      await sql`alter table idempotent_responses rename to elsewhere`.execute(database);
      return work();
    };
    const back = () => sql`alter table elsewhere rename to idempotent_responses`.execute(database);
    const refused = () => Promise.reject(new ServiceError('insufficient_credits', { detail: 'refused' }));

    failures.length = 0;
    expect(await once('a', () => without(async () => 'done'))).toEqual({ body: 'done', replayed: false });
    await back();
    await expect(once('b', () => without(refused))).rejects.toThrow('refused');
    await back();
    expect(await once('c', () => without(async () => 'x'.repeat(20_000)))).toMatchObject({ replayed: false });
    await back();
    expect(failures).toHaveLength(3);
    expect(failures[0]).toMatchObject({ err: { message: expect.stringContaining('idempotent_responses') } });
  });

  const unknown = { errorName: 'request_timeout', outcomeUnknown: true };

  test.skipIf(name !== 'Postgres')('a request whose commit was not confirmed does not run again', async () => {
    const { once } = open(3);
    const { database } = gateway.app;
    const { query } = pg.Client.prototype;
    const lost = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
      this: pg.Client,
      ...given: unknown[]
    ) {
      const result: unknown = await Reflect.apply(query, this, given);
      if (given[0] === 'commit') throw new Error('Connection terminated unexpectedly');
      return result;
    } as never);
    const work = vi.fn(() =>
      database.transaction().execute(async (transaction) => {
        const row = { id: 'committed', name: 'committed', created_at: 0 };
        await transaction.insertInto('workspaces').values(row).execute();
        return 'done';
      }),
    );
    await expect(once('a', work)).rejects.toMatchObject(unknown);
    lost.mockRestore();
    const stored = await database.selectFrom('workspaces').select('id').where('id', '=', 'committed').execute();
    expect(stored).toHaveLength(1);
    await expect(once('a', work)).rejects.toMatchObject(unknown);
    expect(work).toHaveBeenCalledOnce();
  });

  test('a request that may have been carried out, but has no stored response, is not carried out again', async () => {
    const { once } = open(2);
    const large = 'x'.repeat(20_000);
    expect(await once('large', async () => large)).toEqual({ body: large, replayed: false });
    await expect(once('large', async () => 'again')).rejects.toMatchObject(unknown);
    const lost = new ServiceError('network_down', { outcomeUnknown: true });
    await expect(once('lost', () => Promise.reject(lost))).rejects.toBe(lost);
    await expect(once('lost', async () => 'again')).rejects.toMatchObject({
      errorName: 'network_down',
      outcomeUnknown: true,
    });
    // Both count among the keys of the API key.
    await expect(once('another', async () => 'another')).rejects.toMatchObject({ errorName: 'limit_too_high' });
  });

  test('a request holds its lease for as long as it runs, and no longer than seconds beyond', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { clock, once, elsewhere, pass } = open(3);
    const others = new Set((await rows()).map(({ id }) => id));
    const passRenewed = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        await pass(1_000);
        await vi.advanceTimersByTimeAsync(1_000);
        const claimedFor = async () => {
          const own = (await rows()).find(({ id }) => !others.has(id));
          return Number(own?.claimed_until) - (name === 'SQLite' ? clock.now.getTime() : Date.now());
        };
        await expect.poll(claimedFor).toBeGreaterThan(0);
      }
    };
    const running = Promise.withResolvers<void>();
    const response = Promise.withResolvers<string>();
    const first = once('a', () => {
      running.resolve();
      return response.promise;
    });
    await running.promise;
    await passRenewed(30);
    const second = elsewhere('a', async () => 'again');
    response.resolve('done');
    expect(await first).toEqual({ body: 'done', replayed: false });
    expect(await second).toEqual({ body: 'done', replayed: true });
    expect(vi.getTimerCount()).toBe(0);

    // Without renewals, as after the death of its process.
    const abandoned = Promise.withResolvers<void>();
    void once('b', () => {
      abandoned.resolve();
      return new Promise(() => {});
    });
    await abandoned.promise;
    await pass(5_000);
    await expect(elsewhere('b', async () => 'again')).rejects.toMatchObject(unknown);
  });

  test('an atomic request that lost its lease changes nothing, and the next one goes on', async () => {
    const { atomically, pass, insert } = open(3);
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // As in a process that stands still meanwhile: its lease is not renewed.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const late = atomically('a', async (taken) => {
      begun.resolve();
      await goOn.promise;
      return insert('late', taken);
    });
    await begun.promise;
    await pass(5_000);
    expect(await atomically('a', (taken) => insert('next', taken), 'elsewhere')).toEqual({
      body: '"next"',
      replayed: false,
    });
    goOn.resolve();
    await expect(late).rejects.toMatchObject({ errorName: 'service_unavailable' });
    expect(await atomically('a', (taken) => insert('again', taken))).toEqual({ body: '"next"', replayed: true });
    expect(await inserted()).toEqual(['next']);
  });

  test('an atomic request whose commit was not confirmed is repeated only if nothing was stored', async () => {
    const { atomically, insert } = open(3);
    const lost = new ServiceError('request_timeout', { outcomeUnknown: true });
    const stored = atomically('b', async (taken) => {
      await insert('stored', taken);
      throw lost;
    });
    await expect(stored).rejects.toBe(lost);
    expect(await atomically('b', (taken) => insert('repeated', taken))).toEqual({ body: '"stored"', replayed: true });
    await expect(atomically('c', () => Promise.reject(lost))).rejects.toBe(lost);
    expect(await atomically('c', (taken) => insert('c', taken))).toEqual({ body: '"c"', replayed: false });
    expect(await inserted()).toEqual(['c', 'next', 'stored']);
  });

  test('a request that finds a lost key late does not take over what another has carried out meanwhile', async () => {
    const { atomically, insert } = open(3);
    const lost = new ServiceError('request_timeout', { outcomeUnknown: true });
    await expect(atomically('d', () => Promise.reject(lost))).rejects.toBe(lost);
    const [takesOver, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { executeQuery } = DefaultQueryExecutor.prototype;
    const spy = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(async function (
      this: DefaultQueryExecutor,
      query,
      ...rest
    ) {
      if (query.sql.startsWith('update "idempotent_responses"')) {
        spy.mockRestore();
        takesOver.resolve();
        await goOn.promise;
      }
      return executeQuery.call(this, query, ...rest) as never;
    });
    onTestFinished(() => spy.mockRestore());
    const work = vi.fn(async () => '"twice"');
    const late = atomically('d', work, 'elsewhere');
    await takesOver.promise;
    expect(await atomically('d', (taken) => insert('d', taken))).toEqual({ body: '"d"', replayed: false });
    // As when the lease would have ended, too.
    await gateway.app.database.updateTable('idempotent_responses').set({ claimed_until: 0 }).execute();
    goOn.resolve();
    expect(await late).toEqual({ body: '"d"', replayed: true });
    expect(work).not.toHaveBeenCalled();
  });

  test.skipIf(name === 'SQLite')('a process whose clock is ahead waits for the response too', async () => {
    const { once, elsewhereAhead } = open(3);
    const begun = Promise.withResolvers<void>();
    const response = Promise.withResolvers<string>();
    const first = once('a', () => {
      begun.resolve();
      return response.promise;
    });
    await begun.promise;
    const second = elsewhereAhead('a', async () => 'again');
    const isOver = await Promise.race([second.then(String, String), sleep(300, 'waits')]);
    expect(isOver).toBe('waits');
    response.resolve('done');
    expect(await first).toEqual({ body: 'done', replayed: false });
    expect(await second).toEqual({ body: 'done', replayed: true });
  });

  describe('the answer to the statement that takes the key is lost', () => {
    let injected: InjectedFaults;
    beforeEach(() => {
      injected = injectFaults();
    });
    afterEach(() => injected.restore());
    const insert = 'insert into "idempotent_responses"';

    test('with its connection: the request knows its own lease, and acts once', async () => {
      const { once } = open(3);
      const work = vi.fn(async () => 'done');
      injected.loseAnswerTo(insert);
      expect(await once('a', work)).toEqual({ body: 'done', replayed: false });
      expect(injected.failed).toBe(1);
      expect(await once('a', work)).toEqual({ body: 'done', replayed: true });
      expect(work).toHaveBeenCalledOnce();
    });

    test('with the database: the key is given back when it responds again', async () => {
      const { once } = open(3);
      const work = vi.fn(async () => 'done');
      injected.loseAnswerTo(insert, { andAllAfter: true });
      await expect(once('a', work)).rejects.toMatchObject({ errorName: 'service_unavailable' });
      expect(work).not.toHaveBeenCalled();
      injected.stop();
      expect(await once('a', work)).toEqual({ body: 'done', replayed: false });
      expect(work).toHaveBeenCalledOnce();
    });
  });
});
