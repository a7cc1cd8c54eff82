/** Failures by what a body or a stream is, and those of ours, which have a line in the log. Places of errors: error-codes.test.ts. */
import { request as httpRequest } from 'node:http';
import { type GraphQLInputObjectType, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { schema } from '../support/schema.ts';

describe('a failure of a request', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  beforeAll(async () => {
    gateway = await startGateway();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  const send = async (
    init: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> },
    query = '',
  ) => {
    const response = await fetch(`${gateway.address}/graphql${query}`, {
      method: 'POST',
      ...init,
      headers: { 'content-type': 'application/json', 'x-api-key': workspace.key, ...init.headers },
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read errors of every shape
    const body = (await response.json()) as { data?: unknown; errors: any[] };
    return { status: response.status, requestId: response.headers.get('x-request-id'), body };
  };
  const ask = (query: string, variables: object = {}, headers: Record<string, string> = {}) =>
    send({ body: JSON.stringify({ query, variables }), headers });
  const viewer = '{ viewer { name } }';

  test('null for the condition of a directive is an error of the caller', async () => {
    const query = 'query ($is: Boolean = true) { webhooks(first: 1) { nodes @skip(if: $is) { __typename } } }';
    const { body } = await ask(query, { is: null });
    expect(body.errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', status: 400 } }]);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json ;charset=UTF-8',
    'Application/JSON',
  ])('is none for a body of type %s', async (type) => {
    const { status, body } = await send({ body: JSON.stringify({ query: viewer }), headers: { 'content-type': type } });
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { viewer: { name: 'test' } } } });
  });

  test('is the same for a body that is too large, with its length or in chunks', async () => {
    const large = `${JSON.stringify({ query: viewer })}${' '.repeat(maxBodyBytes)}`;
    const refused = { errors: [{ extensions: { code: 'CONTENT_TOO_LARGE', status: 400 } }] };
    expect(await send({ body: large })).toMatchObject({ status: 400, body: refused });
    const chunked = await new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': workspace.key };
      const request = httpRequest(`${gateway.address}/graphql`, { method: 'POST', headers }, async (response) => {
        const text = (await response.toArray()).join('');
        resolve({ status: response.statusCode, body: JSON.parse(text) });
      });
      request.on('error', reject);
      request.write(large.slice(0, 100));
      request.end(large.slice(100));
    });
    expect(chunked).toMatchObject({ status: 400, body: refused });
  });

  test('is the same for a body with too many fields, which is not even parsed', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const fields = Array.from({ length: 20_001 }, (_, n) => `"k${n}":1`).join();
    const refused = { errors: [{ extensions: { code: 'CONTENT_TOO_LARGE', status: 400 } }] };
    expect(await send({ body: `{"query":"${viewer}","variables":{${fields}}}` })).toMatchObject({ body: refused });
    expect(parse.mock.calls.every(([text]) => text.length < 10_000)).toBe(true);
    parse.mockRestore();
  });

  test('quotes no more than 2,000 characters of what was sent', async () => {
    for (const [query, variables] of [
      [`{ ${'x'.repeat(200_000)} }`, {}],
      ['query ($n: Int!) { webhooks(first: $n) { nodes { id } } }', { n: 'x'.repeat(900_000) }],
      ['mutation ($i: EmitEventInput!) { emitEvent(input: $i) { __typename } }', { i: { ['x'.repeat(900_000)]: 1 } }],
    ] as const) {
      const { body } = await ask(query, variables);
      expect(JSON.stringify(body.errors[0]).length).toBeLessThan(6_000);
    }
  });

  describe('of JSON that is nested too deeply', () => {
    /** Paths to every JSON scalar in an argument, as `mutation.input.field`. */
    const jsonInputs = Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap(({ name, args }) => {
      const [input] = args.map(({ type }) => getNamedType(type)).filter(isInputObjectType) as GraphQLInputObjectType[];
      const fields = Object.values(input?.getFields() ?? {}).filter(({ type }) => getNamedType(type).name === 'JSON');
      return fields.map((field) => [name, input?.name ?? '', field.name] as const);
    });
    const nestedIn = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

    test.each(jsonInputs)('is reported to the caller: %s(input: %s).%s', async (mutation, type, field) => {
      const event = { accountId: await workspace.account(), event: 'NEW_RELATION' };
      const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`;
      // As text: JSON.stringify would run out of stack here.
      const deep = async (levels: number) =>
        (
          await send({
            body: `{"query":${JSON.stringify(query)},"variables":{"input":{${JSON.stringify(event).slice(1, -1)},"${field}":${nestedIn(levels)}}}}`,
          })
        ).body;
      const refusedAs = (code: string) => [
        { message: expect.stringContaining('64 levels'), extensions: { code, status: 400 } },
      ];
      const malformed = refusedAs('MALFORMED_REQUEST');
      // Three levels are around the field: the request, its variables and the input.
      for (const levels of [62, 5_000, 15_000]) expect((await deep(levels)).errors).toMatchObject(malformed);
      expect((await deep(61)).errors ?? []).not.toMatchObject(malformed);
      const literal = (levels: number) =>
        ask(
          `mutation { ${mutation}(input: { accountId: "${event.accountId}", event: NEW_RELATION, ${field}: ${nestedIn(levels).replaceAll('"', '')} }) { __typename } }`,
        );
      const invalid = refusedAs('INVALID_PARAMETERS');
      expect((await literal(65)).body.errors).toMatchObject(invalid);
      expect((await literal(64)).body.errors ?? []).not.toMatchObject(invalid);
      expect((await literal(5_000)).body.errors).toMatchObject([{ extensions: { code: 'LIMIT_TOO_HIGH' } }]);
    });

    test('is reported even where nothing reads it: in variables that no operation has, and in extensions', async () => {
      const malformed = { errors: [{ extensions: { code: 'MALFORMED_REQUEST', status: 400 } }] };
      for (const part of ['variables', 'extensions']) {
        for (const levels of [64, 5_000]) {
          const json = `{"query":"${viewer}","${part}":${nestedIn(levels)}}`;
          expect(await send({ body: json })).toMatchObject({ status: 400, body: malformed });
        }
        const inUrl = (levels: number) => `?query=${encodeURIComponent(viewer)}&${part}=${nestedIn(levels)}`;
        expect(await send({ method: 'GET' }, inUrl(64))).toMatchObject({ status: 400, body: malformed });
        expect((await send({ method: 'GET' }, inUrl(63))).status).toBe(200);
      }
    });

    test('covers at least the data of an event', () => {
      expect(jsonInputs).toContainEqual(['emitEvent', 'EmitEventInput', 'data']);
    });
  });

  test('of a subscription has its own status, and names the argument as GraphQL does', async () => {
    for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
      const [argument] = field.args;
      for (const [accept, status] of [
        // Clients read no event of a response that has another.
        ['text/event-stream', 200],
        // Who accepts nothing but JSON is told so before the subscription is opened.
        ['application/json, text/event-stream', 400],
      ] as const) {
        const query = `subscription { ${field.name}(${argument?.name}: "") { __typename } }`;
        const response = await fetch(`${gateway.address}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept, 'x-api-key': workspace.key },
          body: JSON.stringify({ query }),
        });
        const text = await response.text();
        expect(response.status, text).toBe(status);
        expect(text).toContain('"status":400');
        expect(text).toContain('"code":"INVALID_PARAMETERS"');
        expect(text).toContain(argument?.name);
        expect(text).not.toMatch(/\b[a-z]+_id\b/);
      }
    }
  });
});

