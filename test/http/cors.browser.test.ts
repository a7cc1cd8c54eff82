/** Pages of other origins: what a gateway tells a browser about them, on every path of both faces, and what browsers do. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium as launcher } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { exposedHeaders } from '../../src/http/cors.ts';
import { endpoints, prefixes } from '../../src/rest/endpoints.ts';
import { requestLine, startBothWays } from '../compiled/both-ways.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { chromium } from '../support/servers.ts';

const allowed = 'https://app.example';
const foreign = 'https://evil.example';
const environment = { CORS_ORIGINS: `${allowed}, http://localhost:5173` };

/** Every path that a page of another origin may use, with a method that it has. */
const paths = [
  { method: 'POST', path: '/graphql' },
  { method: 'GET', path: '/graphql' },
  { method: 'GET', path: '/schema.graphql' },
  ...prefixes.flatMap((prefix) => [
    { method: 'GET', path: `${prefix}/openapi.json` },
    ...endpoints.map(({ method, path }) => ({ method, path: prefix + path.replaceAll(/\{\w+\}/g, 'x') })),
  ]),
];

/** What a response says to browsers about pages of other origins. It is read to its end, so that it holds no connection. */
async function corsOf(response: Response) {
  await response.arrayBuffer();
  return Object.fromEntries(
    [...response.headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'),
  );
}

const preflight = (
  gateway: Gateway,
  path: string,
  method: string,
  origin: string,
  headers = 'content-type,x-api-key',
) =>
  fetch(gateway.address + path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
  });

