/**
 * One dialect of errors: whatever fails, and wherever, the `extensions` of the error say its code, status and request id.
 * Over REST the same failure has its type in the contract's envelope.
 */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { GraphQLError, isEnumType, isInterfaceType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { presentError } from '../../src/graphql/presentation.ts';
import type { IncomingRequest } from '../../src/http/incoming-request.ts';
import { maxBodyBytes } from '../../src/http/request-bodies.ts';
import { type ErrorName, errorNames, errorTable, ServiceError } from '../../src/kernel/errors.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';
import { schema } from '../support/schema.ts';

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly search?: Readonly<Record<string, string>>;
}

interface Told {
  readonly message: string;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** The errors in a response: one object, a batch of them, or a stream of events. */
function errorsIn(text: string): Told[] {
  const results =
    text.startsWith('event:') || text.startsWith(':') ? [...text.matchAll(/^data: (\{.*\})$/gm)] : [[text, text]];
  return results.flatMap(([, json]) => [JSON.parse(json as string)].flat()).flatMap(({ errors = [] }) => errors);
}

/** Sends a request to the GraphQL endpoint of a gateway. */
async function send(gateway: Gateway, key: string, { method = 'POST', headers = {}, body, search = {} }: Sent) {
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries({ 'content-type': 'application/json', 'x-api-key': key, ...headers })) {
    if (value !== undefined) sent[name] = value;
  }
  const response = await fetch(`${gateway.address}/graphql?${new URLSearchParams({ ...search })}`, {
    method,
    headers: sent,
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, requestId: response.headers.get('x-request-id'), text, errors: errorsIn(text) };
}

function expectErrors(errors: readonly Told[], name: ErrorName, requestId: string | null): void {
  expect(errors.length).toBeGreaterThan(0);
  for (const { message, extensions } of errors) {
    expect(extensions, message).toMatchObject({
      code: name.toUpperCase(),
      status: errorTable[name].status,
      requestId,
    });
  }
}

const query = (document: string, variables: object = {}): Sent => ({ body: { query: document, variables } });
const viewer = '{ viewer { name } }';
const webhooks = 'query ($n: Int!) { webhooks(first: $n) { nodes { id } } }';

/** Where an error can come from before anything is executed, and instead of it: what to send, and its error, with the status of HTTP. */
const places: Readonly<Record<string, readonly [Sent, ErrorName, status?: number]>> = {
  'the body: no JSON': [{ body: '{' }, 'malformed_request'],
  'the body: another encoding': [{ body: new Uint8Array([0x22, 0xff, 0x22]) }, 'malformed_request'],
  'the body: compressed': [
    { body: new Uint8Array(gzipSync('{}')), headers: { 'content-encoding': 'gzip' } },
    'malformed_request',
    415,
  ],
  'the body: a number': [{ body: '7' }, 'malformed_request'],
  'the body: empty': [{ body: '' }, 'malformed_request'],
  'the body: too large': [{ body: ' '.repeat(maxBodyBytes + 1) }, 'content_too_large'],
  'the body: nested too deeply': [
    { body: `{"query":"{a}","variables":${'{"a":'.repeat(70)}1${'}'.repeat(71)}` },
    'malformed_request',
  ],
  'the body: a content coding': [{ body: '{}', headers: { 'content-encoding': 'br' } }, 'malformed_request', 415],
  'the body: another type': [
    { body: viewer, headers: { 'content-type': 'application/graphql' } },
    'malformed_request',
    415,
  ],
  'the request: no query': [{ body: {} }, 'malformed_request'],
  'the request: a query that is no text': [{ body: { query: 7 } }, 'malformed_request'],
  'the request: variables that are no object': [{ body: { query: viewer, variables: [] } }, 'malformed_request'],
  'the request: an empty GET': [{ method: 'GET' }, 'malformed_request'],
  'the request: variables of a GET that are no JSON': [
    { method: 'GET', search: { query: viewer, variables: '{' } },
    'malformed_request',
  ],
  'the request: a mutation in a GET': [
    { method: 'GET', search: { query: 'mutation { deleteWebhook(input: { webhookId: "x" }) { __typename } }' } },
    'malformed_request',
    405,
  ],
  'the request: a type that nobody makes': [
    { ...query(viewer), headers: { accept: 'text/csv' } },
    'malformed_request',
    406,
  ],
  'the request: batch of one': [{ body: [{ query: viewer }] }, 'malformed_request'],
  'the request: empty batch': [{ body: [] }, 'malformed_request'],
  parsing: [query('{'), 'malformed_request'],
  'parsing: no such operation': [
    { body: { query: 'query A { viewer { name } }', operationName: 'B' } },
    'malformed_request',
  ],
  validation: [query('{ nothing { ofThe: kind } }'), 'invalid_parameters'],
  'validation: many': [
    query(`{ viewer { ${Array.from({ length: 90 }, (_, n) => `f${n}`).join(' ')} } }`),
    'invalid_parameters',
  ],
  'coercion: a literal': [query('{ webhooks(first: "many") { nodes { id } } }'), 'invalid_parameters'],
  'coercion: a variable': [query(webhooks, { n: 'x' }), 'invalid_parameters'],
  'coercion: a variable that is missing': [query(webhooks), 'invalid_parameters'],
  'coercion: a variable that is null': [query(webhooks, { n: null }), 'invalid_parameters'],
  'coercion: a variable of a mutation': [
    query('mutation ($i: DeleteWebhookInput!) { deleteWebhook(input: $i) { __typename } }', { i: {} }),
    'invalid_parameters',
  ],
  'coercion: a variable of a subscription': [
    query('subscription ($w: ID!) { deliveryUpdated(webhookIds: [$w]) { id } }', { w: {} }),
    'invalid_parameters',
  ],
  'coercion: a variable of a subscription that is missing': [
    query('subscription ($w: ID!) { deliveryUpdated(webhookIds: [$w]) { id } }'),
    'invalid_parameters',
  ],
  'a limit: depth': [query('{ a '.repeat(200)), 'limit_too_high'],
  'a limit: tokens': [query(`{ ${'__typename '.repeat(20_001)} }`), 'limit_too_high'],
  'a limit: entries': [query(viewer, { list: Array(10_001).fill(1) }), 'limit_too_high'],
  'a limit: cost': [
    query(
      '{ posts(accountId: "a", identifier: "b") { nodes { ... on PnetPost { author { posts { nodes { ... on PnetPost { author { posts { nodes { __typename } } } } } } } } } } }',
    ),
    'limit_too_high',
  ],
  'authentication: no key': [{ ...query(viewer), headers: { 'x-api-key': undefined } }, 'missing_credentials'],
  'authentication: a wrong key': [{ ...query(viewer), headers: { 'x-api-key': 'wrong' } }, 'invalid_credentials'],
  'authentication: a subscription without a key': [
    { ...query('subscription { deliveryUpdated { id } }'), headers: { 'x-api-key': undefined } },
    'missing_credentials',
  ],
  'an argument of a read': [query('{ webhooks(first: 251) { nodes { id } } }'), 'limit_too_high'],
  'an argument of a subscription': [
    query('subscription { deliveryUpdated(webhookIds: [""]) { id } }'),
    'invalid_parameters',
  ],
  'an argument of a subscription, as a stream': [
    { ...query('subscription { deliveryUpdated(webhookIds: [""]) { id } }'), headers: { accept: 'text/event-stream' } },
    'invalid_parameters',
  ],
};

describe('an error', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  let failure: Error = new ServiceError('unexpected_error');
  let photonet: string;
  let jobId: string;
  let pnet: string;

  beforeAll(async () => {
    const fail = async () => {
      throw failure;
    };
    gateway = await startGateway({
      providers: (sandbox) => ({
        PNET: { ...sandbox.PNET, editPosting: fail },
        PHOTONET: { listPosts: fail },
      }),
    });
    workspace = await gateway.workspace();
    photonet = await workspace.account({ type: 'PHOTONET' });
    pnet = await workspace.account();
    const draft = `mutation { createJobDraft(input: { accountId: "${pnet}", posting: { jobTitle: { text: "x" } } }) { ... on PnetJobPostingCreated { jobId } } }`;
    const { data, errors } = await graphql(gateway.address, workspace.key, draft);
    expect(errors).toEqual([]);
    jobId = data.createJobDraft.jobId;
  });
  afterAll(() => gateway.close());

  test.each(Object.entries(places))('of %s', async (_place, [sent, name, expected]) => {
    const before = gateway.log.length;
    const { errors, requestId, status } = await send(gateway, workspace.key, sent);
    expectErrors(errors, name, requestId);
    expect(status).toBeLessThan(500);
    if (expected !== undefined) expect(status).toBe(expected);
    // What the caller did wrong is no failure of ours.
    expect(gateway.log.slice(before).filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  test('of a batch is one for all of its requests, as of other servers that take none', async () => {
    const body = [1, 2, 3].map(() => ({ query: viewer }));
    const { text, status, requestId, errors } = await send(gateway, workspace.key, { body });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toHaveProperty('errors');
    expect(errors).toHaveLength(1);
    expectErrors(errors, 'malformed_request', requestId);
  });

  const posts = () => `{ posts(accountId: "${photonet}", identifier: "sandbox.one") { nodes { __typename } } }`;
  const edit = () =>
    `mutation { editJob(input: { accountId: "${pnet}", jobId: "${jobId}", posting: { workplace: REMOTE } }) { __typename ... on ServiceError { code status requestId } } }`;

  test.each(errorNames)('that a network reports: %s', async (name) => {
    failure = new ServiceError(name);
    const { errors, requestId } = await send(gateway, workspace.key, query(posts()));
    expectErrors(errors, name, requestId);
    const { body, status } = await rest(
      gateway.address,
      workspace.key,
      'GET',
      `/v1/users/sandbox.one/posts?account_id=${photonet}`,
    );
    expect(status).toBe(errorTable[body.type.slice('errors/'.length) as ErrorName].status);
    // The contract's envelope has no code.
    expect(Object.keys(body).sort()).toEqual(
      ['instance', 'status', 'title', 'type', ...('detail' in body ? ['detail'] : [])].sort(),
    );
  });

  test.each(errorNames)('of a mutation, as data or at the top: %s', async (name) => {
    failure = new ServiceError(name);
    const { data, errors, headers } = await graphql(gateway.address, workspace.key, edit());
    const told = errors.length > 0 ? errors : [{ message: '', extensions: data.editJob }];
    expectErrors(told, name, headers.get('x-request-id'));
  });

  test('that nobody expected', async () => {
    failure = new TypeError('a bug');
    const { errors, requestId } = await send(gateway, workspace.key, query(posts()));
    expectErrors(errors, 'unexpected_error', requestId);
  });

  test('of a key without the scope, and of one that has expired', async () => {
    const narrow = await workspace.newKey({ scopes: ['posts:read'] });
    const scope = await send(gateway, narrow, query('{ webhooks { nodes { id } } }'));
    expectErrors(scope.errors, 'insufficient_privileges', scope.requestId);
    const expired = await workspace.newKey({ expiresAt: new Date(gateway.clock.now.getTime() - 1) });
    const late = await send(gateway, expired, query(viewer));
    expectErrors(late.errors, 'expired_credentials', late.requestId);
  });

  test('of something that is not there is data, with its code', async () => {
    const { data } = await graphql(
      gateway.address,
      workspace.key,
      `mutation { deleteWebhook(input: { webhookId: "${randomBytes(16).toString('base64url')}" }) { ... on ServiceError { code } } }`,
    );
    expect(data.deleteWebhook).toEqual({ code: 'RESOURCE_NOT_FOUND' });
    const { body } = await rest(gateway.address, workspace.key, 'GET', '/v1/nothing');
    expect(body).toMatchObject({ type: 'errors/resource_not_found', status: 404 });
  });

  test('of an Idempotency-Key is that of any other request over REST', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(256) };
    const webhook = { source: 'users', request_url: 'https://hooks.example/in' };
    const { body } = await rest(gateway.address, workspace.key, 'POST', '/v1/webhooks', { body: webhook, headers });
    expect(body).toMatchObject({ type: 'errors/invalid_parameters', status: 400, instance: expect.any(String) });
  });
});

test.each(['PERSISTED_QUERY_NOT_FOUND', 'PERSISTED_QUERY_NOT_SUPPORTED'])(
  'clients recognize a step of persisted queries by its code, %s: it stays',
  (code) => {
    const error = new GraphQLError('A step', { extensions: { code } });
    const { extensions } = presentError(error, { id: 'request' } as IncomingRequest);
    expect(extensions).toMatchObject({ code, status: 400, requestId: 'request' });
  },
);

describe('the enum of error codes', () => {
  test('has a value for each type of error, and no other', () => {
    const codes = schema.getType('ErrorCode');
    expect(isEnumType(codes) && codes.getValues().map(({ name }) => name)).toEqual(
      errorNames.map((name) => name.toUpperCase()).sort(),
    );
  });

  test('is the type of `code` on ServiceError', () => {
    const error = schema.getType('ServiceError');
    expect(isInterfaceType(error) && String(error.getFields().code?.type)).toBe('ErrorCode!');
  });
});
