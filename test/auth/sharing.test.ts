/**
 * Whatever callers may share, and the key it is shared by. Each two callers that differ in one part of a `Caller` use
 * each place, in either order: neither may get what was made for the other.
 */
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createMemoryStore } from '../../src/cache/memory-store.ts';
import type { KnownOperation } from '../../src/graphql/documents/known-documents.ts';
import { createStreamTurns } from '../../src/graphql/executors/stream-turns.ts';
import { createResponseCache } from '../../src/graphql/response-cache.ts';
import { type Caller, ForwardedKey, rightsOf } from '../../src/kernel/caller.ts';
import { createFairTurns } from '../../src/kernel/lib/fair-turns.ts';
import type { RequestContext } from '../../src/kernel/request-context.ts';
import { databaseIdempotency } from '../../src/store/idempotency.ts';
import { createKeyCheck } from '../../src/upstream/key-check.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { json, pnetPost, postList, proxyTo, startStub } from '../support/stub.ts';

const base: Caller = {
  keyId: 'key',
  keyName: 'name',
  workspaceId: 'workspace',
  workspaceName: 'workspace',
  scopes: new Set(['webhooks:read', 'webhooks:write']),
  token: { id: 'token', origins: ['https://one.example'] },
  accountIds: new Set(['a', 'b']),
  expiresAt: new Date('2030-01-01'),
  forwardedKey: new ForwardedKey('one'),
};

/** A part that is added to `Caller` has to be added here. */
const changes: { readonly [Part in keyof Required<Caller>]: readonly Pick<Caller, Part>[] } = {
  keyId: [{ keyId: 'other' }],
  keyName: [{ keyName: 'other' }, { keyName: null }],
  workspaceId: [{ workspaceId: 'other' }],
  workspaceName: [{ workspaceName: 'other' }, { workspaceName: null }],
  scopes: [{ scopes: new Set(['webhooks:read']) }, { scopes: new Set() }],
  token: [
    {},
    { token: { id: 'other', origins: ['https://one.example'] } },
    { token: { id: 'token', origins: null } },
    { token: { id: 'token', origins: ['https://two.example'] } },
  ],
  accountIds: [{ accountIds: new Set(['a']) }, { accountIds: new Set() }, { accountIds: null }],
  expiresAt: [{ expiresAt: new Date('2031-01-01') }, { expiresAt: null }],
  forwardedKey: [{}, { forwardedKey: new ForwardedKey('two') }],
};

const callers: readonly (readonly [name: string, caller: Caller])[] = [
  ['base', base],
  ...Object.entries(changes).flatMap(([part, values]) =>
    values.map((value, at): readonly [string, Caller] => {
      const { [part as keyof Caller]: _, ...others } = base;
      return [`${part} ${at}`, { ...others, ...value } as Caller];
    }),
  ),
];

const pairs = callers.flatMap(([name, caller]) =>
  callers.filter((each) => each[1] !== caller).map(([other, second]) => [name, other, caller, second] as const),
);

/** A caller of the same rights, found anew and in another order. */
const again = ({ scopes, accountIds, ...others }: Caller): Caller => ({
  accountIds: accountIds && new Set([...accountIds].reverse()),
  scopes: new Set([...scopes].reverse()),
  ...others,
});

interface Place {
  /** What decides whose result it is. */
  readonly key: string;
  /** The first makes something, then the second asks. @returns whether the second got what the first had made */
  readonly isShared: (first: Caller, second: Caller) => Promise<boolean>;
}

const never = new AbortController().signal;

/** Places where callers may meet, in memory. Those with a database or a service follow below. */
const places: Readonly<Record<string, Place>> = {
  'executions for one event (executors/stream-turns.ts)': {
    key: 'rightsOf, operation, variables, event',
    async isShared(first, second) {
      const turns = createStreamTurns(createFairTurns());
      const take = (caller: Caller, made: string) =>
        turns.take(
          {
            keyId: caller.keyId,
            rights: rightsOf(caller),
            cost: 1,
            selection: 'same',
            unread: () => 0,
            signal: never,
          },
          async () => ({ data: { made } }),
        );
      const [, got] = await Promise.all([take(first, 'first'), take(second, 'second')]);
      return got.data?.made === 'first';
    },
  },
  'cached responses (response-cache.ts)': {
    key: 'rightsOf, operation, variables',
    async isShared(first, second) {
      const store = createMemoryStore({ maxBytes: 1_000_000 });
      const cache = createResponseCache({ store, tenantOf: () => 'one tenant', maxAge: 60 });
      const operation = { cacheId: 'same', variableNames: [], maxAge: 60 } as unknown as KnownOperation;
      const look = (caller: Caller) =>
        cache.lookup({ caller, operation, variables: {}, request: { facts: {}, addHeaders() {} } });
      (await look(first))?.set('{"data":{}}');
      return (await look(second))?.body !== null;
    },
  },
  'verdicts on keys (upstream/key-check.ts)': {
    key: 'rightsOf',
    async isShared(first, second) {
      let asked = 0;
      const check = createKeyCheck(async () => {
        asked += 1;
      });
      await check({ caller: first } as RequestContext);
      await check({ caller: second } as RequestContext);
      return asked === 1;
    },
  },
};

