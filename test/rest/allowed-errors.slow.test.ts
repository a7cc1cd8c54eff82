/**
 * Every row of the contract's error tables, over real HTTP: each type at each endpoint that has it, and its substitute
 * at each endpoint that has not; then every error that embedded mode can cause.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer } from '../../src/http/server.ts';
import { scopeNames } from '../../src/kernel/caller.ts';
import { type EndpointName, endpointNames } from '../../src/kernel/endpoint.ts';
import { type ErrorName, errorNames, errorTable, ServiceError } from '../../src/kernel/errors.ts';
import { createFairTurns } from '../../src/kernel/lib/fair-turns.ts';
import { createPlaces, placeLimits } from '../../src/kernel/places.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import type { JobScenarioName } from '../../src/providers/sandbox/networks.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { restRoutes } from '../../src/rest/server.ts';
import { statedFacts } from '../contract/stated.ts';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { callEndpoint, type FlatRequest, type RestResponse } from '../support/rest.ts';

const stated = statedFacts(readFileSync(join(import.meta.dirname, '../contract/spec.md'), 'utf8'));
const statusOf = Object.fromEntries((stated.errors ?? []).map((row) => row.split(' ').reverse() as [string, string]));
const statedAt = (endpoint: EndpointName): string[] =>
  (stated['errors by endpoint'] ?? []).flatMap((row) =>
    row.startsWith(`${endpoint} `) ? (row.split(' ')[1] ?? []) : [],
  );

/** The parts of a request that a test changes. Without them it succeeds. */
interface Parts {
  readonly key?: string | undefined;
  readonly account?: string;
  readonly id?: string;
  readonly body?: FlatRequest;
  readonly headers?: Readonly<Record<string, string>>;
}

type Send = (parts?: Parts) => Promise<RestResponse>;

/** For each endpoint, a request that fits its shape. */
const requestsTo = (address: string, defaults: Required<Pick<Parts, 'key' | 'account' | 'id'>>) => {
  const send =
    (endpoint: EndpointName, request: (id: string, account: string) => FlatRequest): Send =>
    (parts = {}) => {
      const { key, account, id } = { ...defaults, ...parts };
      return callEndpoint(address, key, endpoint, { ...request(id, account), ...parts.body }, parts.headers);
    };
  const webhook = { source: 'users', request_url: 'https://hooks.example/in' };
  return {
    EDIT: send('EDIT', (job_id, account_id) => ({ job_id, account_id, workplace: 'REMOTE' })),
    POSTS: send('POSTS', (identifier, account_id) => ({ identifier, account_id, limit: 1 })),
    WHLIST: send('WHLIST', () => ({ limit: 1 })),
    WHCREATE: send('WHCREATE', () => webhook),
    WHDEL: send('WHDEL', (id) => ({ id })),
    PUB: send('PUB', (draft_id, account_id) => ({ draft_id, account_id, mode: 'FREE' })),
    CHK: send('CHK', (draft_id, account_id) => ({ draft_id, account_id, input: '123456' })),
  } as const satisfies Record<EndpointName, Send>;
};

function expectError(response: RestResponse, name: string, { detail }: { readonly detail?: RegExp } = {}): void {
  expect([response.status, response.body.type], response.text).toEqual([Number(statusOf[name]), `errors/${name}`]);
  const { title, detail: said, instance, type, status, ...more } = response.body;
  expect([typeof title, typeof instance, typeof type, status, more]).toEqual([
    'string',
    'string',
    'string',
    response.status,
    {},
  ]);
  expect(instance).toBe(response.headers.get('x-request-id'));
  expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/);
  if (detail !== undefined) expect(said).toMatch(detail);
}

