/** The rate of bytes and the quota of stored bytes of a workspace, for every way in. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TimeoutError } from '../../src/kernel/lib/abort-signal.ts';
import { afterTimeout } from '../../src/kernel/lib/after.ts';
import { day, minute } from '../../src/kernel/lib/time-units.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createStoredBytes, forgetDeletedBytes, rowBytes } from '../../src/store/stored-bytes.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { requestContext } from '../support/request-context.ts';
import type { Tuning } from '../support/tuning.ts';
import { createTriggerWebhookAt, createWebhookAt } from '../support/webhook-creation.ts';

const [, postgres] = databases;

const enableAll = ({ app }: Gateway) => app.database.updateTable('webhooks').set({ enabled: 1 }).execute();

async function start(environment: Readonly<Record<string, string>>, tuning: Tuning = {}) {
  const gateway = await startGateway({ environment, tuning });
  onTestFinished(() => gateway.close());
  const workspace = await gateway.workspace();
  return { gateway, workspace, accountId: await workspace.account() };
}

const emit = async ({ address }: Gateway, { key }: TestWorkspace, accountId: string, size = 1) => {
  const query = `mutation ($data: JSON) { emitEvent(input: {
    accountId: "${accountId}", event: NEW_RELATION, data: $data }) {
    __typename ... on ServiceError { code } } }`;
  const { data, errors } = await graphql(address, key, query, { data: { user_full_name: 'x'.repeat(size) } });
  return errors[0]?.extensions.code ?? data.emitEvent.code ?? data.emitEvent.__typename;
};

const untroubled = { failed: () => expect.unreachable(), worked: () => undefined };

const eventsOf = async ({ app }: Gateway, { workspaceId }: TestWorkspace) =>
  (await app.database.selectFrom('events').select('id').where('workspace_id', '=', workspaceId).execute()).length;

test('bytes of events have a rate, each workspace its own', async () => {
  const { gateway, workspace, accountId } = await start({}, { rateLimits: { eventBytesPerSecond: 10_000 } });
  expect(await emit(gateway, workspace, accountId, 60_000)).toBe('EventEmitted');
  expect(await emit(gateway, workspace, accountId, 60_000)).toBe('SERVICE_UNAVAILABLE');
  // Larger than all that can be left, it would be repeated for ever.
  expect(await emit(gateway, workspace, accountId, 200_000)).toBe('CONTENT_TOO_LARGE');
  expect(await eventsOf(gateway, workspace)).toBe(1);
  const other = await gateway.workspace();
  expect(await emit(gateway, other, await other.account(), 60_000)).toBe('EventEmitted');
  gateway.clock.now = new Date(gateway.clock.now.getTime() + 10_000);
  expect(await emit(gateway, workspace, accountId, 60_000)).toBe('EventEmitted');
});

test.each(databases)('bytes of an attempt that ends while the gateway stops are counted, on $name', async (dialect) => {
  const place = await dialect.withSchema();
  const gateway = await startDelivering({ dialect: { withSchema: async () => ({ ...place, drop: async () => {} }) } });
  const receiver = await startReceiver();
  onTestFinished(async () => {
    await receiver.close();
    await place.drop();
  });
  await gateway.webhook(receiver.address);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  receiver.answer = (_request, response) => void answered.then(() => response.end());
  await gateway.emit(1);
  await receiver.waitFor(1);
  const closed = gateway.close();
  // Nothing says that the gateway waits for the response alone.
  await sleep(300);
  answer();
  await closed;
  const database = await openDatabase(place.location);
  onTestFinished(() => database.destroy());
  const { data } = await database.selectFrom('events').select('data').executeTakeFirstOrThrow();
  const { response_body } = await database
    .selectFrom('delivery_attempts')
    .select('response_body')
    .executeTakeFirstOrThrow();
  const stored = await database.selectFrom('stored_bytes').select('bytes').execute();
  // Of the event, its delivery and the attempt.
  expect(stored).toEqual([{ bytes: 3 * rowBytes + Buffer.byteLength(data) + Buffer.byteLength(response_body) }]);
});

test.skipIf(postgres === undefined)(
  'a command needs no table but its own to know what the workspace has stored, on Postgres',
  { timeout: 90_000 },
  async () => {
    if (postgres === undefined) throw new Error('there is no Postgres');
    const tuning = { postgres: { lockTimeoutMs: 1_000 } };
    const gateway = await startDelivering({ dialect: postgres, tuning, environment: { LOG_LEVEL: 'fatal' } });
    onTestFinished(() => gateway.close());
    const { jobs, deliveries } = gateway.app.ports;
    const somebody = new pg.Client({ connectionString: gateway.databaseUrl });
    await somebody.connect();
    onTestFinished(() => somebody.end());
    const { rows: tables } = await somebody.query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1",
    );
    /** Commands of a workspace of which no sum is known. */
    async function commands() {
      const space = await gateway.workspace();
      const context = requestContext(space.workspaceId);
      const account_id = await space.account();
      return {
        createDraft: () => jobs.createDraft(context, { account_id, job_title: { text: 'Engineer' } }),
        emit: () => deliveries.emit(context, { account_id, event: 'new_relation' }),
      };
    }
    const met: Record<string, string[]> = { createDraft: [], emit: [] };
    for (const { name } of tables) {
      const { createDraft, emit: emitEvent } = await commands();
      await somebody.query(`begin; lock table ${name}`);
      const outcomes = await Promise.allSettled([createDraft(), emitEvent()]);
      await somebody.query('rollback');
      for (const [at, command] of ['createDraft', 'emit'].entries())
        if (outcomes[at]?.status === 'rejected') met[command]?.push(name);
    }
    expect(met).toEqual({
      createDraft: ['accounts', 'jobs', 'workspaces'],
      emit: ['accounts', 'deliveries', 'events', 'webhook_listeners', 'webhooks', 'workspaces'],
    });
  },
);

