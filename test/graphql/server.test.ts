/** The GraphQL face over HTTP: requests it accepts, errors it returns, and what it hides. */
import { request as httpRequest } from 'node:http';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import type { Providers } from '../../src/providers/provider.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';

describe('over HTTP', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  let accountId: string;
  let url: string;

  beforeAll(async () => {
    gateway = await startGateway({
      providers: (sandbox): Providers => ({
        ...sandbox,
        PHOTONET: {
          async listPosts() {
            throw new TypeError('secret-detail of a bug');
          },
        },
      }),
    });
    workspace = await gateway.workspace();
    accountId = await workspace.account({ type: 'PHOTONET' });
    url = `${gateway.address}/graphql`;
  });
  afterAll(() => gateway.close());

  const send = (init: RequestInit & { headers?: Record<string, string> }, to = url) =>
    fetch(to, { ...init, headers: { 'x-api-key': workspace.key, ...init.headers } });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    send({
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const viewer = '{ viewer { name } }';
  const made = () => gateway.app.database.selectFrom('webhooks').select('id').execute();
  const mutation = `mutation { createWebhook(input: { requestUrl: "https://hooks.example", source: USERS }) { __typename } }`;

  test('responds to a POST of JSON', async () => {
    const response = await post({ query: viewer });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/(graphql-response\+)?json/);
    expect(await response.json()).toEqual({ data: { viewer: { name: 'test' } } });
  });

  test('responds with application/graphql-response+json to clients that accept it', async () => {
    const accept = { accept: 'application/graphql-response+json' };
    const good = await post({ query: viewer }, accept);
    expect(good.headers.get('content-type')).toMatch(/^application\/graphql-response\+json/);
    expect((await post({ query: '{ nothing }' }, accept)).status).toBe(400);
    expect((await post({ query: '{' }, accept)).status).toBe(400);
  });

  test('runs the named operation with its variables', async () => {
    const query = 'query A { a: __typename } query B($id: ID!) { account(accountId: $id) { accountId } }';
    const answer = await post({ query, operationName: 'B', variables: { id: accountId } });
    expect(await answer.json()).toEqual({ data: { account: { accountId } } });
    expect(((await (await post({ query })).json()) as { errors: unknown[] }).errors).toHaveLength(1);
  });

  test('runs a query over GET, and refuses a mutation', async () => {
    const get = (query: string) => send({ method: 'GET' }, `${url}?query=${encodeURIComponent(query)}`);
    expect(await (await get(viewer)).json()).toEqual({ data: { viewer: { name: 'test' } } });
    const refused = await get(mutation);
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('POST');
    expect(await made()).toEqual([]);
  });

  test.each([
    ['multipart/form-data; boundary=x', `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{}\r\n--x--`],
    ['application/x-www-form-urlencoded', `query=${encodeURIComponent(mutation)}`],
    ['text/plain', JSON.stringify({ query: mutation })],
    ['application/graphql', mutation],
    ['application/graphql+json', JSON.stringify({ query: mutation })],
  ])('refuses a body of type %s', async (type, body) => {
    const response = await send({ method: 'POST', headers: { 'content-type': type }, body });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'MALFORMED_REQUEST' } }] });
    expect(await made()).toEqual([]);
  });

  test('does not let other sites read responses', async () => {
    const response = await post({ query: viewer }, { origin: 'https://elsewhere.example' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('refuses a batch', async () => {
    const response = await post([{ query: viewer }, { query: viewer }]);
    expect(response.status).toBe(400);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).not.toContain('"data":{');
  });

  test.each(['', 'null', '7', '"text"', '{', '{}', '{"query":7}', '{"query":null}', '[]'])(
    'refuses the body %j without failing',
    async (body) => {
      const response = await post(body, { accept: 'application/graphql-response+json' });
      expect(response.status).toBe(400);
      const { errors } = (await response.json()) as { errors: { message: string }[] };
      expect(errors).toHaveLength(1);
      expect(errors[0]?.message).not.toMatch(/unexpected error/i);
    },
  );

  test('limits the size of a body, with or without content-length', async () => {
    const filler = ' '.repeat(maxBodyBytes);
    const declared = await post(JSON.stringify({ query: viewer }) + filler);
    expect(declared.status).toBe(400);
    expect(await declared.json()).toMatchObject({
      errors: [{ extensions: { code: 'CONTENT_TOO_LARGE', status: 400 } }],
    });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(
        url,
        { method: 'POST', headers: { 'content-type': 'application/json', 'x-api-key': workspace.key } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject);
      request.write(JSON.stringify({ query: viewer }));
      request.end(filler);
    });
    expect(status).toBe(400);
    const nearly = await post(`${JSON.stringify({ query: viewer })}${' '.repeat(maxBodyBytes - 200)}`);
    expect(nearly.status).toBe(200);
  });

  test('limits the number of tokens of a document', async () => {
    const { errors } = await graphql(gateway.address, workspace.key, `{ ${'__typename '.repeat(20_001)} }`);
    expect(errors[0]?.message).toMatch(/token/);
  });

  test('reports mistakes in a document', async () => {
    const of = async (query: string) => (await graphql(gateway.address, workspace.key, query)).errors[0]?.message;
    expect(await of('{')).toMatch(/Syntax Error/);
    expect(await of('{ nothing }')).toMatch(/Cannot query field "nothing"/);
    expect(await of('query ($x: Int!) { webhooks(first: $x) { nodes { id } } }')).toMatch(/\$x/);
    expect(await of('{ webhooks(first: "many") { nodes { id } } }')).toMatch(/Int cannot represent/);
  });

  test('masks an unexpected error, and logs it with the id of the request', async () => {
    const { headers, status, data, errors } = await graphql(
      gateway.address,
      workspace.key,
      'query ($id: ID!) { posts(accountId: $id, identifier: "sandbox.one") { nodes { __typename } } }',
      { id: accountId },
    );
    const requestId = headers.get('x-request-id');
    expect(status).toBe(200);
    expect(data).toEqual({ posts: null });
    expect(errors).toMatchObject([
      {
        path: ['posts'],
        extensions: { code: 'UNEXPECTED_ERROR', status: 500, requestId },
      },
    ]);
    expect(JSON.stringify(errors)).not.toMatch(/secret-detail|TypeError|stack|\.ts/);
    const lines = gateway.log.filter(({ reqId, level }) => reqId === requestId && level === 50);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain('secret-detail');
  });

  test('echoes a request id that is safe to log, and replaces any other', async () => {
    const answered = async (id: string) =>
      (await post({ query: viewer }, { 'x-request-id': id })).headers.get('x-request-id');
    expect(await answered('my-request_1.2')).toBe('my-request_1.2');
    for (const id of ['short', 'x'.repeat(65), 'with space in it', 'quote"quote"']) {
      expect(await answered(id)).toMatch(/^[0-9a-f-]{36}$/);
    }
    const failed = await post('{', { 'x-request-id': 'my-request_2' });
    expect(failed.headers.get('x-request-id')).toBe('my-request_2');
    const refused = await send({ method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' });
    const { errors } = (await refused.json()) as { errors: { extensions: { requestId: string } }[] };
    expect(errors[0]?.extensions.requestId).toBe(refused.headers.get('x-request-id'));
  });

  test('gives an error its code, status, request id and issues', async () => {
    const { headers, errors } = await graphql(
      gateway.address,
      workspace.key,
      '{ webhooks(first: 251) { nodes { id } } }',
    );
    expect(errors[0]?.extensions).toEqual({
      code: 'LIMIT_TOO_HIGH',
      status: 400,
      requestId: headers.get('x-request-id'),
      issues: [{ path: ['first'], code: 'TOO_LARGE', limit: 250, message: 'must be at most 250' }],
    });
  });

  test('allows introspection without a key, and nothing else', async () => {
    const introspection = await graphql(gateway.address, undefined, getIntrospectionQuery());
    expect(introspection.errors).toEqual([]);
    expect(introspection.data.__schema.types.length).toBeGreaterThan(50);
    for (const query of [
      viewer,
      `{ __typename ${viewer.slice(1)}`,
      '{ ...F } fragment F on Query { viewer { name } }',
    ]) {
      const { status, data, errors } = await graphql(gateway.address, undefined, query);
      expect(status).toBe(401);
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'MISSING_CREDENTIALS', status: 401 } }]);
    }
  });

  test('logs no key, header value or variable', async () => {
    await graphql(gateway.address, workspace.key, 'query ($x: String!) { account(accountId: $x) { id } }', {
      x: 'a-variable-value',
    });
    const text = JSON.stringify(gateway.log);
    expect(text).not.toContain(workspace.key);
    expect(text).not.toContain('a-variable-value');
  });
});
