/**
 * The headers that keep a response out of caches and of guesses about its type, on everything but static files: every
 * route of the server with every method and kind of request, and what node:http refuses before there is a route.
 */
import { Agent, METHODS, request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { headersIn, sendBytes } from '../support/raw-http.ts';

/** The paths that the router knows, with `x` for each parameter: `/v1/pnet/jobs/x/publish`. */
function pathsOf({ app }: Gateway): string[] {
  return app.server.paths.map((path) => path.replaceAll(/:[^/]+/g, 'x'));
}

/** All that node:http parses. CONNECT has no response of an HTTP client. */
const methods = METHODS.filter((method) => method !== 'CONNECT');

/** Those of routes, and one of all that no route has: whatever comes with another of these, it is refused as this one. */
const usualMethods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];

/** What arrives at a route, well or badly. */
const kinds: Readonly<Record<string, { readonly headers?: Record<string, string>; readonly body?: string }>> = {
  'nothing but the request line': {},
  'a browser': { headers: { accept: 'text/html' } },
  'a client of event streams': { headers: { accept: 'text/event-stream' } },
  'a wrong key': { headers: { 'x-api-key': 'wrong' } },
  'JSON that breaks off': { headers: { 'content-type': 'application/json' }, body: '{' },
  'an empty object': { headers: { 'content-type': 'application/json' }, body: '{}' },
  'an operation that fails': {
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ webhook(webhookId: \\"x\\") { id } }"}',
  },
  'another content type': { headers: { 'content-type': 'text/csv' }, body: 'a,b' },
  'an unknown expectation': { headers: { expect: 'the-unexpected' } },
};

const bare = 'nothing but the request line';

/** @returns the names of what is sent with a method to a path */
const kindsWith = (method: string): string[] => (usualMethods.includes(method) ? Object.keys(kinds) : [bare]);

/** The description of a service is nobody's data: caches may keep it, and ask whether it is still right. */
const isDocument = (headers: Headers): boolean => headers.has('etag') && headers.get('cache-control') === 'no-cache';

const faults = (headers: Headers): string[] => [
  ...(headers.get('cache-control') === 'no-store' || isDocument(headers)
    ? []
    : [`cache-control: ${headers.get('cache-control')}`]),
  ...(headers.get('x-content-type-options') === 'nosniff' ? [] : ['no nosniff']),
  ...(headers.get('x-request-id') === null ? ['no x-request-id'] : []),
];

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

interface Received {
  readonly status: number;
  readonly headers: Headers;
}

