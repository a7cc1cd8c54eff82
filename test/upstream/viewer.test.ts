/** What `viewer` says of a key: in proxy mode with forwarded keys, only what the service said. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { SetUp } from '../../src/kernel/set-up.ts';
import { createKeyCheck, maxChecked } from '../../src/upstream/key-check.ts';
import { startGateway } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';
import { wholeSelection } from '../support/selection.ts';
import { servedPart } from '../support/served-part.ts';
import { envelope, json, proxyTo, type Respond, startStub } from '../support/stub.ts';

/** A gateway in proxy mode. Its service is another gateway. */
async function startPair({ hasOwnKeys = false } = {}) {
  const service = await startGateway();
  onTestFinished(() => service.close());
  const workspace = await service.workspace();
  const front = await proxyTo(
    { url: service.address },
    { environment: hasOwnKeys ? { UPSTREAM_API_KEY: workspace.key } : {} },
  );
  const calls = () => service.log.filter(({ msg }) => msg === 'request');
  return { service, workspace, front, calls, ask: (query: string, key?: string) => front.ask(query, {}, key) };
}

const everything = (setUp: SetUp) => servedPart(setUp, `{ viewer ${wholeSelection('Viewer')} }`) ?? '';

describe('a key that the service checks', () => {
  test('has an id, and nothing that only the service knows', async () => {
    const { front, ask, workspace } = await startPair();
    const { status, data, errors } = await ask(everything('forwarded-keys'), workspace.key);
    expect([status, errors]).toEqual([200, []]);
    expect(data.viewer).toEqual({
      __typename: 'Viewer',
      id: expect.any(String),
      keyId: expect.stringMatching(/^[\w-]{22}$/),
    });
    const [line] = front.log.filter(({ msg }) => msg === 'request');
    expect(line).toMatchObject({ keyId: data.viewer.keyId });
    expect(line).not.toHaveProperty('workspaceId');
  });

  test.each([
    '{ viewer { keyId } }',
    '{ viewer { __typename } posts(accountId: "a", identifier: "x") { nodes { __typename } } }',
    'GET',
  ])('is refused as the service refuses it: %s', async (query) => {
    const { front, service, workspace } = await startPair();
    const expired = await workspace.newKey({ expiresAt: new Date(service.clock.now.getTime() - 1) });
    const send = (key: string) =>
      query === 'GET'
        ? fetch(`${front.address}/graphql?query={viewer{keyId}}`, { headers: { authorization: `Bearer ${key}` } })
        : fetch(`${front.address}/graphql`, {
            method: 'POST',
            headers: { 'x-api-key': key, 'content-type': 'application/json' },
            body: JSON.stringify({ query }),
          });
    for (const [key, name] of [
      ['any-text', 'invalid_credentials'],
      [expired, 'expired_credentials'],
    ] as const) {
      const response = await send(key);
      const { data, errors } = (await response.json()) as { data: object; errors: { path: string[] }[] };
      expect([name, response.status, data]).toMatchObject([name, 401, { viewer: null }]);
      const extensions = { status: 401, code: name.toUpperCase() };
      expect(errors.find(({ path }) => path[0] === 'viewer')).toMatchObject({ path: ['viewer'], extensions });
    }
  });

  test('is right without the scope that the read needs, and is asked about once in a while', async () => {
    const { ask, calls, workspace } = await startPair();
    const narrow = await workspace.newKey({ scopes: ['posts:read'] });
    for (let n = 0; n < 3; n += 1) {
      expect(await ask('{ viewer { keyId } again: viewer { keyId } }', narrow)).toMatchObject({
        status: 200,
        errors: [],
      });
    }
    expect(calls()).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) expect(await ask('{ viewer { keyId } }', 'wrong')).toMatchObject({ status: 401 });
    expect(calls()).toHaveLength(2);
  });
});

