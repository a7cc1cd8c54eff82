import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorTable } from '../../src/kernel/errors.ts';
import { allowedErrors } from '../../src/rest/allowed-errors.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { openApiDocument } from '../../src/rest/openapi.ts';
import { invalidFor, type Schema, validFor } from '../support/arbitrary.ts';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type RestResponse, rest } from '../support/rest.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Described {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers: Readonly<Record<string, object>>;
        readonly content: { readonly 'application/json': { readonly schema: object } };
      }
    >
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

let gateway: Gateway;
let workspace: SeededWorkspace;
let document: Document;

beforeAll(async () => {
  gateway = await startGateway({ environment: { LOG_LEVEL: 'error' } });
  workspace = await seeded(gateway, gateway.address).workspace();
  document = (await rest(gateway.address, undefined, 'GET', '/v1/openapi.json')).body;
});
afterAll(() => gateway.close());

const operations = endpoints.map(({ name, operationId, method, path }) => ({
  name,
  operationId,
  method,
  path: `/v1${path}`,
}));
const describedAt = (path: string, method: string) => document.paths[path]?.[method.toLowerCase()] as Described;

describe('the OpenAPI document', () => {
  test('is served without a key under both prefixes', async () => {
    for (const prefix of ['/v1', '/api/v1']) {
      const response = await rest(gateway.address, undefined, 'GET', `${prefix}/openapi.json`);
      expect(response.status).toBe(200);
      expect(response.body).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    }
    const wrong = await rest(gateway.address, undefined, 'POST', '/v1/openapi.json');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([400, 'GET, HEAD']);
  });

  test('lists the currencies that are accepted', () => {
    const { requestBody } = describedAt('/v1/pnet/jobs/{job_id}', 'PATCH');
    const { salary } = requestBody?.content['application/json'].schema.properties ?? {};
    const codes = salary?.properties?.currency?.enum;
    // Of money, of a fund, of a metal, and replaced.
    expect(codes).toEqual(expect.arrayContaining(['EUR', 'USD', 'VED', 'CHE', 'XAU', 'DEM']));
    expect(codes).not.toContain('XYZ');
  });

  test('gives each limit its maximum and its default', () => {
    const limits = Object.entries(document.paths).flatMap(([path, { get }]) =>
      (get?.parameters ?? []).filter(({ name }) => name === 'limit').map(({ schema }) => ({ path, schema })),
    );
    expect(limits).toMatchObject([
      { path: '/v1/users/{identifier}/posts', schema: { minimum: 1, maximum: 100, default: 100 } },
      { path: '/v1/webhooks', schema: { minimum: 1, maximum: 250, default: 100 } },
    ]);
  });

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    // The validator can refuse.
    expect((await new Validator().validate({ ...document, paths: { nowhere: 1 } })).valid).toBe(false);
  });

  test('has every endpoint, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test.each(operations)('names $method $path $operationId', ({ operationId, path, method }) => {
    expect(describedAt(path, method).operationId).toBe(operationId);
  });

  test.each(operations)('lists exactly the statuses and error types of $name', ({ name, path, method }) => {
    const endpoint = endpoints.find((each) => each.name === name);
    const { responses } = describedAt(path, method);
    const types = Object.entries(responses).flatMap(([status, { content }]) => {
      const { type } = (content['application/json'].schema as Schema).properties ?? {};
      return Number(status) < 300 ? [] : (type?.enum ?? []).map((each) => `${status} ${each}`);
    });
    const allowed = allowedErrors(name).map((each) => `${errorTable[each].status} errors/${each}`);
    expect(types.sort()).toEqual(allowed.sort());
    expect(Object.keys(responses).filter((status) => status < '300')).toEqual([String(endpoint?.status)]);
  });
});

