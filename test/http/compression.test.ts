/** Compressed responses: what clients accept, what is compressed, and that nothing else changes. */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { acceptedCoding, createCompression, minCompressedBytes } from '../../src/http/compression.ts';
import { startBothWays } from '../compiled/both-ways.ts';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';

test.each<readonly [string | undefined, string | null]>([
  [undefined, null],
  ['', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP;q=0.5', 'gzip'],
  ['zstd;q=0.1, gzip', 'gzip'],
  ['gzip;q=0', null],
  ['gzip; q=0.0, *', 'zstd'],
  ['*;q=0', null],
  ['deflate, br', null],
  ['identity, gzip;q=0.5', null],
  ['identity;q=0.5, gzip', 'gzip'],
  ['gzip;q=x', null],
])('of "%s" the coding is %s', (header, coding) => {
  expect(acceptedCoding(header, ['zstd', 'gzip'])).toBe(coding);
});

test('a bounded number of responses is compressed at once, and the rest are sent uncompressed', async () => {
  const compress = createCompression();
  const request = { headers: { 'accept-encoding': 'gzip' }, facts: {}, method: 'GET', varyBy: vi.fn() };
  const body = 'x'.repeat(100_000);
  const running = Array.from({ length: 40 }, () => compress(request, body)).filter((each) => each !== null);
  expect(running.length).toBeLessThan(40);
  const [first] = await Promise.all(running.map(({ bytes }) => bytes));
  expect(gunzipSync(first as Buffer).toString()).toBe(body);
  expect(compress(request, body)).not.toBeNull();
});

const decoded = {
  identity: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gunzipSync(bytes),
  zstd: (bytes: Buffer) => zstdDecompressSync(bytes),
} as const;

interface Came {
  readonly status: number;
  readonly headers: Headers;
  readonly encoding: string;
  readonly bytes: number;
  readonly text: string;
}

/** Sends a request that accepts what it says only, and decodes what came. */
async function ask({ address }: Gateway, key: string, path: string, encoding: string, body?: object): Promise<Came> {
  const { request } = await import('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<Came>();
  const headers = { 'x-api-key': key, 'accept-encoding': encoding, 'content-type': 'application/json' };
  const asking = request(address + path, { method: body === undefined ? 'GET' : 'POST', headers }, async (response) => {
    const bytes = Buffer.concat(await response.toArray());
    const coding = response.headers['content-encoding'] ?? 'identity';
    resolve({
      status: response.statusCode ?? 0,
      headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
      encoding: coding,
      bytes: bytes.length,
      text: (decoded[coding as keyof typeof decoded] ?? decoded.identity)(bytes).toString(),
    });
  });
  asking.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

describe.each(['on', 'off'])('of a gateway with COMPILED_OPERATIONS=%s', (compiled) => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  let accountId: string;
  beforeAll(async () => {
    gateway = await startGateway({ environment: { COMPRESSION: 'on', COMPILED_OPERATIONS: compiled } });
    workspace = await gateway.workspace();
    accountId = await workspace.account();
  });
  afterAll(() => gateway.close());

  const list = (first: number) =>
    `query Posts { posts(accountId: "${accountId}", identifier: "ACoSandbox250", first: ${first}) { nodes { ... on PnetPost { id text author { name } } } } }`;
  const path = (first: number) => `/v1/users/ACoSandbox250/posts?account_id=${accountId}&limit=${first}`;
  const ways = {
    'GraphQL by POST': (first: number) => ['/graphql', { query: list(first) }] as const,
    'GraphQL by GET': (first: number) => [`/graphql?query=${encodeURIComponent(list(first))}`, undefined] as const,
    REST: (first: number) => [path(first), undefined] as const,
  };

  test.each(Object.keys(ways) as (keyof typeof ways)[])('%s is compressed as the client accepts it', async (way) => {
    const [at, body] = ways[way](40);
    const plain = await ask(gateway, workspace.key, at, 'identity', body);
    expect(plain.encoding).toBe('identity');
    for (const encoding of ['gzip', 'zstd'] as const) {
      const came = await ask(gateway, workspace.key, at, encoding, body);
      expect([came.status, came.encoding]).toEqual([200, encoding]);
      expect(came.text).toBe(plain.text);
      expect(came.bytes).toBeLessThan(plain.bytes / 2);
      expect(Number(came.headers.get('content-length'))).toBe(came.bytes);
      expect(came.headers.get('content-type')).toBe(plain.headers.get('content-type'));
    }
    const [small, smallBody] = ways[way](1);
    const short = await ask(gateway, workspace.key, small, 'gzip', smallBody);
    for (const { headers } of [plain, short]) expect(headers.get('vary')).toBe('accept-encoding');
    expect(short.encoding).toBe('identity');
  });

  test('responses to mutations are not compressed, however long they are', async () => {
    const names = Array.from(
      { length: 20 },
      (_, index) =>
        `a${index}: createWebhook(input: { name: "${'x'.repeat(200)}", requestUrl: "https://hooks.example/x", source: USERS }) { ... on WebhookCreated { webhook { name } } }`,
    );
    const came = await ask(gateway, workspace.key, '/graphql', 'gzip', { query: `mutation { ${names.join('\n')} }` });
    expect(came.bytes).toBeGreaterThan(minCompressedBytes);
    expect([came.status, came.encoding]).toEqual([200, 'identity']);
  });

  test('a subscription is not compressed, in any protocol', async () => {
    for (const accept of ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0']) {
      const response = await fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: {
          accept,
          'accept-encoding': 'gzip, zstd',
          'content-type': 'application/json',
          'x-api-key': workspace.key,
        },
        body: JSON.stringify({ query: 'subscription { deliveryUpdated { state } }' }),
      });
      expect([null, 'none']).toContain(response.headers.get('content-encoding'));
      await response.body?.cancel();
    }
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
  });

  test('a response that is compressed already is left as it is', async () => {
    for (const at of ['/v1/openapi.json', '/schema.graphql']) {
      const came = await ask(gateway, workspace.key, at, 'br, gzip');
      expect([came.encoding, came.headers.get('vary')]).toEqual(['br', 'accept-encoding']);
    }
  });

  test('introspection is compressed', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const came = await ask(gateway, workspace.key, '/graphql', 'zstd', { query: getIntrospectionQuery() });
    expect(came.encoding).toBe('zstd');
    expect(JSON.parse(came.text)).toMatchObject({ data: { __schema: {} } });
  });
});