describe('a failure of ours', () => {
  test('that escapes the executor is masked, has its request id, and is logged', async () => {
    // It cannot be serialized: the failure comes after everything that looks at errors has run.
    const unserializable = {
      toJSON() {
        throw new TypeError('secret-detail of a bug');
      },
    };
    const gateway = await startGateway({
      plugins: [
        {
          onExecute: ({ args }) => {
            const sample = args.schema.getType('EventSample');
            const payload = isObjectType(sample) ? sample.getFields().payload : undefined;
            if (payload === undefined) throw new Error('There is no payload of samples');
            payload.resolve = () => unserializable;
          },
        },
      ],
    });
    const { key } = await gateway.workspace();
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ query: '{ eventSamples { payload } }' }),
    });
    const { errors } = (await response.json()) as { errors: object[] };
    const requestId = response.headers.get('x-request-id');
    expect(errors).toMatchObject([{ extensions: { code: 'UNEXPECTED_ERROR', status: 500, requestId } }]);
    expect(JSON.stringify(errors)).not.toContain('secret-detail');
    const lines = gateway.log.filter(({ level, reqId }) => level === 50 && reqId === requestId);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain('secret-detail');
    await gateway.close();
    // What the plugin has changed is the schema of its gateway alone.
    const other = await startGateway();
    const ofOther = await graphql(other.address, (await other.workspace()).key, '{ eventSamples { payload } }');
    expect(ofOther.errors).toEqual([]);
    await other.close();
  });
});
