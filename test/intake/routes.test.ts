/** `POST /intake/<event>`, on each database: who may post, what is an event, and that each is stored once. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretOf } from '../../src/app/intake/open.ts';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { type Fronting, startFronting } from '../support/fronting.ts';
import { graphql, type TestWorkspace } from '../support/gateway.ts';
import { testSecret } from '../support/webhooks.ts';

const secret = secretOf(deriveKeys(testSecret)('intake'));
const dayMs = 24 * 3_600_000;

describe.each(databases)('the intake on $name', (dialect) => {
  let place: TestDatabase;
  let fronting: Fronting;
  let caller: TestWorkspace;
  beforeAll(async () => {
    place = await dialect.withSchema();
    fronting = await startFronting({ DATABASE_URL: place.url, EVENTS_PER_SECOND: '0' });
    caller = await fronting.front.workspace();
  }, 30_000);
  afterAll(async () => {
    await fronting.close();
    await place.drop();
  });

  const post = (event: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${fronting.publicUrl}/intake/${event}`, {
      method: 'POST',
      headers: { 'x-postern-intake': secret, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const events = (accountId: string) =>
    fronting.front.app.database.selectFrom('events').selectAll().where('account_id', '=', accountId).execute();
  const dataOf = async (accountId: string) => (await events(accountId)).map(({ data }) => JSON.parse(data));

  test.each([
    ['without the secret', { 'x-postern-intake': '' }, 401],
    ['with another secret', { 'x-postern-intake': secret.replace(/^./, (first) => (first === 'a' ? 'b' : 'a')) }, 401],
    ['with a key of a caller', { 'x-postern-intake': '', 'x-api-key': 'key' }, 401],
    ['with a content coding', { 'content-encoding': 'gzip' }, 400],
  ])('refuses a request %s', async (_, headers, status) => {
    const response = await post('message_received', { account_id: 'refused', message: 'x' }, headers);
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ type: expect.any(String) }),
    ]);
    expect(await events('refused')).toEqual([]);
  });

  test.each([
    ['an unknown event', 'nothing', {}, 404],
    ['no JSON', 'message_received', '{', 400],
    ['a list', 'message_received', '[]', 400],
    ['no field of the source', 'message_received', { account_id: 'a', other: 1 }, 400],
    ['more than 1 MiB', 'message_received', { account_id: 'a', message: 'x'.repeat(1_100_000) }, 413],
  ])('refuses %s', async (_, event, body, status) => {
    expect((await post(event, body)).status).toBe(status);
  });

  test('keeps the digits of large numbers, and fields of the source only', async () => {
    await post('message_received', '{"account_id":"digits","message_id":7615917337495251231,"other":1}');
    const [row] = await events('digits');
    expect(row?.data).toBe('{"message_id":7615917337495251231}');
  });

  test('reads a form, whose fields are what the samples are', async () => {
    const form = new URLSearchParams({
      account_id: 'form',
      message: '[1]',
      is_sender: 'true',
      sender: '{"name":"Ada"}',
      attachments: '[]',
    });
    await post('message_received', form.toString(), { 'content-type': 'application/x-www-form-urlencoded' });
    expect(await dataOf('form')).toEqual([
      { message: '[1]', sender: { name: 'Ada' }, is_sender: true, attachments: [] },
    ]);
  });

  test.each([
    ['at the top', { account_id: 'status-top', message: 'CREDENTIALS' }, 'status-top'],
    ['one level below', { AccountStatus: { account_id: 'status-below', account_type: 'MAIL' } }, 'status-below'],
  ])('keeps a payload of account_status whole, with the account %s', async (_, body, accountId) => {
    await post('credentials', body);
    const { account_id, ...rest } = body as Record<string, unknown>;
    expect(await dataOf(accountId)).toEqual([rest]);
    const { data } = await graphql(
      fronting.front.address,
      caller.key,
      'query ($id: ID!) { account(accountId: $id) { status } }',
      { id: accountId },
    );
    expect(data.account).toEqual({ status: 'CREDENTIALS' });
  });

  test('keeps the later status of an account when an earlier event is repeated', async () => {
    for (const [event, id] of [
      ['credentials', 's1'],
      ['ok', 's2'],
      ['credentials', 's1'],
    ] as const) {
      await post(event, { account_id: 'repeated-status' }, { 'webhook-id': id });
    }
    const { data } = await graphql(
      fronting.front.address,
      caller.key,
      '{ account(accountId: "repeated-status") { status } }',
    );
    expect(data.account).toEqual({ status: 'OK' });
  });

  test('stores what comes several times at once, once', async () => {
    const bodies = Array.from({ length: 40 }, (_, n) => ({ account_id: 'twice', message: `${n}` }));
    const statuses = await Promise.all([...bodies, ...bodies, ...bodies].map((body) => post('message_received', body)));
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await dataOf('twice')).map(({ message }) => Number(message)).sort((one, two) => one - two)).toEqual(
      bodies.map((_, n) => n),
    );
  });

  test('takes the same for another event after a day, and once again', async () => {
    const body = { account_id: 'daily', message: 'Good morning' };
    const counts: number[] = [];
    for (const ms of [0, dayMs - 1_000, 1_000, 0, dayMs, 0]) {
      fronting.front.clock.now = new Date(fronting.front.clock.now.getTime() + ms);
      await post('message_received', body);
      counts.push((await events('daily')).length);
    }
    expect(counts).toEqual([1, 1, 2, 2, 3, 3]);
  });

  test('believes the ids of a service that sends some', async () => {
    const send = (id: string, message: string) =>
      post('message_received', { account_id: 'ids', message }, { 'webhook-id': id });
    for (const [id, message] of [
      ['m1', 'a'],
      ['m1', 'a'],
      ['m2', 'a'],
      ['m1', 'changed'],
    ] as const) {
      expect((await send(id, message)).status).toBe(200);
    }
    expect(await dataOf('ids')).toEqual([{ message: 'a' }, { message: 'a' }]);
  });

  test.each([
    ['empty', '', ['a', 'b', 'c']],
    ['long', randomBytes(4_000).toString('hex'), ['a']],
  ])('takes ids that are %s', async (what, id, messages) => {
    for (const message of ['a', 'b', 'c']) {
      const response = await post('message_received', { account_id: `${what}-id`, message }, { 'webhook-id': id });
      expect(response.status).toBe(200);
    }
    expect((await dataOf(`${what}-id`)).map(({ message }) => message).sort()).toEqual(messages);
  });

  test('stores an event though a caller has used its key', async () => {
    const send = (account_id: string) =>
      post('message_received', { account_id, message: 'real' }, { 'webhook-id': 'foreseen' });
    await send('first');
    await post('message_received', { account_id: 'second', message: 'known' });
    const [row] = await events('first');
    const { data } = await graphql(
      fronting.front.address,
      caller.key,
      `mutation ($key: String) {
        emitEvent(input: { accountId: "second", event: MESSAGE_RECEIVED, idempotencyKey: $key }) { __typename }
      }`,
      { key: row?.idempotency_key },
    );
    expect(data.emitEvent.__typename).toBe('EventEmitted');
    expect([(await send('second')).status, (await send('second')).status]).toEqual([200, 200]);
    expect((await dataOf('second')).filter(({ message }) => message === 'real')).toHaveLength(1);
  });

  test('takes one id for different events as different', async () => {
    for (const event of ['message_received', 'message_read']) {
      expect((await post(event, { account_id: 'shared-id', message: 'x' }, { 'webhook-id': 'one' })).status).toBe(200);
    }
    expect(await dataOf('shared-id')).toHaveLength(2);
  });

  test.each([
    ['U+0000', 'a\0b'],
    ['4,000 characters', randomBytes(2_000).toString('hex')],
    ['a path', '../a'],
  ])('refuses an account id with %s', async (_, account_id) => {
    expect((await post('message_received', { account_id, message: 'x' })).status).toBe(400);
  });

  test('takes any characters in names, words and data', async () => {
    const body = { account_id: 'odd', account_name: 'A\0'.repeat(5_000), account_type: 'T\0', message: 'x\0' };
    expect((await post('message_received', body)).status).toBe(200);
    expect(await dataOf('odd')).toEqual([{ message: 'x\0' }]);
  });

  test('finds the account of a message at the top only', async () => {
    const response = await post('message_received', { message: 'x', sender: { account_id: 'somebody-else' } });
    expect([response.status, await events('somebody-else')]).toEqual([200, []]);
  });
});