test('a compiled response is the same, compressed and not', async () => {
  const { on, off } = await startBothWays(undefined, { COMPRESSION: 'on' });
  const list =
    'posts(accountId: "a", identifier: "ACoLong", first: 12) { nodes { ... on PnetPost { id text author { id } } } }';
  const query = `{ a: ${list} b: ${list} }`;
  const plain = await ask(on, 'their-key', '/graphql', 'identity', { query });
  for (const encoding of ['gzip', 'zstd'] as const) {
    const came = await ask(on, 'their-key', '/graphql', encoding, { query });
    expect([came.encoding, came.text]).toEqual([encoding, plain.text]);
    expect((await ask(off, 'their-key', '/graphql', encoding, { query })).text).toBe(plain.text);
  }
  expect(on.log.filter(({ msg }) => msg === 'request').map(({ compiled }) => compiled)).toEqual(['yes', 'yes', 'yes']);
});

test('without COMPRESSION nothing is compressed, and nothing says that it could be', async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { key, account } = await gateway.workspace();
  const at = `/v1/users/ACoSandbox250/posts?account_id=${await account()}&limit=40`;
  const came = await ask(gateway, key, at, 'gzip, zstd');
  expect([came.encoding, came.headers.get('vary')]).toEqual(['identity', null]);
});
