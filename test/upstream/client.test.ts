/** Proxy mode over a stub: what it sends, whose key it uses, how often it calls. */
import { describe, expect, test } from 'vitest';
import { graphql } from '../support/gateway.ts';
import { envelope, json, listPosts, pnetPost, postList, proxyTo, startStub, webhook } from '../support/stub.ts';

describe('a request', () => {
  test('carries the key, the request id and the configured headers', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1')])));
    const gateway = await proxyTo(stub, { environment: { UPSTREAM_HEADERS: '{"X-Tenant":"acme"}' } });
    const response = await gateway.ask(listPosts);
    expect(response.errors).toEqual([]);
    expect(response.data.posts.nodes[0]).toMatchObject({ text: 'Text 1', reactionCount: 5_000_000_000 });
    expect(stub.received).toHaveLength(1);
    expect(stub.received[0]).toMatchObject({
      method: 'GET',
      path: '/v1/users/ACoAda/posts?account_id=a1&limit=10',
      headers: {
        'x-api-key': 'their-key',
        'x-tenant': 'acme',
        'x-request-id': response.headers.get('x-request-id'),
        accept: 'application/json',
      },
    });
    expect(JSON.stringify(gateway.log)).not.toContain('their-key');
  });

  test.each([
    ['', '/v1/webhooks?limit=100'],
    ['/', '/v1/webhooks?limit=100'],
    ['/v1', '/v1/webhooks?limit=100'],
    ['/api', '/api/v1/webhooks?limit=100'],
    ['/api/v1/', '/api/v1/webhooks?limit=100'],
  ])('goes to the version below UPSTREAM_URL, which may end in %j', async (suffix, path) => {
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'WebhookList', items: [], cursor: null }),
    );
    const gateway = await proxyTo({ url: stub.url + suffix });
    expect((await gateway.ask('{ webhooks { nodes { id } } }')).data).toEqual({ webhooks: { nodes: [] } });
    expect(stub.received[0]?.path).toBe(path);
  });

  test('of an edit has the fields that were given, and no others', async () => {
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'PnetJobPostingEdited', job_id: '7' }),
    );
    const gateway = await proxyTo(stub);
    const body = { account_id: 'a1', salary: { currency: 'EUR', min: 1, max: 2, pay_frequency: 'YEARLY' } };
    const response = await gateway.rest('PATCH', '/v1/pnet/jobs/7', body);
    expect(await response.json()).toEqual({ object: 'PnetJobPostingEdited', job_id: '7' });
    expect(stub.received[0]).toMatchObject({ method: 'PATCH', path: '/v1/pnet/jobs/7' });
    expect(JSON.parse(stub.received[0]?.body ?? '')).toEqual(body);
  });

  test('has its ids encoded; none can leave its place in the path', async () => {
    const stub = await startStub((_request, response) => json(response, 200, { object: 'WebhookDeleted' }));
    const gateway = await proxyTo(stub);
    const remove = (id: string) =>
      gateway.ask(
        'mutation ($id: ID!) { deleteWebhook(input: { webhookId: $id }) { __typename ... on ServiceError { code } } }',
        { id },
      );
    expect((await remove('a b&c=ü')).data.deleteWebhook.__typename).toBe('WebhookDeleted');
    expect(stub.received.map(({ path }) => path)).toEqual(['/v1/webhooks/a%20b%26c%3D%C3%BC']);
    // test/rest/path-ids.slow.test.ts has more of them.
    expect((await remove('a/b')).data.deleteWebhook.code).toBe('INVALID_RESOURCE_IDENTIFIER');
    expect((await remove('..')).data.deleteWebhook.code).toBe('INVALID_RESOURCE_IDENTIFIER');
    expect((await remove('.')).data.deleteWebhook.code).toBe('INVALID_RESOURCE_IDENTIFIER');
    expect(stub.received).toHaveLength(1);
  });
});

