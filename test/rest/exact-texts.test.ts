/**
 * What a caller sends reaches the networks or the service as it is, or is refused: no text is repaired on the way. Every
 * parameter of every endpoint, every body, and each way in which GraphQL takes texts; on both backends.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathParameters } from '../../src/kernel/endpoint.ts';
import { allowedErrors } from '../../src/rest/allowed-errors.ts';
import { endpoints, prefixes } from '../../src/rest/endpoints.ts';
import { startGateway } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';
import { json, postList, proxyTo, startStub } from '../support/stub.ts';

/** What stands for no text in a URL. */
const undecodable = {
  'a byte that is no UTF-8': '%FF',
  'one among letters': 'a%ffb',
  'a continuation alone': '%80',
  'a sequence that is cut off': '%E0%A4',
  'the overlong form of a slash': '%C0%AF',
  'half of a surrogate pair': '%ED%A0%80',
  'a pair in CESU-8': '%ED%A0%BD%ED%B8%80',
  'beyond Unicode': '%F4%90%80%80',
  'a percent sign that encodes nothing': '%zz',
  'a percent sign alone': '%',
  'a letter that is not encoded': 'caf\u00e9',
} as const;

/** What stands for one text only. */
const decodable = { '%C3%A9': 'é', '%F0%9F%98%80': '😀', '%EF%BF%BD': '\ufffd', '%EF%BB%BFa': '\ufeffa' } as const;

const halves = ['\\ud800', '\\udc00\\ud83d', 'a\\uDBFFb'];

interface Served {
  readonly address: string;
  readonly key: string;
  /** The cursors and ids that a service was asked with; null in embedded mode. */
  readonly asked: (() => string[]) | null;
}

const backends: Readonly<Record<string, () => Promise<Served>>> = {
  async embedded() {
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    const { key } = await gateway.workspace();
    return { address: gateway.address, key, asked: null };
  },
  async upstream() {
    const stub = await startStub((_request, response) => json(response, 200, postList([])));
    const { address } = await proxyTo(stub);
    return { address, key: 'their-key', asked: () => stub.received.map(({ path }) => path) };
  },
};

const inUrls = endpoints.flatMap((endpoint) => [
  ...pathParameters(endpoint).map((name) => [endpoint.name, name, 'path'] as const),
  ...Object.keys(endpoint.query ?? {}).map((name) => [endpoint.name, name, 'query'] as const),
]);

const endpointOf = (name: string) => {
  const endpoint = endpoints.find((each) => each.name === name);
  if (endpoint === undefined) throw new Error(`There is no endpoint ${name}`);
  return endpoint;
};

