import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorTable } from '../src/errors.ts';
import { endpoints } from '../src/rest/endpoints.ts';
import { allowedErrors } from '../src/rest/errors.ts';
import { openApiDocument } from '../src/rest/openapi.ts';
import { fitting, type Schema, unfitting } from './support/arbitrary.ts';
import { type SeededWorkspace, seeded } from './support/backends.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type RestAnswer, rest } from './support/rest.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Described {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly 'application/json': { readonly schema: object } } }>
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

const operations = endpoints.map(({ name, method, path }) => ({ name, method, path: `/v1${path}` }));
const describedAt = (path: string, method: string) => document.paths[path]?.[method.toLowerCase()] as Described;

describe('the OpenAPI document', () => {
  test('is served without a key under both prefixes, and is what the code makes', async () => {
    for (const prefix of ['/v1', '/api/v1']) {
      const answer = await rest(gateway.address, undefined, 'GET', `${prefix}/openapi.json`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
    }
    const wrong = await rest(gateway.address, undefined, 'POST', '/v1/openapi.json');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    // The validator is one that can refuse.
    expect((await new Validator().validate({ ...document, paths: { nowhere: 1 } })).valid).toBe(false);
  });

  test('has every endpoint, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test.each(operations)('lists exactly the answers and error types of $name', ({ name, path, method }) => {
    const endpoint = endpoints.find((each) => each.name === name);
    const { responses } = describedAt(path, method);
    const types = Object.entries(responses).flatMap(([status, { content }]) => {
      const { type } = (content['application/json'].schema as Schema).properties ?? {};
      return Number(status) < 300 ? [] : (type?.enum ?? []).map((each) => `${status} ${each}`);
    });
    const allowed = [...allowedErrors[name]].map((each) => `${errorTable[each].status} errors/${each}`);
    expect(types.sort()).toEqual(allowed.sort());
    expect(Object.keys(responses).filter((status) => status < '300')).toEqual([String(endpoint?.status)]);
  });
});

describe('generated requests', () => {
  let accounts: string[];
  let jobs: string[];
  let webhooks: string[];

  beforeAll(async () => {
    const account = await workspace.account();
    accounts = [account, await workspace.account({ type: 'PHOTONET' }), await workspace.account({ type: 'MAIL' })];
    jobs = [
      await workspace.draft({ accountId: account }),
      await workspace.draft({ accountId: account, scenario: 'otp' }),
      await workspace.draft({ accountId: account, state: 'closed' }),
    ];
    webhooks = [await workspace.webhook(), await workspace.webhook()];
  });

  /** Ids that exist, where the field names something. */
  const known = (name: string): string[] => {
    const ids: Readonly<Record<string, string[]>> = {
      account_id: accounts,
      job_id: jobs,
      draft_id: jobs,
      id: webhooks,
      identifier: ['ACoSandbox1', '900043', 'sandbox.one', 'ACoSandboxInvalidRecipient'],
    };
    return ids[name] ?? [];
  };
  const orKnown = (name: string, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    known(name).length === 0 ? other : fc.oneof({ arbitrary: fc.constantFrom(...known(name)), weight: 3 }, other);

  /** What is put into the URL: text in percent-encoding and, of invalid requests, as it is. */
  const rawText = fc.stringMatching(/^[!-"$-.0->@-~]{1,20}$/);
  const encoded = (value: fc.Arbitrary<unknown>) => value.map((each) => encodeURIComponent(String(each)));

  function requestOf(path: string, method: string, valid: boolean) {
    const { parameters, requestBody } = describedAt(path, method);
    const at = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
    const value = ({ name, schema }: Parameter) => {
      const fits = encoded(orKnown(name, fitting(schema)));
      return valid
        ? fits
        : fc.oneof(fits, rawText, encoded(fc.constantFrom('NaN', '-1', '1e3', '999999999999999999999')));
    };
    const ids = fc.record(Object.fromEntries(at('path').map((parameter) => [parameter.name, value(parameter)])));
    const query = fc.record(Object.fromEntries(at('query').map((parameter) => [parameter.name, value(parameter)])), {
      requiredKeys: valid
        ? at('query')
            .filter(({ required }) => required)
            .map(({ name }) => name)
        : [],
    });
    const schema = requestBody?.content['application/json'].schema;
    const body = schema === undefined ? fc.constant(undefined) : bodyOf(schema, valid);
    return fc.tuple(ids, query, body).map(([ids, query, body]) => ({
      path: `${path.replace(/\{(\w+)\}/g, (_, name) => ids[name] as string)}?${Object.entries(query)
        .map(([name, text]) => `${name}=${text}`)
        .join('&')}`,
      body,
    }));
  }

  function bodyOf(schema: Schema, valid: boolean): fc.Arbitrary<string> {
    const withAccount = (value: unknown, account: unknown) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, 'account_id')
        ? { ...value, account_id: account }
        : value;
    const fits = fc
      .tuple(fitting(schema), fc.constantFrom(...accounts))
      .map(([value, account]) => JSON.stringify(withAccount(value, account)));
    if (valid) return fits;
    return fc.oneof(
      fits,
      { arbitrary: unfitting(schema).map((value) => JSON.stringify(value)), weight: 4 },
      fits.chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))),
      fc.string(),
    );
  }

  function requireDescribed(described: Described, { status, headers, body, text }: RestAnswer): void {
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

  test.each(cases)('$kind ones of $name are answered as described', async ({ path, method, valid }) => {
    const described = describedAt(path, method);
    await fc.assert(
      fc.asyncProperty(requestOf(path, method, valid), async (request) => {
        const answer = await rest(gateway.address, workspace.key, method, request.path, {
          body: request.body as string | undefined,
        });
        requireDescribed(described, answer);
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 60) },
    );
  });

  test('an answer outside the description is noticed', () => {
    const described = describedAt('/v1/webhooks', 'GET');
    const answer = { headers: new Headers({ 'content-type': 'application/json' }), text: '' };
    const envelope = { title: '', type: 'errors/resource_not_found', status: 404 };
    expect(() => requireDescribed(described, { ...answer, status: 404, body: envelope })).toThrow();
    expect(() => requireDescribed(described, { ...answer, status: 200, body: { object: 'WebhookList' } })).toThrow();
  });
});