describe('every type at every endpoint', () => {
  /** A backend that always fails in the same way, so that each type reaches each endpoint. */
  let failure = new ServiceError('unexpected_error');
  const port = new Proxy({}, { get: () => () => Promise.reject(failure) });
  const own: Partial<Ports> = { serviceJudges: () => false, invalidate: async () => undefined };
  const failing = new Proxy(own, { get: (of, name) => Reflect.get(of, name) ?? port }) as Ports;
  const server = createHttpServer({ logger: pino({ level: 'silent' }), ready: async () => {} });
  let requests: ReturnType<typeof requestsTo>;

  beforeAll(async () => {
    server.add(
      restRoutes({
        ports: failing,
        turns: createFairTurns(),
        places: createPlaces(placeLimits.embedded, new AbortController().signal),
        admit: async () => ({
          keyId: 'key',
          keyName: 'key',
          workspaceId: 'workspace',
          workspaceName: 'workspace',
          scopes: new Set(scopeNames),
          accountIds: null,
          expiresAt: null,
        }),
      }),
    );
    const address = await server.listen({ host: '127.0.0.1', port: 0 });
    requests = requestsTo(address, { key: 'key', account: 'a', id: '1' });
  });
  afterAll(() => server.close());

  test.each(endpointNames.flatMap((endpoint) => statedAt(endpoint).map((name) => [endpoint, name] as const)))(
    '%s responds with errors/%s and its status',
    async (endpoint, name) => {
      failure = new ServiceError(name as ErrorName, { detail: 'Why. Try again later.' });
      const response = await requests[endpoint]();
      expectError(response, name);
      const isRead = endpoints.some((each) => each.name === endpoint && each.method === 'GET');
      const isUnknown = !isRead && errorTable[name as ErrorName].outcome === 'unknown';
      const detail = isUnknown
        ? 'Why. The outcome is unknown: check it before you try again.'
        : 'Why. Try again later.';
      if (name !== 'unexpected_error') expect(response.body.detail).toBe(detail);
    },
  );

  test.each(endpointNames)('%s responds with no error that the contract does not give it', async (endpoint) => {
    const allowed = statedAt(endpoint);
    const others = errorNames.filter((name) => !allowed.includes(name));
    expect(others.length).toBeGreaterThan(0);
    const { method, refusesFor } = endpoints.find(({ name }) => name === endpoint) ?? {};
    const isCommand = method !== 'GET';
    for (const name of others) {
      failure = new ServiceError(name, { outcomeUnknown: isCommand });
      const { status, body } = await requests[endpoint]();
      const responded = body.type.slice('errors/'.length);
      expect(allowed).toContain(responded);
      expect(status).toBe(Number(statusOf[responded]));
      if (refusesFor === 'key') expect(responded).not.toBe('wrong_account');
      if (isCommand && responded === 'unexpected_error') expect(body.detail).toContain('outcome is unknown');
    }
  });

  test('an unexpected error is errors/unexpected_error, which reveals nothing of it', async () => {
    failure = new Error('secret') as never;
    for (const endpoint of endpointNames) {
      const response = await requests[endpoint]();
      expectError(response, 'unexpected_error');
      expect(response.text).not.toContain('secret');
    }
  });
});

/** Ids that nothing can have. An empty one is none that is missing: its field is there. */
const malformedIds = ['malformed', '', '\0', '1\0', 'ä', ' 1', '-1', '1.0', `${'A'.repeat(21)}B`, 'A'.repeat(23)];