describe('of a gateway that allows origins', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  beforeAll(async () => {
    gateway = await startGateway({ environment });
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  test.each(paths)('a preflight of $method $path', async ({ method, path }) => {
    const response = await preflight(gateway, path, method, allowed);
    expect(response.status).toBe(204);
    const cors = await corsOf(response);
    expect(cors).toMatchObject({
      'access-control-allow-origin': allowed,
      'access-control-allow-headers': 'content-type,x-api-key',
      'access-control-max-age': '7200',
      vary: 'origin, access-control-request-headers',
    });
    expect(cors['access-control-allow-methods']?.split(', ')).toContain(method);
    expect(cors).not.toHaveProperty('access-control-allow-credentials');
    const refused = await preflight(gateway, path, method, foreign);
    expect(await corsOf(refused)).toEqual({ vary: 'origin, access-control-request-headers' });
  });

  test.each(paths)('a response to $method $path, with success and failure', async ({ method, path }) => {
    const isDocument = path.endsWith('.json') || path.endsWith('.graphql');
    const vary = isDocument ? 'origin, accept-encoding' : 'origin';
    for (const key of [workspace.key, 'wrong', '']) {
      const send = (origin?: string) =>
        fetch(gateway.address + path, {
          method,
          headers: {
            'content-type': 'application/json',
            'x-api-key': key,
            ...(origin === undefined ? {} : { origin }),
          },
          ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{"query":"{ viewer { workspaceId } }"}' }),
        });
      expect(await corsOf(await send(allowed))).toEqual({
        'access-control-allow-origin': allowed,
        'access-control-expose-headers': exposedHeaders.join(', '),
        vary,
      });
      for (const origin of [foreign, 'null', `${allowed}:444`, undefined]) {
        expect(await corsOf(await send(origin)), origin).toEqual({ vary });
      }
    }
  });

  test('what the response cache did', async () => {
    const caching = await startGateway({ environment: { ...environment, RESPONSE_CACHE: 'memory' } });
    onTestFinished(() => caching.close());
    const { key } = await caching.workspace();
    const response = await fetch(`${caching.address}/graphql`, {
      method: 'POST',
      headers: { origin: allowed, 'content-type': 'application/json', 'x-api-key': key },
      body: '{"query":"{ accounts { totalCount } }"}',
    });
    expect(response.headers.get('cache-status')).toBe('Postern; fwd=miss; stored');
    expect(response.headers.get('access-control-expose-headers')?.split(', ')).toContain('cache-status');
  });

  test('a subscription', async () => {
    const abort = new AbortController();
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: {
        origin: allowed,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-api-key': workspace.key,
      },
      body: JSON.stringify({ query: 'subscription { deliveryUpdated { id } }' }),
      signal: abort.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
    abort.abort();
  });

  test('GraphiQL also depends on what the browser accepts', async () => {
    const page = await fetch(`${gateway.address}/graphql`, { headers: { accept: 'text/html', origin: foreign } });
    expect(await corsOf(page)).toEqual({ vary: 'origin, accept' });
  });

  test.each(['/livez', '/readyz', '/webhooks', '/graphql/demo-key', '/graphql/assets/x/x', '/nowhere'])(
    '%s is for its own origin only',
    async (path) => {
      const response = await fetch(gateway.address + path, { headers: { origin: allowed } });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      const asked = await preflight(gateway, path, 'POST', allowed);
      expect(asked.status).not.toBe(204);
      expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  test('requested headers are allowed only if they are a list of names', async () => {
    const long = `x-${'a'.repeat(2_000)}`;
    for (const [wanted, told] of [
      ['x-any, apollographql-client-name', 'x-any, apollographql-client-name'],
      [long, long],
      ['x-any, "quoted"', null],
      ['x any', null],
    ] as const) {
      const { headers } = await preflight(gateway, '/graphql', 'POST', allowed, wanted);
      expect(headers.get('access-control-allow-headers')).toBe(told);
    }
  });

  test('an OPTIONS request that is no preflight goes to the router', async () => {
    const response = await fetch(`${gateway.address}/v1/webhooks`, { method: 'OPTIONS', headers: { origin: allowed } });
    expect(response.status).toBe(400);
    expect(response.headers.get('allow')).toContain('GET');
    expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
  });

  test.skipIf(!chromium)('a browser lets pages of these origins read, and no others', async () => {
    const pages = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>'));
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const { port } = pages.address() as AddressInfo;
    const ours = await startGateway({ environment: { CORS_ORIGINS: `http://localhost:${port}` } });
    const browser = await launcher.launch({
      executablePath: chromium as string,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    onTestFinished(async () => {
      await browser.close();
      await ours.close();
      pages.close();
    });
    const { key } = await ours.workspace();
    const page = await browser.newPage();
    const read = async (host: string) => {
      await page.goto(`http://${host}:${port}/`);
      return page.evaluate(
        async ({ address, apiKey }) => {
          const sent = fetch(`${address}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'apollographql-client-name': 'web' },
            body: '{"query":"{ viewer { __typename } }"}',
          });
          const list = fetch(`${address}/v1/webhooks`, { headers: { 'x-api-key': apiKey } });
          const told = (error: unknown) => String(error);
          return [
            await sent.then(
              async (response) => [
                await response.text(),
                response.headers.get('x-request-id') !== null,
                response.headers.get('ratelimit') !== null,
              ],
              told,
            ),
            await list.then(({ status }) => status, told),
          ];
        },
        { address: ours.address, apiKey: key },
      );
    };
    expect(await read('localhost')).toEqual([['{"data":{"viewer":{"__typename":"Viewer"}}}', true, true], 200]);
    expect(await read('127.0.0.1')).toEqual(['TypeError: Failed to fetch', 'TypeError: Failed to fetch']);
  });
});

test('a compiled operation has the same headers', async () => {
  const { on, ask } = await startBothWays(undefined, environment);
  const query = '{ posts(accountId: "a", identifier: "b", first: 1) { nodes { __typename } } }';
  for (const origin of [allowed, foreign]) {
    const { on: compiled, off } = await ask({ headers: { origin }, body: { query } });
    expect(compiled.compiled).toBe('yes');
    expect(compiled.headers).toEqual(off.headers);
    expect(compiled.headers.vary).toBe('origin');
    expect(compiled.headers['access-control-allow-origin']).toBe(origin === allowed ? allowed : undefined);
  }
  const lines = on.log.length;
  expect((await preflight(on, '/graphql', 'POST', allowed)).status).toBe(204);
  expect(await requestLine(on, lines)).toMatchObject({ method: 'OPTIONS', path: '/graphql', status: 204 });
});

/** [the origin of a page, whether it may call a gateway in development] */
const ofDevelopers: readonly (readonly [string, boolean])[] = [
  ['http://localhost:5173', true],
  ['http://127.0.0.1:8080', true],
  ['http://[::1]:3000', true],
  ['http://localhost', true],
  ['https://localhost:5173', false],
  // A name of the public DNS that leads to this machine, and names that only begin or end like it.
  ['http://evil.example:4000', false],
  ['http://localhost.evil.example', false],
  ['http://127.0.0.1.evil.example:5173', false],
  ['http://evil.localhost:5173', false],
  ['http://localhost@evil.example', false],
  ['null', false],
];

test('in development pages of loopback origins may call, by the name in their address, and webhooks lead to loopback', async () => {
  const gateway = await startGateway({ environment: { NODE_ENV: 'development' } });
  onTestFinished(() => gateway.close());
  for (const [origin, may] of ofDevelopers) {
    const response = await fetch(`${gateway.address}/graphql`, { headers: { origin } });
    expect([origin, response.headers.get('access-control-allow-origin')]).toEqual([origin, may ? origin : null]);
    const asked = await preflight(gateway, '/graphql', 'POST', origin);
    expect([origin, asked.headers.has('access-control-allow-methods')]).toEqual([origin, may]);
    const page = await fetch(`${gateway.address}/docs`, { headers: { origin } });
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
  }
  const { key } = await gateway.workspace();
  const create = `mutation { createWebhook(input: {
    name: "n", requestUrl: "http://127.0.0.1:9999/", source: USERS, events: [NEW_RELATION] }) { __typename ... on ServiceError { message } } }`;
  expect((await graphql(gateway.address, key, create)).data.createWebhook.__typename).toBe('WebhookCreated');
});

test('without CORS_ORIGINS there are no CORS headers', async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  for (const { path, method } of paths) {
    const response = await preflight(gateway, path, method, allowed);
    expect(response.status).not.toBe(204);
    expect(await corsOf(response)).toEqual({});
    expect(await corsOf(await fetch(gateway.address + path, { headers: { origin: allowed } }))).not.toHaveProperty(
      'access-control-allow-origin',
    );
  }
});
