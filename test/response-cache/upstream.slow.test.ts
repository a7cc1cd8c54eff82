/** In proxy mode: compiled operations, calls that are saved, and what is under way while somebody changes something. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ask } from '../support/cached-responses.ts';
import { json, pnetPost, postList, proxyTo, type Respond, startStub, webhook } from '../support/stub.ts';
import type { Tuning } from '../support/tuning.ts';

const posts = (identifier = 'ACo1') =>
  `posts(accountId: "a1", identifier: "${identifier}") { nodes { ... on PnetPost { id text } } pageInfo { endCursor } }`;
const query = `{ ${posts()} }`;

const onePost: Respond = ({ method, path }, response) => {
  if (path.startsWith('/v1/webhooks')) {
    if (method === 'DELETE') return json(response, 200, { object: 'WebhookDeleted' });
    return json(response, 200, { object: 'WebhookList', items: [webhook('A'.repeat(22))], cursor: null });
  }
  json(response, 200, postList([pnetPost('p1')]));
};

/** A gateway with API keys of its own, and its service. */
async function start(respond: Respond, environment: Readonly<Record<string, string>> = {}, tuning: Tuning = {}) {
  const stub = await startStub(respond);
  const gateway = await proxyTo(stub, {
    environment: { UPSTREAM_API_KEY: 'our-key', RESPONSE_CACHE: 'memory', ...environment },
    tuning,
  });
  const { key, newKey } = await gateway.workspace();
  const reads = () => stub.received.filter(({ path }) => path.includes('/posts')).length;
  const command = (by: string) =>
    ask(gateway.address, by, `mutation { deleteWebhook(input: { webhookId: "${'A'.repeat(22)}" }) { __typename } }`);
  return {
    stub,
    gateway,
    key,
    newKey,
    reads,
    command,
    ask: (text: string, by = key, options = {}) => ask(gateway.address, by, text, options),
  };
}

const paths = {
  compiled: { what: 'compiled', environment: {}, headers: {}, query },
  direct: { what: 'direct', environment: {}, headers: {}, query: `{ viewer { name } ${posts()} }` },
  executor: { what: 'through Yoga', environment: { COMPILED_OPERATIONS: 'off' }, headers: {}, query },
} as const;

describe.each(Object.values(paths))('$what', ({ environment, query: text }) => {
  test('a hit makes no call, and is byte for byte the same as a miss', async () => {
    const { ask: send, reads, gateway } = await start(onePost, environment);
    const [miss, hit] = [await send(text), await send(text)];
    expect([miss.cache, hit.cache]).toEqual(['fwd=miss; stored', 'hit']);
    expect(hit.body).toBe(miss.body);
    expect(miss.body).toContain('Text p1');
    expect(reads()).toBe(1);
    const lines = gateway.log.filter(({ msg }) => msg === 'request');
    expect(lines.map(({ cache }) => cache)).toEqual(['miss', 'hit']);
    expect(lines[1]).toMatchObject({ operationType: 'query', cost: lines[0]?.cost, status: 200 });
  });

  test('a response that is too large for the configuration is refused each time', async () => {
    const { ask: send } = await start(onePost, environment, { maxResponseBytes: 40 });
    for (let times = 0; times < 2; times += 1) {
      const refused = await send(text);
      expect(refused.cache).toBe('fwd=miss');
      expect(refused.body).toContain('LIMIT_TOO_HIGH');
    }
  });
});

test('a response that one path has cached is sent by the others', async () => {
  const { ask: send, reads, gateway, key } = await start(onePost);
  const compiled = await send(query);
  expect(compiled.cache).toBe('fwd=miss; stored');
  const reported = await send(query, undefined, { headers: { 'graphql-cost': 'report' } });
  expect(reported.cache).toBe('hit');
  const { extensions, ...result } = JSON.parse(reported.body);
  expect(JSON.stringify(result)).toBe(compiled.body);
  expect(extensions.cost.requestedCost).toBeGreaterThan(0);
  const url = `${gateway.address}/graphql?query=${encodeURIComponent(query)}`;
  const byGet = await fetch(url, { headers: { 'x-api-key': key } });
  expect(byGet.headers.get('cache-status')).toBe('Postern; hit');
  expect(await byGet.text()).toBe(compiled.body);
  expect(reads()).toBe(1);
});

test('a request beyond a limit gets no cached response', async () => {
  const { ask: send } = await start(onePost, { REQUESTS_PER_MINUTE: '3' });
  expect((await send(query)).cache).toBe('fwd=miss; stored');
  expect((await send(query)).cache).toBe('hit');
  await send(query);
  const refused = await send(query);
  expect(refused).toMatchObject({ status: 503, cache: null });
});

test('all callers share the one key of the service, so the command of one invalidates the responses of all', async () => {
  const { ask: send, gateway, key, command } = await start(onePost);
  const other = (await gateway.workspace()).key;
  await send(query);
  expect((await send(query)).cache).toBe('hit');
  expect((await command(other)).body).toContain('WebhookDeleted');
  expect((await send(query, key)).cache).toBe('fwd=miss; stored');
});

/** A service whose responses to reads of posts wait until the test lets them go. */
function held() {
  const waiting: ((text: string) => void)[] = [];
  const respond: Respond = (request, response: ServerResponse) => {
    if (!request.path.includes('/posts')) return onePost(request, response);
    waiting.push((text) => json(response, 200, postList([pnetPost('p1', { text })])));
  };
  return { waiting, respond };
}

describe('a command while a read is under way', () => {
  test('a read that began before it is not cached', async () => {
    const { waiting, respond } = held();
    const { ask: send, command, key } = await start(respond);
    const before = send(query);
    await expect.poll(() => waiting.length).toBe(1);
    await command(key);
    waiting[0]?.('old');
    const stale = await before;
    expect(stale.body).toContain('old');
    expect(stale.cache).toBe('fwd=miss');
    const after = send(query);
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.('new');
    expect(await after).toMatchObject({ body: expect.stringContaining('new'), cache: 'fwd=miss; stored' });
    const kept = await send(query);
    expect(kept.cache).toBe('hit');
    expect(kept.body).toContain('new');
  });

  test('a read that begins after it does not join one that began before, whoever sent the command', async () => {
    const { waiting, respond } = held();
    const { ask: send, command, newKey } = await start(respond);
    const before = send(query);
    await expect.poll(() => waiting.length).toBe(1);
    await command(await newKey());
    const after = send(query);
    await expect.poll(() => waiting.length).toBe(2);
    waiting[0]?.('old');
    waiting[1]?.('new');
    expect((await before).body).toContain('old');
    expect((await after).body).toContain('new');
    const kept = await send(query);
    expect(kept.cache).toBe('hit');
    expect(kept.body).toContain('new');
  });
});
