/** Requests that act on the same job in two processes: gateways that share a database, and one that died. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { jobLeases } from '../../src/capabilities/jobs/lease.ts';
import type { JobState } from '../../src/capabilities/jobs/shapes.ts';
import { statementTime } from '../../src/store/statement-time.ts';
import { createWorkspaceLines } from '../../src/store/workspace-lines.ts';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';
import { rest } from '../support/rest.ts';

const leaseMs = 4_000;

describe.each(databases)('one job and two processes, $name', (dialect) => {
  const clock = { now: new Date('2026-11-20T12:00:00Z') };
  let place: TestDatabase;
  let here: Gateway;
  let there: Gateway;
  let workspace: SeededWorkspace;
  let accountId: string;
  let jobId: string;
  /** What the process here waits for at the network. */
  let gate = Promise.resolve();
  /** What the network says when it is asked whether the draft was published. */
  let published: JobState | null = null;
  let calls: string[] = [];
  /** A job for each request that has had to wait. */
  let waits: string[] = [];

  const start = (name: string, waitMs: number, own = clock) =>
    startGateway({
      clock: own,
      environment: { DATABASE_URL: place.url },
      leases: { leaseMs, waitMs, onWait: (id) => void waits.push(id) },
      providers: (sandbox) => ({
        ...sandbox,
        PNET: {
          ...sandbox.PNET,
          publish: async (...args) => {
            calls.push(`publish ${name}`);
            if (name === 'here') await gate;
            return sandbox.PNET.publish(...args);
          },
          findPublished: async () => {
            calls.push(`look up ${name}`);
            return published;
          },
        },
      }),
    });

  beforeAll(async () => {
    place = await dialect.withSchema();
    here = await start('here', 60_000);
    there = await start('there', 60_000);
    workspace = await seeded(here, here.address).workspace();
    accountId = await workspace.account();
  });
  afterAll(async () => {
    await here.close();
    await there.close();
    await place.drop();
  });
  beforeEach(async () => {
    [gate, published, calls, waits] = [Promise.resolve(), null, [], []];
    jobId = await workspace.draft({ accountId });
  });

  const publish = ({ address }: Gateway) =>
    rest(address, workspace.key, 'POST', `/v1/pnet/jobs/${jobId}/publish`, {
      body: { account_id: accountId, mode: 'FREE' },
    });
  const edit = ({ address }: Gateway, change: object) =>
    rest(address, workspace.key, 'PATCH', `/v1/pnet/jobs/${jobId}`, { body: { account_id: accountId, ...change } });
  const leaseOf = () =>
    here.app.database
      .selectFrom('jobs')
      .select(['claimed_until', 'claimed_by', 'publication', 'state'])
      .where('id', '=', jobId)
      .executeTakeFirstOrThrow();
  /** Leaves the row as a process leaves it that dies while it acts on the posting. */
  const leaveBehind = (publication: 'unknown' | null) =>
    here.app.database
      .updateTable('jobs')
      .set({
        claimed_until: sql`${time()} + ${sql.lit(leaseMs)}`,
        claimed_by: 'a process that died',
        publication,
      })
      .where('id', '=', jobId)
      .execute();
  /** On Postgres leases end by the clock of the server: what is later for it is earlier in its rows. */
  const passTime = async (ms: number) => {
    clock.now = new Date(clock.now.getTime() + ms);
    if (place.location.kind === 'sqlite') return;
    await here.app.database
      .updateTable('jobs')
      .set(({ eb }) => ({ claimed_until: eb('claimed_until', '-', ms) }))
      .where('claimed_until', '>', 0)
      .execute();
  };
  const time = () => statementTime(clock.now.getTime(), 1_000);

  test('the second waits for the first, wherever it runs', async () => {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    gate = promise;
    const first = publish(here);
    await expect.poll(() => calls).toEqual(['publish here']);
    const second = publish(there);
    const third = edit(there, { location: '7' });
    await expect.poll(() => waits).toEqual([jobId, jobId]);
    open();
    expect(await first).toMatchObject({ status: 200, body: { job_state: 'active' } });
    expect(await second).toMatchObject({
      status: 422,
      body: {
        type: 'errors/action_already_performed',
        detail: 'The draft has already been published: its state is active.',
      },
    });
    expect(await third).toMatchObject({ status: 200 });
    expect(calls).toEqual(['publish here']);
  });

  test('a lease is renewed for as long as its holder needs it', async () => {
    const { promise, resolve: open } = Promise.withResolvers<void>();
    gate = promise;
    const first = publish(here);
    await expect.poll(() => calls).toEqual(['publish here']);
    const second = publish(there);
    await expect.poll(() => waits).toEqual([jobId]);
    for (let round = 0; round < 3; round += 1) {
      await passTime(leaseMs / 2);
      const { claimed_until } = await leaseOf();
      await expect.poll(async () => (await leaseOf()).claimed_until).toBeGreaterThan(claimed_until);
    }
    open();
    expect(await first).toMatchObject({ status: 200 });
    expect(await second).toMatchObject({ status: 422 });
    expect(await leaseOf()).toMatchObject({ claimed_until: 0, claimed_by: null });
  });

  test.skipIf(dialect.name === 'SQLite')('a process whose clock is ahead takes nothing over', async () => {
    const ahead = await start('ahead', 60_000, { now: new Date(clock.now.getTime() + 3 * leaseMs) });
    onTestFinished(ahead.close);
    const { promise, resolve: open } = Promise.withResolvers<void>();
    gate = promise;
    const first = publish(here);
    await expect.poll(() => calls).toEqual(['publish here']);
    const second = publish(ahead);
    await expect.poll(() => [...waits, ...calls]).toHaveLength(2);
    open();
    expect(await first).toMatchObject({ status: 200 });
    expect(await second).toMatchObject({ status: 422, body: { type: 'errors/action_already_performed' } });
    expect(calls).toEqual(['publish here']);
  });

  test('beyond the bound, the second gets Retry-After, and nothing was done', async () => {
    const hasty = await start('hasty', 1);
    try {
      await leaveBehind(null);
      const document = `mutation { publishJob(input: { accountId: "${accountId}", jobId: "${jobId}", mode: FREE }) { __typename } }`;
      const refusal = { type: 'errors/service_unavailable', detail: expect.stringContaining('was not carried out') };
      for (const answer of [await publish(hasty), await edit(hasty, { location: '7' })]) {
        expect(answer).toMatchObject({ status: 503, body: { ...refusal, status: 503 } });
        expect(answer.headers.get('retry-after')).toBe('5');
      }
      const { errors, headers } = await graphql(hasty.address, workspace.key, document);
      expect(errors).toMatchObject([
        { path: ['publishJob'], message: refusal.detail, extensions: { code: 'SERVICE_UNAVAILABLE' } },
      ]);
      expect(headers.get('retry-after')).toBe('5');
      expect(calls).toEqual([]);
      expect((await workspace.job(jobId)).fields.location).toBeUndefined();
    } finally {
      await hasty.close();
    }
  });

  test('the lease of a process that died ends, and the next request goes on', async () => {
    await leaveBehind(null);
    const waiting = publish(there);
    await expect.poll(() => waits).toEqual([jobId]);
    await passTime(leaseMs);
    expect(await waiting).toMatchObject({ status: 200, body: { job_state: 'active' } });
    expect(calls).toEqual(['publish there']);
  });

  test('what a process that died may have published is looked up: it was', async () => {
    published = 'review';
    await leaveBehind('unknown');
    await passTime(leaseMs);
    for (const _ of [1, 2]) {
      const answer = await publish(there);
      expect(answer).toMatchObject({ status: 422, body: { type: 'errors/action_already_performed' } });
      expect(answer.body.detail).toContain('its state is review');
    }
    expect(calls).toEqual(['look up there']);
    expect(await leaseOf()).toMatchObject({ state: 'review', publication: 'published' });
  });

  test('what a process that died may have published is looked up: it was not', async () => {
    await leaveBehind('unknown');
    await passTime(leaseMs);
    expect(await publish(there)).toMatchObject({ status: 200 });
    expect(calls).toEqual(['look up there', 'publish there']);
  });

  test('a request that waited does not repeat a publication whose outcome is unknown', async () => {
    const { promise, reject: breakConnection } = Promise.withResolvers<void>();
    gate = promise;
    published = 'active';
    const first = publish(here);
    await expect.poll(() => calls).toEqual(['publish here']);
    const second = publish(there);
    await expect.poll(() => waits).toEqual([jobId]);
    breakConnection(new Error('The connection broke'));
    expect(await first).toMatchObject({ status: 500 });
    expect(await second).toMatchObject({ status: 422, body: { type: 'errors/action_already_performed' } });
    expect(calls).toEqual(['publish here', 'look up there']);
  });

  describe('a lease', () => {
    const never = requestContext('w');
    const leases = (waitMs = 60_000) =>
      jobLeases(
        {
          database: here.app.database,
          inLine: createWorkspaceLines(1, 60_000),
          now: () => clock.now,
          randomBytes,
          logger: pino({ level: 'silent' }),
        },
        { leaseMs, waitMs },
      );

    test('goes to those who wait in the order in which they came', async () => {
      const { acquire } = leases();
      const order: number[] = [];
      const first = await acquire(jobId, never);
      const others = [1, 2, 3].map(async (number) => {
        await using _lease = await acquire(jobId, never);
        order.push(number);
      });
      await first[Symbol.asyncDispose]();
      await Promise.all(others);
      expect(order).toEqual([1, 2, 3]);
    });

    test('does not keep a client waiting that disconnected, in the same process or in another', async () => {
      const { acquire } = leases();
      const held = await acquire(jobId, never);
      for (const wait of [acquire, leases().acquire]) {
        const client = new AbortController();
        const waiting = wait(jobId, requestContext('w', client.signal));
        client.abort(new DOMException('The client disconnected', 'AbortError'));
        await expect(waiting).rejects.toMatchObject({ errorName: 'request_timeout' });
        await expect(wait(jobId, requestContext('w', client.signal))).rejects.toMatchObject({
          errorName: 'request_timeout',
        });
      }
      await held[Symbol.asyncDispose]();
      await using _next = await acquire(jobId, never);
    });

    test('is waited for by a bounded number of requests', async () => {
      const { acquire } = leases();
      const held = await acquire(jobId, never);
      const client = new AbortController();
      const waiting = Array.from({ length: 50 }, () => acquire(jobId, requestContext('w', client.signal)));
      await expect(acquire(jobId, never)).rejects.toMatchObject({ errorName: 'service_unavailable' });
      client.abort();
      await Promise.allSettled(waiting);
      await held[Symbol.asyncDispose]();
    });

    test('that has expired and gone to another stores nothing', async () => {
      const lost = await leases().acquire(jobId, never);
      await here.app.database.updateTable('jobs').set({ claimed_until: 0 }).where('id', '=', jobId).execute();
      await using _next = await leases().acquire(jobId, never);
      await expect(lost.store({ state: 'closed' })).rejects.toThrow(/expired/);
      await lost[Symbol.asyncDispose]();
      expect(await leaseOf()).toMatchObject({ state: 'draft', claimed_by: expect.any(String) });
    });
  });
});