test('a sum that cannot be read leaves a workspace what it had stored before, and as much as its quota after a start', async () => {
  const { gateway } = await start({});
  let time = gateway.clock.now.getTime();
  let isLocked = false;
  const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>();
  const told: unknown[] = [];
  const database = gateway.app.database.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (isLocked) await unlocked;
      return result;
    },
  });
  const open = () =>
    createStoredBytes({
      database,
      maxBytes: 1_000,
      now: () => new Date(time),
      after: () => () => undefined,
      trouble: untroubled,
      unread: { failed: (error) => told.push(error), worked: () => told.push('worked') },
    });
  const [known, unknown] = [open(), open()];
  known.add('w', 600);
  await known.close();
  await known.requireRoom('w');
  expect(told.splice(0)).toEqual(['worked']);
  time += minute;
  isLocked = true;
  for (const each of [known, unknown]) {
    await each.requireRoom('w');
    each.add('w', 400);
  }
  expect(told.splice(0)).toEqual([expect.any(TimeoutError), expect.any(TimeoutError)]);
  await expect(known.requireRoom('w')).rejects.toThrow('take 1000 bytes');
  await unknown.requireRoom('w');
  unknown.add('w', 600);
  await expect(unknown.requireRoom('w')).rejects.toThrow('take 1000 bytes');
  unlock();
  await expect.poll(() => told).toEqual(['worked', 'worked']);
  await expect(unknown.requireRoom('w')).rejects.toThrow('take 1600 bytes');
  await Promise.all([known.close(), unknown.close()]);
});

