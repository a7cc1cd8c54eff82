/** What is kept, and for whom: what a gateway keeps is what it says of a document that nobody has sent before. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revokeKey } from '../../src/auth/api-keys.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { ask, cachedReads, secondsOf } from '../support/cached-responses.ts';
import { databases, type TestDialect } from '../support/databases.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { documentOf, fieldOperations, furnish, type Named } from '../support/operations.ts';
import { temporaryDirectory } from '../support/process.ts';
import { callEndpoint, type FlatRequest } from '../support/rest.ts';

const queries = fieldOperations.filter(({ field }) => field.startsWith('Query.'));
const mutations = fieldOperations.filter(({ field }) => field.startsWith('Mutation.'));

/** The mutations that change nothing but deliveries, which no kept response shows. */
const ofDeliveries = [
  'emitEvent',
  'fireTriggerWebhook',
  'sendTestEvent',
  'redeliverDelivery',
  'redeliverWebhookDeliveries',
];

test('every root field that may be cached is cached', () => {
  const kept = queries.filter(({ document }) => secondsOf(document({} as Named)) > 0);
  expect(kept.map(({ field }) => field.replace('Query.', '')).sort()).toEqual(cachedReads.map(({ field }) => field));
});

describe('in memory', () => {
  let keeping: Gateway;
  let drop: () => Promise<void>;
  let newWorkspace: () => Promise<SeededWorkspace>;

  beforeAll(async () => {
    const database = await (databases[0] as TestDialect).withSchema();
    drop = database.drop;
    keeping = await startGateway({ environment: { DATABASE_URL: database.url, RESPONSE_CACHE: 'memory' } });
    newWorkspace = seeded(keeping, keeping.address).workspace;
  });
  afterAll(async () => {
    await keeping.close();
    await drop();
  });

  let documents = 0;
  /** What is sent for a document with these fields that nothing is kept for. */
  const askAnew = (key: string, query: string) => {
    documents += 1;
    return ask(keeping.address, key, `${query} # ${documents}`);
  };

  async function furnished() {
    const workspace = await newWorkspace();
    return { ...workspace, named: await furnish(workspace) };
  }

  test.each(queries)('$field: twice the same, as without a cache', async ({ document }) => {
    const { key, named } = await furnished();
    const query = document(named);
    const [first, second] = [await ask(keeping.address, key, query), await ask(keeping.address, key, query)];
    const uncached = await askAnew(key, query);
    expect(first.body).toBe(uncached.body);
    expect(second.body).toBe(uncached.body);
    expect(uncached.cache).not.toBe('hit');
    const isKept = secondsOf(query) > 0;
    expect([first.cache, second.cache]).toEqual(isKept ? ['fwd=miss; stored', 'hit'] : [null, null]);
  });

  test.each(cachedReads)('$field, whole: twice the same, as without a cache', async ({ document }) => {
    const { key, named } = await furnished();
    const query = document(named);
    expect(secondsOf(query)).toBeGreaterThan(0);
    const [first, second] = [await ask(keeping.address, key, query), await ask(keeping.address, key, query)];
    expect([first.cache, second.cache]).toEqual(['fwd=miss; stored', 'hit']);
    expect(second.body).toBe(first.body);
    expect(second.body).toBe((await askAnew(key, query)).body);
    expect(second.body).not.toContain('"errors"');
  });

  /** Keeps all that may be, lets a command run, and reads all again. */
  async function readsAfter(key: string, named: Named, command: () => Promise<unknown>) {
    const reads = [...queries, ...cachedReads].map(({ document }) => document(named));
    const kept = reads.filter((query) => secondsOf(query) > 0);
    for (const query of kept) {
      await ask(keeping.address, key, query);
      expect((await ask(keeping.address, key, query)).cache).toBe('hit');
    }
    await command();
    const caches = new Set<string | null>();
    for (const query of reads) {
      const { body, cache } = await ask(keeping.address, key, query);
      expect(body).toBe((await askAnew(key, query)).body);
      if (kept.includes(query)) caches.add(cache);
    }
    return caches;
  }

  test.each(mutations)('after $field everything is as without a cache', async ({ field, document }) => {
    const { key, named } = await furnished();
    const caches = await readsAfter(key, named, async () => {
      const { body } = await ask(keeping.address, key, document(named));
      expect(body).toContain('{"data":{');
    });
    const endsNothing = ofDeliveries.includes(field.replace('Mutation.', ''));
    expect(caches.has('hit')).toBe(endsNothing);
  });

  const commands: Readonly<Record<string, (named: Named) => FlatRequest>> = {
    EDIT: ({ accountId, draftId }) => ({ job_id: draftId, account_id: accountId, workplace: 'REMOTE' }),
    PUB: ({ accountId, draftId }) => ({ draft_id: draftId, account_id: accountId, mode: 'FREE' }),
    CHK: ({ accountId, draftId }) => ({ draft_id: draftId, account_id: accountId, input: '123456' }),
    WHCREATE: () => ({ source: 'users', request_url: 'https://hooks.example/in' }),
    WHDEL: ({ webhookId }) => ({ id: webhookId }),
  };

  test('every command of REST has a case', () => {
    const names = endpoints.filter(({ method }) => method !== 'GET').map(({ name }) => name);
    expect(Object.keys(commands).sort()).toEqual(names.sort());
  });

  test.each(Object.entries(commands))('after %s over REST everything is as without a cache', async (name, request) => {
    const { key, named } = await furnished();
    const caches = await readsAfter(key, named, async () => {
      const { status } = await callEndpoint(keeping.address, key, name as 'EDIT', request(named));
      expect(status).toBeLessThan(300);
    });
    expect(caches.has('hit')).toBe(false);
  });

  test('a command that fails invalidates the cache, as it may have changed something', async () => {
    const { key, named } = await furnished();
    const caches = await readsAfter(key, named, async () => {
      const { body } = await ask(
        keeping.address,
        key,
        documentOf('Mutation.deleteWebhook', { ...named, webhookId: 'A'.repeat(22) }),
      );
      expect(body).toContain('RequestError');
    });
    expect(caches.has('hit')).toBe(false);
  });

  test('a cached response is for one key', async () => {
    const { key, newKey, named, account } = await furnished();
    const other = await account();
    const query = '{ accounts { nodes { accountId } } }';
    await ask(keeping.address, key, query);
    expect((await ask(keeping.address, key, query)).cache).toBe('hit');
    const narrow = await newKey({ accountIds: [other] });
    const narrowed = await ask(keeping.address, narrow, query);
    expect(narrowed).toMatchObject({ cache: 'fwd=miss; stored', body: (await askAnew(narrow, query)).body });
    expect(narrowed.body).not.toContain(named.accountId);
    const unscoped = await newKey({ scopes: ['posts:read'] });
    for (let times = 0; times < 2; times += 1) {
      const refused = await ask(keeping.address, unscoped, query);
      expect(refused).toMatchObject({ status: 401, cache: 'fwd=miss' });
      expect(refused.body).toContain('INSUFFICIENT_PRIVILEGES');
    }
    // And what the first key has is still there.
    expect((await ask(keeping.address, key, query)).cache).toBe('hit');
  });

  test('a key that is revoked gets nothing', async () => {
    const { newKey, workspaceId } = await furnished();
    const key = await newKey();
    const query = '{ accounts { nodes { accountId } } }';
    await ask(keeping.address, key, query);
    expect((await ask(keeping.address, key, query)).cache).toBe('hit');
    const { database } = keeping.app;
    const ids = await database.selectFrom('api_keys').select('id').where('workspace_id', '=', workspaceId).execute();
    for (const { id } of ids) await revokeKey(database, id, keeping.clock.now);
    // SQLite tells of it within a second.
    await expect.poll(async () => (await ask(keeping.address, key, query)).status).toBe(401);
    expect((await ask(keeping.address, key, query)).cache).toBeNull();
  });

  test('a response with an error is not cached, and a later one without an error is', async () => {
    const { key, account } = await furnished();
    const accountId = await account({ status: 'STOPPED' });
    const query = `{ posts(accountId: "${accountId}", identifier: "ACoSandbox1") { nodes { __typename } } }`;
    for (let times = 0; times < 2; times += 1) {
      const failed = await ask(keeping.address, key, query);
      expect(failed.cache).toBe('fwd=miss');
      expect(failed.body).toContain('DISCONNECTED_ACCOUNT');
    }
    await keeping.app.database.updateTable('accounts').set({ status: 'OK' }).where('id', '=', accountId).execute();
    expect(await ask(keeping.address, key, query)).toMatchObject({ cache: 'fwd=miss; stored' });
    expect(await ask(keeping.address, key, query)).toMatchObject({ cache: 'hit' });
  });
});