describe('keys', () => {
  test('a missing key is refused by the gateway', async () => {
    const stub = await startStub();
    const gateway = await proxyTo(stub);
    const response = await graphql(gateway.address, undefined, '{ webhooks { nodes { id } } }');
    expect(response.status).toBe(401);
    expect(response.errors[0]?.extensions.code).toBe('MISSING_CREDENTIALS');
    expect(stub.received).toEqual([]);
  });

  test('a cursor of one key is invalid for another', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1')], 'next')));
    const gateway = await proxyTo(stub);
    const { data } = await gateway.ask(listPosts, { first: 1 });
    const after = data.posts.pageInfo.endCursor;
    expect((await gateway.ask(listPosts, { first: 1, after })).errors).toEqual([]);
    const foreign = await gateway.ask(listPosts, { first: 1, after }, 'another-key');
    expect(foreign.errors[0]?.extensions.code).toBe('UNPROCESSABLE_ENTITY');
  });

  test('with a key of its own the gateway checks its callers’ keys', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([])));
    const gateway = await proxyTo(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
    const workspace = await gateway.workspace();
    expect((await gateway.ask(listPosts)).errors[0]?.extensions.code).toBe('INVALID_CREDENTIALS');
    expect((await gateway.ask(listPosts, {}, workspace.key)).errors).toEqual([]);
    expect(stub.received.map(({ headers }) => headers['x-api-key'])).toEqual(['our-key']);
    const limited = await workspace.newKey({ accountIds: ['a2'] });
    expect((await gateway.ask(listPosts, {}, limited)).errors[0]?.extensions.code).toBe('ACCOUNT_MISMATCH');
    const unlimited = await gateway.ask(
      'mutation { createWebhook(input: { requestUrl: "https://a.example", source: USERS }) { ... on ServiceError { code } } }',
      {},
      limited,
    );
    expect(unlimited.data.createWebhook.code).toBe('ACCOUNT_MISMATCH');
    expect(stub.received).toHaveLength(1);
    expect(JSON.stringify(gateway.log)).not.toContain('our-key');
  });

  test('a key without webhooks:write does not see the values of webhook headers', async () => {
    const items = [webhook('w', { headers: [{ key: 'authorization', value: 'a secret' }] }), null, { headers: 'none' }];
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'WebhookList', items, cursor: null }),
    );
    const gateway = await proxyTo(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
    const { key, newKey } = await gateway.workspace();
    const list = async (apiKey: string) =>
      (await fetch(`${gateway.address}/v1/webhooks`, { headers: { 'x-api-key': apiKey } })).text();
    expect(await list(key)).toContain('a secret');
    const reader = await list(await newKey({ scopes: ['webhooks:read'] }));
    expect(reader).toContain('authorization');
    expect(reader).not.toContain('a secret');
  });

  test('a refusal of the gateway’s own key is a fault of the gateway', async () => {
    const stub = await startStub((_request, response) => json(response, 401, envelope('invalid_credentials', 401)));
    const gateway = await proxyTo(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
    const { key } = await gateway.workspace();
    const { errors } = await gateway.ask('{ webhooks { nodes { id } } }', {}, key);
    expect(errors[0]?.extensions).toMatchObject({ code: 'PROVIDER_ERROR', status: 500 });
  });
});

test.each([1_998, 1_999])('a long error of the service is cut between characters, after %i letters', async (count) => {
  const detail = `${'a'.repeat(count)}😀${'b'.repeat(100)}`;
  const stub = await startStub((_request, response) =>
    json(response, 422, envelope('unprocessable_entity', 422, { detail })),
  );
  const gateway = await proxyTo(stub);
  const { errors } = await gateway.ask(listPosts);
  expect(errors[0]?.message).toBe(`${'a'.repeat(count)}…`);
});