describe('the headers of responses', () => {
  const describedHeaders = (path: string, method: string, status: number) =>
    Object.keys(describedAt(path, method).responses[status]?.headers ?? {});
  /** Those that say something about the request, and not about HTTP. */
  const own = ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after', 'idempotency-replayed'];
  const sentBy = ({ headers }: RestResponse) => own.filter((name) => headers.has(name));

  test.each(operations)('are described where $method $path sends them', async ({ method, path }) => {
    const limited = await startGateway({ environment: { REQUESTS_PER_MINUTE: '1', LOG_LEVEL: 'error' } });
    const { key } = await limited.workspace();
    const send = () => rest(limited.address, key, method, path.replace(/\{\w+\}/, 'ACoSandbox250'), { body: {} });
    const [first, refused] = [await send(), await send()];
    expect(sentBy(first)).toEqual(['x-request-id', 'ratelimit', 'ratelimit-policy']);
    expect(sentBy(refused)).toEqual(['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after']);
    for (const response of [first, refused]) {
      expect(describedHeaders(path, method, response.status)).toEqual(expect.arrayContaining(sentBy(response)));
    }
    await limited.close();
  });

  test('say that a response is a repeated one', async () => {
    const body = { source: 'users', request_url: 'https://hooks.example/in' };
    const headers = { 'idempotency-key': 'described' };
    const create = () => rest(gateway.address, workspace.key, 'POST', '/v1/webhooks', { body, headers });
    await create();
    const repeated = await create();
    expect(sentBy(repeated)).toContain('idempotency-replayed');
    expect(describedHeaders('/v1/webhooks', 'POST', 201)).toEqual(expect.arrayContaining(sentBy(repeated)));
  });
});