test('a client that has a cached response already gets 304', async () => {
  const directory = await temporaryDirectory();
  const query = '{ accounts { nodes { name } } }';
  const file = join(directory.path, 'documents.json');
  await writeFile(file, JSON.stringify({ accounts: query }));
  const gateway = await startGateway({ environment: { RESPONSE_CACHE: 'memory', DOCUMENTS: file } });
  const { key } = await gateway.workspace();
  const get = (headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${gateway.address}/graphql?documentId=accounts`, { headers: { 'x-api-key': key, ...headers } });
  const [miss, hit] = [await get(), await get()];
  expect(hit.headers.get('cache-status')).toBe('Postern; hit');
  expect(hit.headers.get('cache-control')).toBe('private, no-cache');
  expect(hit.headers.get('etag')).toBe(miss.headers.get('etag'));
  expect(await hit.text()).toBe(await miss.text());
  const known = await get({ 'if-none-match': String(hit.headers.get('etag')) });
  expect([known.status, await known.text()]).toEqual([304, '']);
  await gateway.close();
  await directory[Symbol.asyncDispose]();
});

test('cached responses are compressed for clients that accept it', async () => {
  const environment = { RESPONSE_CACHE: 'memory', COMPRESSION: 'on' };
  const gateway = await startGateway({ environment });
  const workspace = await seeded(gateway, gateway.address).workspace();
  const named = await furnish(workspace);
  const query = cachedReads.find(({ field }) => field === 'posts')?.document(named);
  const answers: string[] = [];
  for (const encoding of ['identity', 'gzip', 'zstd']) {
    const headers = { 'accept-encoding': encoding };
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': workspace.key, ...headers },
      body: JSON.stringify({ query }),
    });
    expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding);
    answers.push(await response.text());
  }
  expect(new Set(answers).size).toBe(1);
  await gateway.close();
});

describe('variables', () => {
  const query =
    'query ($first: Int = 5, $types: [AccountType!]) { accounts(first: $first, types: $types) { nodes { name } } }';

  test('equal ones share a response, however they are written', async () => {
    const gateway = await startGateway({ environment: { RESPONSE_CACHE: 'memory' } });
    const { key } = await gateway.workspace();
    const caches = async (...all: object[]) => {
      const found: (string | null)[] = [];
      for (const variables of all) found.push((await ask(gateway.address, key, query, { variables })).cache);
      return found;
    };
    expect(await caches({ first: 1, types: ['PNET'] }, { types: ['PNET'], first: 1, unused: 2 })).toEqual([
      'fwd=miss; stored',
      'hit',
    ]);
    const others = [
      { first: 2, types: ['PNET'] },
      { first: 1 },
      { first: 1, types: ['MAIL'] },
      {},
      { first: 1, types: null },
    ];
    expect(await caches(...others)).toEqual(others.map(() => 'fwd=miss; stored'));
    expect(await caches(...others)).toEqual(others.map(() => 'hit'));
    await gateway.close();
  });
});

test('nothing is cached, and there is no Cache-Status, where the cache is off', async () => {
  const gateway = await startGateway();
  const { key } = await gateway.workspace();
  for (let times = 0; times < 2; times += 1) {
    expect((await ask(gateway.address, key, '{ accounts { nodes { name } } }')).cache).toBeNull();
  }
  expect(gateway.log.some((line) => 'cache' in line)).toBe(false);
  await gateway.close();
});

test('a response is cached for no longer than the configuration says', async () => {
  const environment = { RESPONSE_CACHE: 'memory', RESPONSE_CACHE_MAX_AGE: '1' };
  const gateway = await startGateway({ environment });
  const { key } = await gateway.workspace();
  const cache = async () => (await ask(gateway.address, key, '{ accounts { nodes { name } } }')).cache;
  expect([await cache(), await cache()]).toEqual(['fwd=miss; stored', 'hit']);
  await expect.poll(cache, { interval: 100 }).not.toBe('hit');
  await gateway.close();
});