describe('one operation', () => {
  test('makes no more calls than one may make', async () => {
    const stub = await startStub((request, response) => {
      const identifier = /users\/([^/]+)/.exec(request.path)?.[1] ?? '';
      const author = (n: number) => ({ public_identifier: 'a', id: `${identifier}${n}`, name: 'A', is_company: false });
      json(response, 200, postList([0, 1, 2].map((n) => pnetPost(String(n), { author: author(n) }))));
    });
    const gateway = await proxyTo(stub, { tuning: { upstream: { maxCalls: 3 } } });
    const { data, errors } = await gateway.ask(
      '{ posts(accountId: "a1", identifier: "ACo", first: 3) { nodes { ... on PnetPost { author { posts(first: 1) { nodes { __typename } } } } } } }',
    );
    expect(stub.received).toHaveLength(3);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['LIMIT_TOO_HIGH']);
    expect(data.posts.nodes.map(({ author }: { author: { posts: unknown } }) => author.posts === null)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('makes no more calls with idempotency keys of the gateway', async () => {
    const stub = await startStub((_request, response) =>
      json(response, 201, { object: 'WebhookCreated', webhook_id: 'w' }),
    );
    const gateway = await proxyTo(stub, {
      environment: { UPSTREAM_API_KEY: 'our-key' },
      tuning: { upstream: { maxCalls: 1 } },
    });
    const { key } = await gateway.workspace();
    const create = (name: string) =>
      `${name}: createWebhook(input: { requestUrl: "https://a.example", source: USERS, idempotencyKey: "${name}" }) {
        ... on WebhookCreated { webhookId } ... on ServiceError { code }
      }`;
    const { data } = await gateway.ask(`mutation { ${create('a')} ${create('b')} }`, {}, key);
    expect(data).toEqual({ a: { webhookId: expect.any(String) }, b: { code: 'LIMIT_TOO_HIGH' } });
    expect(stub.received).toHaveLength(1);
  });

  test('requests equal pages once', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1')])));
    const gateway = await proxyTo(stub);
    const list = 'posts(accountId: "a1", identifier: "ACo", first: 5) { nodes { ... on PnetPost { text } } }';
    const { data } = await gateway.ask(`{ a: ${list} b: ${list} c: ${list} }`);
    expect(data.c).toEqual({ nodes: [{ text: 'Text 1' }] });
    expect(stub.received).toHaveLength(1);
  });
});

describe('readiness', () => {
  test('the gateway is ready while the upstream can be reached', async () => {
    const stub = await startStub();
    const gateway = await proxyTo(stub);
    const ready = async () => (await fetch(`${gateway.address}/readyz`)).status;
    expect(await ready()).toBe(200);
    expect(await ready()).toBe(200);
    // The first requests find these.
    expect(stub.connections).toBe(4);
    await stub.close();
    await expect.poll(ready).toBe(503);
    expect((await fetch(`${gateway.address}/livez`)).status).toBe(200);
  });

  test('clients that probe without end cost the service a probe a second, and callers no connection', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1')])));
    const gateway = await proxyTo(stub, { environment: { UPSTREAM_CONNECTIONS: '1' } });
    const startedAt = performance.now();
    const endsAt = startedAt + 3_000;
    const client = async () => {
      while (performance.now() < endsAt) expect((await fetch(`${gateway.address}/readyz`)).status).toBe(200);
    };
    await Promise.all(Array.from({ length: 500 }, client));
    expect(stub.probes).toBeGreaterThan(1);
    expect(stub.probes).toBeLessThanOrEqual((performance.now() - startedAt) / 1_000 + 2);
    // A probe that hangs holds up no call.
    stub.holdsProbes = true;
    const before = stub.probes;
    const hung = new AbortController();
    const asks = async () => {
      fetch(`${gateway.address}/readyz`, { signal: hung.signal }).catch(() => null);
      return stub.probes;
    };
    await expect.poll(asks).toBe(before + 1);
    const { errors } = await gateway.ask(
      '{ posts(accountId: "a1", identifier: "ACo", first: 1) { nodes { __typename } } }',
    );
    expect(errors).toEqual([]);
    hung.abort();
  });
});