describe('generated requests', () => {
  /** One that can do everything, and others. */
  let accounts: { readonly good: string; readonly all: readonly string[] };

  beforeAll(async () => {
    const good = await workspace.account();
    const others = await Promise.all([
      workspace.account({ type: 'PHOTONET' }),
      workspace.account({ type: 'MAIL' }),
      workspace.account({ status: 'STOPPED' }),
    ]);
    accounts = { good, all: [good, ...others] };
  });

  /** Markers in a path for what is created right before the request is sent. */
  const fresh = {
    'fresh-draft': () => workspace.draft({ accountId: accounts.good }),
    'fresh-otp': () => workspace.draft({ accountId: accounts.good, scenario: 'otp' }),
    'fresh-checkpoint': async () => {
      const draftId = await workspace.draft({ accountId: accounts.good, scenario: 'otp' });
      const body = { account_id: accounts.good, mode: 'FREE' };
      await rest(gateway.address, workspace.key, 'POST', `/v1/pnet/jobs/${draftId}/publish`, { body });
      return draftId;
    },
    'fresh-closed': () => workspace.draft({ accountId: accounts.good, state: 'closed' }),
    'fresh-webhook': () => workspace.webhook(),
  };
  async function made(path: string): Promise<string> {
    const [found, make] = Object.entries(fresh).find(([marker]) => path.includes(marker)) ?? [];
    return found === undefined || make === undefined ? path : path.replace(found, await make());
  }

  const jobIds = ['fresh-draft', 'fresh-otp', 'fresh-checkpoint', 'fresh-closed'];
  /** Texts that name something that exists. */
  const existing: Readonly<Record<string, readonly string[]>> = {
    job_id: jobIds,
    draft_id: [...jobIds, 'fresh-checkpoint', 'fresh-checkpoint'],
    id: ['fresh-webhook'],
    identifier: ['ACoSandbox1', 'ACoSandbox1', '900043', 'sandbox.one', 'ACoSandboxInvalidRecipient'],
  };

  /** Text as it is, without percent-encoding, for invalid requests. */
  const rawText = fc.stringMatching(/^[!-"$-.0->@-~]{1,20}$/);
  const odd = fc.constantFrom('NaN', '-1', '1e3', '999999999999999999999');

  function parameterText({ name, schema }: Parameter, valid: boolean): fc.Arbitrary<string> {
    const known =
      name === 'account_id' ? [accounts.good, accounts.good, accounts.good, ...accounts.all] : (existing[name] ?? []);
    const any = validFor(schema).map((value) => encodeURIComponent(String(value)));
    const fits = known.length === 0 ? any : fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 5 }, any);
    return valid ? fits : fc.oneof(fits, rawText, odd);
  }

  function requestOf({ parameters, requestBody }: Described, path: string, valid: boolean) {
    const texts = (place: Parameter['in']) => {
      // A valid cursor has been returned before: it cannot be generated.
      const used = parameters.filter((parameter) => parameter.in === place && !(valid && parameter.name === 'cursor'));
      return fc.record(Object.fromEntries(used.map((parameter) => [parameter.name, parameterText(parameter, valid)])), {
        requiredKeys: used.filter(({ required }) => place === 'path' || (valid && required)).map(({ name }) => name),
      });
    };
    const schema = requestBody?.content['application/json'].schema;
    const body = schema === undefined ? fc.constant(undefined) : bodyOf(schema, valid);
    return fc.tuple(texts('path'), texts('query'), body).map(([ids, query, body]) => {
      const search = Object.entries(query).map(([name, text]) => `${name}=${text}`);
      return { path: `${path.replace(/\{(\w+)\}/g, (_, name) => ids[name] as string)}?${search.join('&')}`, body };
    });
  }

  function bodyOf(schema: Schema, valid: boolean): fc.Arbitrary<string> {
    const account = fc.oneof({ arbitrary: fc.constant(accounts.good), weight: 3 }, fc.constantFrom(...accounts.all));
    const fits = fc
      .tuple(validFor(schema) as fc.Arbitrary<Record<string, unknown>>, account, fc.nat(3))
      .map(([value, account, solves]) =>
        JSON.stringify({
          ...value,
          ...(value.account_id === undefined ? {} : { account_id: account }),
          ...(value.account_ids === undefined ? {} : { account_ids: [account] }),
          ...(value.input !== undefined && solves > 0 ? { input: '123456' } : {}),
        }),
      );
    if (valid) return fits;
    return fc.oneof(
      fits,
      { arbitrary: invalidFor(schema).map((value) => JSON.stringify(value)), weight: 4 },
      fits.chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))),
      fc.string(),
    );
  }

  function requireDescribed(described: Described, { status, headers, body, text }: RestResponse): void {
    expect(headers.get('content-type')).toMatch(/^application\/json(;|$)/);
    const schema = described.responses[status]?.content['application/json'].schema;
    expect(schema, `status ${status}: ${text}`).toBeDefined();
    const { error } = z.fromJSONSchema(schema as never).safeParse(body);
    expect(error, text).toBeUndefined();
    expect(status, text).toBeLessThan(500);
  }

  const cases = operations.flatMap((operation) => [
    { ...operation, kind: 'valid', valid: true },
    { ...operation, kind: 'invalid', valid: false },
  ]);

  test.each(cases)('$kind requests to $name get responses as described', async ({ path, method, valid, kind }) => {
    const described = describedAt(path, method);
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requestOf(described, path, valid), async (request) => {
        const response = await rest(gateway.address, workspace.key, method, await made(request.path), {
          body: request.body,
        });
        requireDescribed(described, response);
        statuses.add(response.status);
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 60) },
    );
    // The generator is worth something: valid requests get through, invalid ones are refused.
    expect([...statuses].some((status) => (kind === 'valid' ? status < 300 : status >= 400))).toBe(true);
  });

  test('a response that does not fit the description is noticed', () => {
    const described = describedAt('/v1/webhooks', 'GET');
    const response = { headers: new Headers({ 'content-type': 'application/json' }), text: '' };
    const envelope = { title: '', type: 'errors/resource_not_found', status: 404 };
    expect(() => requireDescribed(described, { ...response, status: 404, body: envelope })).toThrow();
    expect(() => requireDescribed(described, { ...response, status: 200, body: { object: 'WebhookList' } })).toThrow();
  });
});