describe.each(Object.entries(backends))('on the %s backend', (_name, serve) => {
  test.each(inUrls)('%s: %s in the %s', async (name, parameter, place) => {
    const { address, key, asked } = await serve();
    const endpoint = endpointOf(name);
    const type = allowedErrors(endpoint.name).includes('unescaped_characters')
      ? 'errors/unescaped_characters'
      : 'errors/unprocessable_entity';
    const others = Object.keys(endpoint.query ?? {}).filter((each) => each !== parameter && each !== 'is_company');
    const query = others.map((each) => `${each}=1`);
    for (const [what, text] of Object.entries(undecodable)) {
      for (const prefix of prefixes) {
        const path = endpoint.path.replaceAll(/\{(\w+)\}/g, place === 'path' ? text : '1');
        const sent = place === 'path' ? query : [`${parameter}=${text}`, ...query];
        const { status, body } = await rest(address, key, endpoint.method, `${prefix}${path}?${sent.join('&')}`, {
          body: endpoint.body ? {} : undefined,
        });
        expect({ what, type: body.type, status }).toEqual({ what, type, status: body.status });
        expect(body.detail, what).toMatch(/percent|UTF-8/);
      }
    }
    expect(asked?.() ?? []).toEqual([]);
  });

  test.each(['POSTS', 'WHLIST'])('%s: what is encoded well goes on as it is', async (name) => {
    const { address, key, asked } = await serve();
    const { path, method } = endpointOf(name);
    for (const [encoded, text] of Object.entries(decodable)) {
      const query = `account_id=a&cursor=${encoded}&other=%FF`;
      const { body } = await rest(address, key, method, `/v1${path.replace(/\{\w+\}/, 'ACo1')}?${query}`);
      expect(body.type).not.toBe('errors/unescaped_characters');
      if (asked === null) continue;
      const url = new URL(asked().at(-1) ?? '', 'http://x');
      expect(url.searchParams.get('cursor')).toBe(text);
    }
  });

  test.each(endpoints.filter(({ body }) => body).map(({ name }) => name))('%s: the body', async (name) => {
    const { address, key, asked } = await serve();
    const { path, method } = endpointOf(name);
    for (const half of halves) {
      for (const body of [`{"account_id":"${half}"}`, `{"${half}":1}`, `{"a":[{"b":["${half}"]}]}`]) {
        const response = await rest(address, key, method, `/v1${path.replace(/\{\w+\}/, '1')}`, { body });
        // EDIT has no 400.
        expect(response.body.type, body).toMatch(/^errors\/(?:malformed_request|unprocessable_entity)$/);
        expect(response.body.detail, body).toContain('surrogate');
      }
    }
    expect(asked?.() ?? []).toEqual([]);
  });

  const document = 'query ($id: String!) { posts(accountId: "a", identifier: $id) { pageInfo { endCursor } } }';
  const inVariables = (half: string) => `{"id":"${half}"}`;
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const event = { ...headers, accept: 'text/event-stream' };
  const post = (body: (half: string) => string, sent = headers) => ({ method: 'POST', body, query: null, sent });
  const get = (query: (text: string) => string, sent = headers) => ({ method: 'GET', body: null, query, sent });

  const whole = {
    variables: post((half) => `{"query":${JSON.stringify(document)},"variables":${inVariables(half)}}`),
    'variables of a stream': post(
      (half) => `{"query":${JSON.stringify(document)},"variables":${inVariables(half)}}`,
      event,
    ),
    'a name': post((half) => `{"query":"{ __typename }","operationName":"${half}"}`),
    extensions: post((half) => `{"query":"{ __typename }","extensions":{"${half}":1}}`),
    'variables of GET': get(
      (half) => `query=${encodeURIComponent(document)}&variables=${encodeURIComponent(inVariables(half))}`,
    ),
  };
  test.each(Object.entries(whole))('GraphQL: %s', async (_what, { method, body, query, sent }) => {
    const { address, key, asked } = await serve();
    for (const half of halves) {
      const url = `/graphql${query === null ? '' : `?${query(half)}`}`;
      const options = { headers: sent, body: body?.(half) };
      const { status, text } = await rest(address, key, method, url, options);
      // The event of a stream has the error: clients read none with another status.
      expect([status, text], half).toEqual([sent === event ? 200 : 400, expect.stringContaining('surrogate')]);
    }
    expect(asked?.() ?? []).toEqual([]);
  });

  const inUrl = ['query', 'variables', 'extensions', 'operationName', 'documentId', 'doc_id'];
  test.each(inUrl)('GraphQL: %s in the URL', async (parameter) => {
    const { address, key } = await serve();
    for (const [what, text] of Object.entries(undecodable)) {
      const { status, body } = await rest(address, key, 'GET', `/graphql?${parameter}=${text}`, { headers });
      // What is no URL is refused before it has a route.
      const code = body.errors?.[0]?.extensions.code ?? body.type.slice('errors/'.length).toUpperCase();
      expect({ what, status, code }).toEqual({ what, status: 400, code: 'UNESCAPED_CHARACTERS' });
    }
  });

  test('GraphQL: a literal of a lone surrogate is a syntax error', async () => {
    const { address, key, asked } = await serve();
    for (const literal of ['"\\ud800"', '"\\u{d800}"']) {
      const query = document.replace('$id }', '').replace('identifier: $id', `identifier: ${literal}`);
      const { body } = await rest(address, key, 'POST', '/graphql', { body: { query } });
      expect(body.errors[0].message).toContain('Unicode');
    }
    expect(asked?.() ?? []).toEqual([]);
  });
});