test('bytes that could not be written are written later: those of events for their day, those of postings for good', async () => {
  const { gateway } = await start({});
  let isAway = true;
  const told: unknown[] = [];
  const bytes = createStoredBytes({
    database: gateway.app.database.withPlugin({
      transformQuery({ node }) {
        if (isAway) throw new Error('The database is away');
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
    maxBytes: 1_000,
    now: () => gateway.clock.now,
    after: () => () => undefined,
    trouble: { failed: () => told.push('failed'), worked: () => told.push('worked') },
    unread: untroubled,
  });
  bytes.add('w', 600);
  bytes.addForGood('w', 30);
  await bytes.close();
  bytes.add('w', 6);
  isAway = false;
  await bytes.close();
  expect(told).toEqual(['failed', 'worked']);
  const stored = gateway.app.database.selectFrom('stored_bytes').select(['day', 'bytes']).orderBy('day');
  const today = Math.floor(gateway.clock.now.getTime() / day);
  expect(await stored.execute()).toEqual([
    { day: today, bytes: 606 },
    { day: 2 ** 31 - 1, bytes: 30 },
  ]);
});

describe('a workspace that has stored its quota', () => {
  const ways = {
    emitEvent: ({ gateway, workspace, accountId }) => emit(gateway, workspace, accountId),
    async sendTestEvent({ gateway, workspace }) {
      const webhookId = await createWebhookAt(gateway.address, workspace.key);
      await enableAll(gateway);
      const query = `mutation { sent: sendTestEvent(input: { webhookId: "${webhookId}" }) {
        __typename ... on ServiceError { code } } }`;
      const { data, errors } = await graphql(gateway.address, workspace.key, query);
      return errors[0]?.extensions.code ?? data.sent.code ?? data.sent.__typename;
    },
    async fireTriggerWebhook({ gateway, workspace, accountId }) {
      const webhookId = await createTriggerWebhookAt(gateway.address, workspace.key);
      await enableAll(gateway);
      const query = `mutation { fired: fireTriggerWebhook(input: {
        webhookId: "${webhookId}", accountId: "${accountId}", chatId: "c" }) {
        __typename ... on ServiceError { code } } }`;
      const { data, errors } = await graphql(gateway.address, workspace.key, query);
      return errors[0]?.extensions.code ?? data.fired.code ?? data.fired.__typename;
    },
  } satisfies Readonly<Record<string, (started: Awaited<ReturnType<typeof start>>) => Promise<string>>>;

  test.each(Object.entries(ways))('is refused: %s', async (_name, act) => {
    const started = await start({ STORED_BYTES_PER_WORKSPACE: '20000' });
    const { gateway, workspace, accountId } = started;
    expect(await act(started)).toBe('EventEmitted');
    expect(await emit(gateway, workspace, accountId, 20_000)).toBe('EventEmitted');
    const stored = await eventsOf(gateway, workspace);
    expect(await act(started)).toBe('ACTION_REQUIRED');
    expect(await eventsOf(gateway, workspace)).toBe(stored);
    const other = await gateway.workspace();
    expect(await emit(gateway, other, await other.account())).toBe('EventEmitted');
  });

  test('is refused redelivery, whose attempts were counted too', async () => {
    const receiver = await startReceiver();
    const { gateway, workspace, accountId } = await start({
      STORED_BYTES_PER_WORKSPACE: '4000',
      OUTBOUND_ALLOW: '127.0.0.0/8',
    });
    const counts = [
      { answer: 'x'.repeat(1_000), counted: 3 * 512 + 1_000 },
      { answer: '', counted: 4 * 512 + 1_000 },
      { answer: 'é'.repeat(2_000), counted: 5 * 512 + 2_024 },
    ];
    const webhookId = await createWebhookAt(gateway.address, workspace.key);
    await gateway.app.database.updateTable('webhooks').set({ request_url: receiver.address, enabled: 1 }).execute();
    const redeliver = (input: string, field = 'redeliverWebhookDeliveries') =>
      graphql(
        gateway.address,
        workspace.key,
        `mutation { done: ${field}(input: { ${input} }) { __typename ... on ServiceError { code } } }`,
      );
    const all = `webhookId: "${webhookId}", state: SUCCEEDED`;
    const stored = async () => {
      const rows = await gateway.app.database.selectFrom('stored_bytes').select('bytes').execute();
      return rows[0]?.bytes;
    };
    for (const [at, { answer, counted }] of counts.entries()) {
      receiver.answer = (_request, response) => void response.end(answer);
      if (at === 0) expect(await emit(gateway, workspace, accountId)).toBe('EventEmitted');
      else expect((await redeliver(all)).data.done.__typename).toBe('DeliveriesRedelivered');
      const data = '{"timestamp":"2026-11-20T12:00:00.000Z","user_full_name":"x"}'.length;
      await expect.poll(stored, { timeout: 10_000 }).toBe(counted + data);
    }
    const [delivery] = await gateway.app.database.selectFrom('deliveries').select('id').execute();
    expect((await redeliver(all)).data.done.code).toBe('ACTION_REQUIRED');
    const one = await redeliver(`deliveryId: "${delivery?.id}"`, 'redeliverDelivery');
    expect(one.data.done.code).toBe('ACTION_REQUIRED');
    expect(receiver.received).toHaveLength(3);
    await receiver.close();
  });

  test('is refused drafts, and longer postings, as long as it has those that it has', async () => {
    const { gateway, workspace, accountId } = await start({ STORED_BYTES_PER_WORKSPACE: '20000' });
    const ask = async (mutation: string, description: string, selection = '') => {
      const query = `mutation ($description: String!) { done: ${mutation} {
        __typename ${selection} ... on ServiceError { code } } }`;
      const { data, errors } = await graphql(gateway.address, workspace.key, query, { description });
      expect(errors).toEqual([]);
      return data.done;
    };
    const create = (size: number) =>
      ask(
        `createJobDraft(input: { accountId: "${accountId}", posting: { jobTitle: { text: "T" }, description: $description } })`,
        'x'.repeat(size),
        '... on PnetJobPostingCreated { jobId }',
      );
    const created = await create(10);
    expect(created.__typename).toBe('PnetJobPostingCreated');
    const edit = (size: number) =>
      ask(
        `editJob(input: { accountId: "${accountId}", jobId: "${created.jobId}", posting: { description: $description } })`,
        'x'.repeat(size),
      );
    expect((await edit(19_500)).__typename).toBe('PnetJobPostingEdited');
    expect((await edit(19_501)).code).toBe('ACTION_REQUIRED');
    expect((await create(10)).code).toBe('ACTION_REQUIRED');
    expect(await emit(gateway, workspace, accountId)).toBe('ACTION_REQUIRED');
    const rows = () => gateway.app.database.selectFrom('stored_bytes').selectAll().execute();
    await expect.poll(rows, { timeout: 5_000 }).toHaveLength(1);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 2 * day);
    await forgetDeletedBytes(gateway.app.database, gateway.clock.now.getTime(), 0);
    expect((await create(10)).code).toBe('ACTION_REQUIRED');
    expect((await edit(10)).__typename).toBe('PnetJobPostingEdited');
    expect(await emit(gateway, workspace, accountId)).toBe('EventEmitted');
    expect((await create(10)).__typename).toBe('PnetJobPostingCreated');
  });

  test('may store again when retention has deleted old events', async () => {
    const { gateway, workspace, accountId } = await start({ STORED_BYTES_PER_WORKSPACE: '20000' });
    expect(await emit(gateway, workspace, accountId, 20_000)).toBe('EventEmitted');
    expect(await emit(gateway, workspace, accountId)).toBe('ACTION_REQUIRED');
    // It is written a second later.
    const rows = () => gateway.app.database.selectFrom('stored_bytes').selectAll().execute();
    await expect.poll(rows, { timeout: 5_000 }).toHaveLength(1);
    const { database } = gateway.app;
    await database.deleteFrom('events').execute();
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 2 * day);
    await forgetDeletedBytes(database, gateway.clock.now.getTime(), 0);
    expect(await emit(gateway, workspace, accountId)).toBe('EventEmitted');
  });

  test('is known to other processes, and after a restart', async () => {
    const { gateway } = await start({});
    const { database } = gateway.app;
    const workspaceId = randomBytes(8).toString('hex');
    let time = gateway.clock.now.getTime();
    const open = () =>
      createStoredBytes({
        database,
        maxBytes: 1_000,
        now: () => new Date(time),
        after: afterTimeout,
        trouble: untroubled,
        unread: untroubled,
      });
    const [one, two] = [open(), open()];
    await two.requireRoom(workspaceId);
    one.add(workspaceId, 600);
    await one.close();
    one.add(workspaceId, 600);
    await one.close();
    await expect(open().requireRoom(workspaceId)).rejects.toThrow('can take 1000');
    await two.requireRoom(workspaceId);
    time += minute;
    await expect(two.requireRoom(workspaceId)).rejects.toMatchObject({ errorName: 'action_required' });
  });
});
