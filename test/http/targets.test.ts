/** What a door does with a request does not depend on the form of its target (RFC 9112, section 3.2), and no form is a failure of ours. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { headersIn, sendBytes } from '../support/raw-http.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    environment: { METRICS_PORT: '0', CORS_ORIGINS: 'https://app.example', WEBHOOKS_PAGE: 'on' },
  });
});
afterAll(() => gateway.close());

interface Door {
  readonly method: string;
  readonly path: string;
  readonly head?: string;
  readonly body?: string;
  readonly status: number;
  /** On a port of its own. */
  readonly isOfMetrics?: true;
}

const query = '{"query":"{ __schema { description } }"}';
const post = (accept: string, status = 200): Door => ({
  method: 'POST',
  path: '/graphql',
  head: `accept: ${accept}\r\ncontent-type: application/json\r\ncontent-length: ${query.length}\r\n`,
  body: query,
  status,
});
const get = (path: string, status = 200, head = ''): Door => ({ method: 'GET', path, status, head });
const inUrl = `/graphql?query=${encodeURIComponent('{__schema{description}}')}`;

const doors: Readonly<Record<string, Door>> = {
  'the probe of life': get('/livez'),
  'the probe of readiness': get('/readyz'),
  'GraphQL as JSON': post('application/json'),
  'GraphQL as events': post('text/event-stream'),
  'GraphQL in parts': post('multipart/mixed'),
  'GraphQL as nothing that there is': post('text/csv', 406),
  'GraphQL in a GET': get(inUrl),
  'GraphQL in a GET, as events': get(inUrl, 200, 'accept: text/event-stream\r\n'),
  'a WebSocket': get(
    '/graphql',
    101,
    'upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-protocol: graphql-transport-ws\r\n',
  ),
  'a WebSocket at another path': get('/elsewhere', 404, 'upgrade: websocket\r\nsec-websocket-version: 13\r\n'),
  'a preflight request': {
    ...get('/graphql', 204, 'origin: https://app.example\r\naccess-control-request-method: POST\r\n'),
    method: 'OPTIONS',
  },
  GraphiQL: get('/graphql', 200, 'accept: text/html\r\n'),
  'the schema': get('/schema.graphql'),
  REST: get('/v1/webhooks?limit=5', 401),
  'the description of REST': get('/v1/openapi.json'),
  documentation: get('/docs'),
  'the webhooks page': get('/webhooks'),
  'no resource': get('/nowhere', 404),
  metrics: { ...get('/metrics?x=1'), isOfMetrics: true },
};

/** Forms that mean the same as a path alone. */
const forms: Readonly<Record<string, (path: string, host: string) => readonly [target: string, host: string]>> = {
  'a path': (path, host) => [path, host],
  'absolute, with the port': (path, host) => [`http://${host}${path}`, host],
  'absolute, without a port': (path, host) => [`http://localhost${path}`, host],
  'absolute, in capitals': (path, host) => [`HTTP://LOCALHOST${path}`, host],
  'absolute, of TLS': (path, host) => [`https://${host}${path}`, host],
  'absolute, of an IPv6 address': (path) => [`http://[::1]:4000${path}`, '[::1]:4000'],
  'absolute, of another host': (path, host) => [`http://other.example:8080${path}`, host],
  'absolute, with an empty Host': (path, host) => [`http://${host}${path}`, ''],
  'with an empty Host': (path) => [path, ''],
};

/** Forms that mean nothing here. */
const refused: typeof forms = {
  'an asterisk': (_path, host) => ['*', host],
  'an authority': (_path, host) => [host, host],
  'of another scheme': (path, host) => [`ftp://${host}${path}`, host],
  'no host in an absolute one': (path, host) => [`http://${path}`, host],
  'a user in it': (path, host) => [`http://user@${host}${path}`, host],
  'a garbled port': (path) => [`http://localhost:99999${path}`, 'localhost'],
  'a garbled Host': (path) => [path, 'a b/c?d'],
  'a garbled Host beside an absolute one': (path, host) => [`http://${host}${path}`, 'x:y:z'],
};

async function ask({ method, path, head = '', body = '', isOfMetrics }: Door, form: (typeof forms)[string]) {
  const address = isOfMetrics ? String(gateway.app.metricsAddress) : gateway.address;
  const [target, host] = form(path, new URL(address).host);
  const connection = head.includes('upgrade:') ? 'upgrade, close' : 'close';
  const frame = head.includes('upgrade:') ? '\x88\x80\0\0\0\0' : '';
  const bytes = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\nx-request-id: of-the-test\r\n${head}\r\n${body}`;
  const text = await sendBytes(
    new URL(address).origin,
    bytes + (frame && Buffer.from(frame, 'latin1').toString('latin1')),
  );
  const headers = Object.fromEntries(headersIn(text));
  for (const name of ['date', 'ratelimit']) delete headers[name];
  return { status: Number(text.split(' ', 2)[1]), headers, body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

describe.each(Object.entries(doors))('%s', (_name, door) => {
  test.each(Object.entries(forms))('%s', async (_form, form) => {
    const came = await ask(door, form);
    expect(came.status).toBe(door.status);
    const isVarying = door.isOfMetrics || door.status === 101;
    if (!isVarying) expect(came).toEqual(await ask(door, forms['a path'] as (typeof forms)[string]));
  });

  test.each(Object.entries(refused))('refuses %s', async (_form, form) => {
    const { status, headers, body } = await ask(door, form);
    // It shows the same to whoever comes to its port.
    if (door.isOfMetrics) return expect([200, 400, 404]).toContain(status);
    expect([204, 400, 404]).toContain(status);
    expect(body).not.toMatch(/node_modules|\n +at /);
    if (door.path.startsWith('/v1')) expect(headers['x-request-id']).toBeDefined();
  });
});