describe('embedded mode', () => {
  let gateway: Gateway;
  let workspace: SeededWorkspace;
  let account: string;
  let requests: ReturnType<typeof requestsTo>;
  const actsForAccount = ['EDIT', 'POSTS', 'PUB', 'CHK'] as const;

  beforeAll(async () => {
    gateway = await startGateway({ environment: { LOG_LEVEL: 'silent' } });
    workspace = await seeded(gateway, gateway.address).workspace();
    account = await workspace.account();
    requests = requestsTo(gateway.address, { key: workspace.key, account, id: '1' });
  });
  afterAll(() => gateway.close());

  const draft = (scenario: JobScenarioName = 'publish', accountId = account) =>
    workspace.draft({ accountId, scenario });
  async function withCheckpoint(scenario: JobScenarioName = 'otp', accountId = account): Promise<string> {
    const id = await draft(scenario, accountId);
    expect((await requests.PUB({ id, account: accountId })).status).toBe(200);
    return id;
  }
  /** The id of a thing that the endpoint can act on. */
  const idFor = async (endpoint: EndpointName, accountId = account): Promise<string> => {
    switch (endpoint) {
      case 'EDIT':
      case 'PUB':
        return draft('publish', accountId);
      case 'CHK':
        return withCheckpoint('otp', accountId);
      case 'POSTS':
        return 'ACoSandbox1';
      case 'WHDEL':
        return workspace.webhook();
      case 'WHLIST':
      case 'WHCREATE':
        return '';
    }
  };

  describe.each(endpointNames)('the key at %s', (endpoint) => {
    test('missing, unknown, expired or without the scope', async () => {
      const id = await idFor(endpoint);
      const send = (key: string | undefined) => requests[endpoint]({ key, id });
      expectError(await send(undefined), 'missing_credentials');
      const elsewhere = await requests[endpoint]({
        key: undefined,
        id,
        headers: { authorization: `Bearer ${workspace.key}` },
      });
      expectError(elsewhere, 'missing_credentials');
      expectError(await send(''), 'missing_credentials');
      expectError(await send('postern_unknown'), 'invalid_credentials');
      expectError(await send(await workspace.newKey({ expiresAt: gateway.clock.now })), 'expired_credentials');
      expectError(await send(await workspace.newKey({ scopes: ['events:write'] })), 'insufficient_privileges', {
        detail: /lacks the scope/,
      });
      expect((await send(workspace.key)).status).toBeLessThan(300);
    });
  });

  describe.each(actsForAccount)('the account at %s', (endpoint) => {
    test('of another kind, unknown, malformed, foreign, or not of the key', async () => {
      const id = await idFor(endpoint);
      const unseen = endpoint === 'POSTS' ? 'wrong_account' : 'resource_not_found';
      const malformed = endpoint === 'POSTS' ? 'wrong_account' : 'invalid_resource_identifier';
      const foreign = await (await gateway.workspace()).account();
      const send = (parts: Parts) => requests[endpoint]({ id, ...parts });
      expectError(await send({ account: await workspace.account({ type: 'MAIL' }) }), 'invalid_account');
      expectError(await send({ account: 'AAAAAAAAAAAAAAAAAAAAAA' }), unseen);
      for (const each of malformedIds) expectError(await send({ account: each }), malformed);
      expectError(await send({ account: foreign }), unseen);
      const key = await workspace.newKey({ accountIds: [await workspace.account()] });
      expectError(await send({ key }), 'account_mismatch');
    });
  });

  test('EDIT, PUB and CHK: a job that is malformed, unknown, foreign, or of another account', async () => {
    const other = await seeded(gateway, gateway.address).workspace();
    const foreign = await other.draft({ accountId: await other.account() });
    const elsewhere = await draft('publish', await workspace.account());
    for (const endpoint of ['EDIT', 'PUB', 'CHK'] as const) {
      const send = (id: string) => requests[endpoint]({ id });
      for (const id of malformedIds) {
        // Without an id the path is another one.
        if (id !== '' || endpoint !== 'EDIT') expectError(await send(id), 'invalid_resource_identifier');
      }
      for (const id of ['123456789', foreign, elsewhere]) expectError(await send(id), 'resource_not_found');
    }
  });

  test('WHCREATE and WHDEL: an id that is unknown, malformed, or not of the key', async () => {
    const withAccounts = (...account_ids: string[]) => ({ body: { account_ids } });
    expectError(await requests.WHCREATE(withAccounts(account, 'AAAAAAAAAAAAAAAAAAAAAA')), 'resource_not_found');
    for (const id of malformedIds) {
      expectError(await requests.WHCREATE(withAccounts(id)), 'invalid_resource_identifier');
      expectError(await requests.WHCREATE(withAccounts(account, id)), 'invalid_resource_identifier');
      if (id !== '') expectError(await requests.WHDEL({ id }), 'invalid_resource_identifier');
    }
    expectError(await requests.WHDEL({ id: 'AAAAAAAAAAAAAAAAAAAAAA' }), 'resource_not_found');
    const key = await workspace.newKey({ accountIds: [await workspace.account()] });
    expectError(await requests.WHCREATE({ key, ...withAccounts(account) }), 'account_mismatch');
  });

  test('of several failures the first one is reported: key, scope, shape, account, resource, state', async () => {
    const closed = await workspace.draft({ accountId: account, state: 'closed' });
    const send = (parts: Parts) => requests.EDIT({ id: closed, ...parts });
    const bad = {
      key: await workspace.newKey({ scopes: [] }),
      account: 'malformed',
      id: 'x',
      body: { workplace: 'MOON' },
    };
    expectError(await send({ ...bad, key: 'unknown' }), 'invalid_credentials');
    expectError(await send(bad), 'insufficient_privileges');
    expectError(await send({ ...bad, key: workspace.key }), 'unprocessable_entity', { detail: /workplace/ });
    expectError(await send({ account: 'malformed', id: 'x' }), 'invalid_resource_identifier', { detail: /account/ });
    expectError(await send({ id: 'x' }), 'invalid_resource_identifier', { detail: /job/ });
    expectError(await send({}), 'action_already_performed');
  });
});
