/**
 * Every response of a face has an id, what a page of another origin needs to read it, and what keeps it out of caches: also those
 * that are written below all routes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { headersIn, sendBytes } from '../support/raw-http.ts';

const origin = 'https://app.example';

let gateway: Gateway;
let workspace: TestWorkspace;
beforeAll(async () => {
  gateway = await startGateway({ environment: { CORS_ORIGINS: origin, KEYLESS_PER_MINUTE: '1' } });
  workspace = await gateway.workspace();
});
afterAll(() => gateway.close());

interface Sent {
  readonly line: string;
  readonly head?: readonly string[];
  readonly body?: string;
  readonly host?: string | null;
  readonly keyless?: true;
  readonly status: number;
}

const json = (body: string, more: readonly string[] = []) => ({
  head: ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, ...more],
  body,
});
const upgrade = ['upgrade: websocket', 'connection: upgrade', 'sec-websocket-protocol: graphql-transport-ws'];
const key = 'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==';

const cases: Readonly<Record<string, Sent>> = {
  'a body that is no JSON': { line: 'POST /graphql', ...json('{'), status: 400 },
  'a body of REST without a key': { line: 'POST /v1/webhooks', ...json('{'), keyless: true, status: 401 },
  'no Host': { line: 'GET /v1/webhooks', host: null, status: 400 },
  'a Host that is none': { line: 'GET /graphql', host: 'a b', status: 400 },
  'no key': { line: 'GET /v1/webhooks', keyless: true, status: 401 },
  'a resource that there is not': { line: 'GET /v1/nothing', status: 404 },
  'another method': { line: 'DELETE /graphql', status: 405 },
  'nothing that is accepted': { line: 'GET /graphql?query=%7Ba%7D', head: ['accept: text/csv'], status: 406 },
  'a body that is too large': {
    line: 'POST /graphql',
    head: ['content-type: application/json', `content-length: ${maxBodyBytes + 1}`],
    status: 400,
  },
  'another content type': {
    line: 'POST /graphql',
    head: ['content-type: text/plain', 'content-length: 2'],
    body: '{}',
    status: 415,
  },
  'a header that is too long': { line: 'GET /graphql', head: [`authorization: ${'x'.repeat(3_000)}`], status: 400 },
  'headers that are too long': { line: 'GET /graphql', head: [`x: ${'x'.repeat(20_000)}`], status: 400 },
  'a header that is none': { line: 'GET /graphql', head: ['a b: c'], status: 400 },
  'a target with other characters': { line: 'GET /v1/users/\x01/posts', status: 422 },
  'two lengths': { line: 'POST /graphql', head: ['content-length: 1', 'content-length: 2'], status: 400 },
  'a chunk that is none': {
    line: 'POST /graphql',
    head: ['content-type: application/json', 'transfer-encoding: chunked'],
    body: 'zz\r\n',
    status: 400,
  },
  'a WebSocket of no version': { line: 'GET /graphql', head: [...upgrade, key], status: 426 },
  'a WebSocket without a key': { line: 'GET /graphql', head: [...upgrade, 'sec-websocket-version: 13'], status: 400 },
  'a request too many': { line: 'GET /graphql?query=%7B__typename%7D', keyless: true, status: 503 },
};

async function ask({ line, head = [], body = '', host = 'x', keyless }: Sent, from: string | null) {
  const headers = [
    ...(host === null ? [] : [`host: ${host}`]),
    ...(from === null ? [] : [`origin: ${from}`]),
    ...(keyless === true ? [] : [`x-api-key: ${workspace.key}`]),
    ...(head.includes('connection: upgrade') ? [] : ['connection: close']),
    ...head,
  ];
  const text = await sendBytes(gateway.address, `${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
  return { status: Number(text.split(' ', 2)[1]), headers: headersIn(text) };
}

describe.each(Object.entries(cases))('%s', (name, sent) => {
  test('is shown to a page of an allowed origin', async () => {
    if (name === 'a request too many') await ask(sent, origin);
    const { status, headers } = await ask(sent, origin);
    expect(status).toBe(sent.status);
    expect(headers.get('x-request-id')).toMatch(/^[\w.-]{8,64}$/);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toContain('x-request-id');
    expect(headers.get('vary')).toContain('origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('is not shown to another one', async () => {
    const { headers } = await ask(sent, 'https://other.example');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('vary')).toContain('origin');
    expect((await ask(sent, null)).headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('a page reads the response to its own request', async () => {
  const headers = { origin, 'x-api-key': workspace.key, 'content-type': 'application/json' };
  const body = '{"query":"{ viewer { __typename } }"}';
  const response = await fetch(`${gateway.address}/graphql`, { method: 'POST', headers, body });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
});