/** Sends a request whose path is left as it is. Resolves when the response has ended. */
function send(
  address: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<Received> {
  const { hostname: host, port } = new URL(address);
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const sent = request({ agent, host, port, method, path, headers: { ...length, ...headers } }, (response) => {
    response.resume().once('end', () => {
      const headers = new Headers(Object.entries(response.headers).map(textual));
      resolve({ status: response.statusCode ?? 0, headers });
    });
  });
  sent.once('error', (cause) => reject(new Error(`${method} ${path} failed`, { cause })));
  sent.end(body);
  return promise;
}

const textual = ([name, value]: [string, unknown]): [string, string] => [name, String(value)];

describe.each([
  ['embedded mode', {}],
  ['proxy mode, while the service is down', { UPSTREAM_URL: 'http://127.0.0.1:1' }],
])('in %s', (_name, environment) => {
  let gateway: Gateway;
  let key: string;

  beforeAll(async () => {
    gateway = await startGateway({ environment: { DEMO: 'on', ...environment } });
    key = 'UPSTREAM_URL' in environment ? 'any' : (await gateway.workspace()).key;
  });
  afterAll(() => gateway.close());

  test('every route with every method, with success and failure', async () => {
    const paths = pathsOf(gateway);
    expect(paths).toEqual(expect.arrayContaining(['/livez', '/graphql', '/graphql/assets/x/x', '/api/v1/webhooks/x']));
    // What is wrong with these paths is seen before anything else of the request.
    const wrong = paths.flatMap((path) =>
      usualMethods.map((method) => ({ path: `${path}/%zz?x`, method, kind: bare })),
    );
    const right = [...paths, '/', '/nowhere', '/v1', '/v1/', '//', '*'].flatMap((path) =>
      methods.flatMap((method) => kindsWith(method).map((kind) => ({ path, method, kind }))),
    );
    const bad: string[] = [];
    for (const { path, method, kind } of [...right, ...wrong]) {
      const { headers = {}, body } = kinds[kind] ?? {};
      const received = await send(gateway.address, method, path, { 'x-api-key': key, ...headers }, body);
      for (const fault of faults(received.headers)) bad.push(`${method} ${path} with ${kind}: ${fault}`);
      if (received.status === 500) bad.push(`${method} ${path} with ${kind} is 500`);
      if (received.status === 405 && !received.headers.has('allow')) bad.push(`${method} ${path} is 405 without Allow`);
    }
    expect(bad).toEqual([]);
    expect(gateway.log.filter(({ level, type }) => Number(level) >= 50 && type === 'errors/unexpected_error')).toEqual(
      [],
    );
  });

  // Others are in decorated.test.ts.
  test.each([
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400],
    ['a path that is not ASCII', 'GET /\x01 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a request without Host in HTTP/1.0', 'GET /livez HTTP/1.0\r\n\r\n', 200],
    ['an unknown expectation', 'GET /livez HTTP/1.1\r\nhost: x\r\nexpect: x\r\nconnection: close\r\n\r\n', 200],
    ['a path that grows by escaping', `GET /v1/users/${'%'.repeat(15_000)}/posts HTTP/1.0\r\n\r\n`, 401],
    ['an absolute address', 'GET http://x/livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 200],
    ['an absolute address without a path', 'GET http://x?y HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 200],
    ['a wish to upgrade', 'GET /livez HTTP/1.1\r\nhost: x\r\nupgrade: x\r\nconnection: upgrade, close\r\n\r\n', 200],
  ])('%s', async (_what, bytes, status) => {
    const text = await sendBytes(gateway.address, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect({ text, faults: faults(headersIn(text)) }).toEqual({ text, faults: [] });
    if (status >= 400) expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ status });
  });

  test('a file of GraphiQL may be kept, and one that does not exist may not', async () => {
    const page = await (await fetch(`${gateway.address}/graphql`, { headers: { accept: 'text/html' } })).text();
    const [, file] = /"(\/graphql\/assets\/[^"]+)"/.exec(page) ?? [];
    const { headers } = await fetch(`${gateway.address}${file}`);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const missing = await fetch(`${gateway.address}${file}x`);
    expect([missing.status, ...faults(missing.headers)]).toEqual([404]);
  });
});

test('a stream of events', async () => {
  const gateway = await startGateway();
  try {
    const { key } = await gateway.workspace();
    const { headers, body } = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
      body: '{"query":"subscription { deliveryUpdated { state } }"}',
    });
    await body?.cancel();
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(faults(headers)).toEqual([]);
  } finally {
    await gateway.close();
  }
});

test('a request that arrives while the server stops', async () => {
  const gateway = await startGateway();
  const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1').setEncoding('latin1');
  // The request that has not come as a whole keeps the connection open while the server stops.
  socket.write('GET /livez HTTP/1.1\r\n');
  await expect
    .poll(() => new Promise((resolve) => gateway.app.server.server.getConnections((_, n) => resolve(n))))
    .toBe(1);
  await fetch(`${gateway.address}/livez`);
  const closed = gateway.close();
  await expect.poll(() => gateway.app.server.server.listening).toBe(false);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write('host: x\r\n\r\n');
  await closed;
  expect(text).toMatch(/^HTTP\/1.1 200 /);
  expect(headersIn(text).get('connection')).toBe('close');
  expect(faults(headersIn(text))).toEqual([]);
});