describe.each(Object.entries(places))('%s', (_place, { isShared }) => {
  test('no two callers that differ share', async () => {
    const sharing: string[] = [];
    for (const [name, other, first, second] of pairs) {
      if (await isShared(first, second)) sharing.push(`${name} → ${other}`);
    }
    expect(sharing).toEqual([]);
  });

  test('callers of the same rights do, so that the test could see it', async () => {
    for (const [, caller] of callers) expect(await isShared(caller, again(caller))).toBe(true);
  });
});

test('concurrent calls to a service are joined for one forwarded key, and for no other', async () => {
  const held = Promise.withResolvers<void>();
  const stub = await startStub(async ({ headers }, response) => {
    await held.promise;
    json(response, 200, postList([{ ...pnetPost('1'), text: `for ${headers['x-api-key']}` }]));
  });
  const gateway = await proxyTo(stub);
  const ask = async (key: string) => {
    const query = '{ posts(accountId: "a1", identifier: "ACoAda") { nodes { ... on PnetPost { text } } } }';
    return (await graphql(gateway.address, key, query)).data.posts.nodes[0].text;
  };
  const asking = ['one', 'two', 'one', 'two'].map(ask);
  await expect.poll(() => stub.received.length).toBe(2);
  held.resolve();
  expect(await Promise.all(asking)).toEqual(['for one', 'for two', 'for one', 'for two']);
  expect(stub.received).toHaveLength(2);
});

describe('of a gateway', () => {
  let gateway: Gateway;
  let space: TestWorkspace;
  let accountId: string;
  let otherAccountId: string;

  beforeAll(async () => {
    gateway = await startGateway();
    space = await gateway.workspace();
    [accountId, otherAccountId] = [await space.account(), await space.account()];
  });
  afterAll(() => gateway.close());

  test('idempotency keys are of an API key with its tokens, and of their accounts', async () => {
    const log = { database: gateway.app.database, now: () => gateway.clock.now, logger: pino({ enabled: false }) };
    const idempotency = databaseIdempotency({ ...log, randomBytes });
    const isShared = async (first: Caller, second: Caller) => {
      const key = randomBytes(8).toString('hex');
      const once = (caller: Caller) =>
        idempotency.once({ caller, endpoint: 'e', key, request: {}, signal: never }, async () => '{}');
      await once(first);
      return (await once(second)).replayed;
    };
    // A client goes on with a new token, or with the key. What it may not do at all is refused before its key is looked for.
    const mayShare = /^(keyName|workspaceName|workspaceId|scopes|token|expiresAt|forwardedKey)/;
    const parts = callers.slice(1).filter(([name]) => !mayShare.test(name));
    expect(parts.map(([name]) => name)).toEqual(expect.arrayContaining(['keyId 0', 'accountIds 0', 'accountIds 2']));
    const { token: _, ...key } = base;
    expect(await isShared(base, key)).toBe(true);
    expect(await isShared(key, base)).toBe(true);
    for (const [name, caller] of parts) {
      expect(await isShared(base, caller), name).toBe(false);
      expect(await isShared(caller, base), name).toBe(false);
      expect(await isShared(caller, again(caller)), name).toBe(true);
    }
  });

  async function token(scopes: readonly string[], accountIds?: readonly string[]): Promise<string> {
    const input = { scopes, ...(accountIds && { accountIds }) };
    const query = `mutation ($input: CreateAccessTokenInput!) {
      createAccessToken(input: $input) { ... on AccessTokenCreated { token } } }`;
    return (await graphql(gateway.address, space.key, query, { input })).data.createAccessToken.token;
  }

  const query = `subscription { deliveryUpdated {
    webhook { requestUrl headers { key value } accounts { accountId } } } }`;

  /** @returns the text of the stream so far, once it has begun */
  async function open(key: string): Promise<() => string> {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
      body: JSON.stringify({ query }),
      signal: leaving.signal,
    });
    let text = '';
    const reading = async () => {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
    };
    reading().catch(() => undefined);
    await expect.poll(() => text).toContain(':');
    return () => text;
  }

  test.each([
    ['the key last', false],
    ['the key first', true],
  ])('one event for a key and its tokens: to each what it may see, %s', async (_order, isFirst) => {
    const value = `hidden-${randomBytes(8).toString('hex')}`;
    const path = `path-${randomBytes(8).toString('hex')}`;
    const create = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
      ... on WebhookCreated { webhookId } ... on ServiceError { message } } }`;
    const input = {
      requestUrl: `https://hooks.example/${path}`,
      source: 'USERS',
      accountIds: [accountId, otherAccountId],
      headers: [{ key: 'x-hidden', value }],
    };
    const created = await graphql(gateway.address, space.key, create, { input });
    expect(created.data.createWebhook.webhookId, JSON.stringify(created)).toBeDefined();
    const limited = [await token(['WEBHOOKS_READ']), await token(['WEBHOOKS_READ', 'WEBHOOKS_WRITE'], [accountId])];
    const keys = isFirst ? [space.key, ...limited] : [...limited, space.key];
    const streams = new Map<string, () => string>();
    for (const key of keys) streams.set(key, await open(key));
    const emit = `mutation { emitEvent(input: { accountId: "${accountId}", event: NEW_RELATION }) { __typename } }`;
    expect((await graphql(gateway.address, space.key, emit)).errors).toEqual([]);
    for (const text of streams.values()) await expect.poll(text, { timeout: 10_000 }).toContain('event: next');
    const [ofScopes = () => '', ofAccount = () => ''] = limited.map((key) => streams.get(key));
    expect(streams.get(space.key)?.()).not.toContain('errors');
    expect(streams.get(space.key)?.()).toContain(value);
    expect(streams.get(space.key)?.()).toContain(path);
    expect(ofScopes()).not.toContain(value);
    expect(ofAccount()).not.toContain(value);
    expect(ofAccount()).not.toContain(path);
    expect(ofAccount()).not.toContain(otherAccountId);
    await gateway.app.database.deleteFrom('webhooks').where('workspace_id', '=', space.workspaceId).execute();
  });
});