test('a key of the gateway itself is known, and the service is not asked', async () => {
  const { calls, front, ask } = await startPair({ hasOwnKeys: true });
  const own = await front.workspace();
  const { status, data, errors } = await ask(everything('own-keys'), own.key);
  expect([status, errors]).toEqual([200, []]);
  expect(data.viewer).toMatchObject({
    name: 'test',
    scopes: expect.arrayContaining(['JOBS_WRITE']),
    accountIds: null,
    expiresAt: null,
    workspace: { workspaceId: own.workspaceId, name: own.workspaceId },
  });
  expect(await ask('{ viewer { keyId } }', 'wrong')).toMatchObject({ status: 401 });
  expect(calls()).toEqual([]);
  expect(front.log).toContainEqual(expect.objectContaining({ msg: 'request', workspaceId: own.workspaceId }));
});

test('what the service answers decides, and its failures are not remembered', async () => {
  const stub = await startStub();
  const { ask } = await proxyTo(stub);
  const answers =
    (status: number, body: object): Respond =>
    (_request, response) =>
      json(response, status, body);
  const outcomes: readonly (readonly [number, object, string | null])[] = [
    [200, { object: 'WebhookList', items: [], cursor: null }, null],
    [401, envelope('insufficient_privileges', 401), null],
    [403, envelope('feature_not_subscribed', 403), null],
    [401, envelope('missing_credentials', 401), 'MISSING_CREDENTIALS'],
    [401, envelope('invalid_credentials', 401), 'INVALID_CREDENTIALS'],
    [401, envelope('expired_credentials', 401), 'EXPIRED_CREDENTIALS'],
  ];
  for (const [index, [status, body, refusal]] of outcomes.entries()) {
    const key = `key-${index}`;
    stub.respond = answers(500, envelope('unexpected_error', 500));
    const failed = await ask('{ viewer { keyId } eventSamples { __typename } }', {}, key);
    // It fails no other field.
    expect(failed).toMatchObject({ status: 200, data: { viewer: null, eventSamples: expect.any(Array) } });
    expect(failed.errors).toMatchObject([{ path: ['viewer'], extensions: { code: 'UNEXPECTED_ERROR' } }]);
    stub.respond = answers(status, body);
    for (let n = 0; n < 2; n += 1) {
      const told = await ask('{ viewer { keyId } }', {}, key);
      expect([index, told.errors[0]?.extensions.code ?? null]).toEqual([index, refusal]);
    }
  }
  expect(new Set(stub.received.map(({ path }) => path))).toEqual(new Set(['/v1/webhooks?limit=1']));
});

describe('what is remembered', () => {
  function setUp(outcome: () => Promise<unknown>) {
    const clock = { time: 1_000_000, asked: 0 };
    const check = createKeyCheck(
      () => {
        clock.asked += 1;
        return outcome();
      },
      () => clock.time,
    );
    const { caller, ...context } = requestContext('w');
    return { clock, check: (keyId: string) => check({ ...context, caller: { ...caller, keyId } }) };
  }

  test.each([
    ['an accepted key', async () => undefined],
    ['a refused key', () => Promise.reject(new ServiceError('invalid_credentials', { family: 'key' }))],
  ])('of %s counts for five seconds', async (_what, outcome) => {
    const { clock, check } = setUp(outcome);
    for (const [at, asked] of [
      [0, 1],
      [4_999, 1],
      [5_001, 2],
      [10_000, 2],
    ] as const) {
      clock.time = 1_000_000 + at;
      await check('one').catch(() => undefined);
      expect([at, clock.asked]).toEqual([at, asked]);
    }
  });

  test('has a bound: the key that was asked about first is forgotten', async () => {
    const { clock, check } = setUp(async () => undefined);
    for (let n = 0; n <= maxChecked; n += 1) await check(`key-${n}`);
    await check(`key-${maxChecked}`);
    expect(clock.asked).toBe(maxChecked + 1);
    await check('key-0');
    expect(clock.asked).toBe(maxChecked + 2);
  });
});