/** Files that name `keyId`, and what for. Only limits, labels and lists' cursors go by the key: results by `rightsOf`. */
const usesOfKeyId: Readonly<Record<string, string>> = {
  'app/backends/storage.ts': 'finds a key',
  'app/intake/open.ts': 'the gateway as a caller of its service',
  'auth/access-tokens.ts': 'the subject of a token',
  'auth/admission.ts': 'rate limits, log',
  'auth/api-keys.ts': 'finds keys',
  'auth/streams.ts': 'counts and ends streams',
  'capabilities/accounts/embedded.ts': 'binds cursors: positions, of rows that are judged when they are read',
  'capabilities/accounts/graphql/viewer.ts': 'tells it',
  'capabilities/deliveries/events.ts': 'binds cursors',
  'capabilities/deliveries/queries.ts': 'binds cursors',
  'capabilities/jobs/embedded.ts': 'binds cursors',
  'capabilities/webhooks/embedded.ts': 'binds cursors',
  'capabilities/webhooks/whole-list.ts': 'binds cursors',
  'client/schema-types.ts': 'a field of the schema',
  'graphql/doors/websocket.ts': 'turns',
  'graphql/exchange.ts': 'turns',
  'graphql/executors/stream-turns.ts': 'turns, unread bytes',
  'graphql/executors/subscribe.ts': 'turns, unread bytes',
  'graphql/kit/counted-connection.ts': 'binds cursors',
  'http/incoming-request.ts': 'log',
  'http/observed-requests.ts': 'metrics, spans',
  'kernel/caller.ts': 'declares it',
  'rest/server.ts': 'turns',
  'store/idempotency.ts': 'idempotency keys, with the accounts of a token',
  'store/read-budget.ts': 'turns of scans',
  'upstream/call-slots.ts': 'turns',
  'upstream/circuits.ts': 'circuits: failures of the service',
  'upstream/client.ts': 'forgets flights after a command',
  'upstream/exchange.ts': 'names the origin of a call',
  'upstream/resilient-call.ts': 'turns, retry budgets',
};

test('every file that goes by the key says what for', () => {
  const files = globSync('**/*.ts', { cwd: 'src' });
  const using = files.filter((file) => /\bkeyId\b/.test(readFileSync(join('src', file), 'utf8')));
  expect(using.sort()).toEqual(Object.keys(usesOfKeyId).sort());
});
