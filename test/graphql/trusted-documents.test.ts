/** Trusted documents: manifests of every format, what is executed and what is refused, by every way in and of execution. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readManifest } from '../../src/graphql/documents/document-manifest.ts';
import { ConfigError } from '../../src/kernel/config-error.ts';
import { documentsOfPages } from '../../src/pages/documents.ts';
import { startBothWays } from '../compiled/both-ways.ts';
import { type Gateway, type GatewayOptions, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { temporaryDirectory } from '../support/process.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const persisted = (id: string) => ({ persistedQuery: { version: 1, sha256Hash: id } });

const documents = {
  viewer: 'query Viewer { viewer { __typename } }',
  account: 'query Account($accountId: ID!) { account(accountId: $accountId) { accountId } }',
  'sha256:prefixed': 'query Prefixed($accountId: ID!) { account(accountId: $accountId) { accountId } }',
  watch: 'subscription Watch { deliveryUpdated { state } }',
  posts: 'query Posts { posts(accountId: "a", identifier: "b", first: 1) { nodes { __typename } } }',
} as const;
const other = 'query Other { viewer { name } }';

const apolloManifest = (operations: readonly object[], version: unknown = 1) => ({
  format: 'apollo-persisted-query-manifest',
  version,
  operations,
});

/** A file that ends with the test, or with the suite. */
async function manifestFile(content: object, whenDone: (close: () => PromiseLike<void>) => void = onTestFinished) {
  const directory = await temporaryDirectory();
  whenDone(() => directory[Symbol.asyncDispose]());
  const file = join(directory.path, 'documents.json');
  await writeFile(file, JSON.stringify(content));
  return file;
}

describe('a manifest', () => {
  const operation = { id: 'a', name: 'Viewer', type: 'query', body: documents.viewer };

  test.each([
    ['Relay, and the client preset', { a: documents.viewer }],
    ['Apollo', apolloManifest([operation, operation])],
  ])('of %s is read', (_of, content) => {
    expect([...readManifest(content)]).toEqual([['a', documents.viewer]]);
  });

  test.each<readonly [object, string]>([
    [{}, 'without documents'],
    [apolloManifest([]), 'without documents'],
    [{ a: 1 }, 'is no manifest'],
    [{ '': documents.viewer }, 'is no manifest'],
    [{ format: 'other', version: 1 }, 'is no manifest'],
    [apolloManifest([operation], 2), 'not of version 1'],
    [apolloManifest([{ ...operation, body: null }]), 'without an id or a body'],
    [{ 'sha256:a': documents.viewer, a: other }, 'two documents for the id "a"'],
    [apolloManifest([operation, { ...operation, body: other }]), 'two documents for the id "a"'],
  ])('%j is refused', (content, message) => {
    expect(() => readManifest(content)).toThrow(message);
  });

  test.each([
    [{ bad1: 'query Shoes { viewer { shoeSize } }' }, 'bad1: Shoes: Cannot query field "shoeSize"'],
    [{ bad2: 'query {' }, 'bad2: Syntax Error'],
    [{ bad3: 'fragment F on Viewer { name }' }, 'bad3: Fragment "F" is never used'],
    [{ bad4: `{ viewer { ${'a: name '.repeat(20_000)} } }` }, 'bad4: An operation can have at most'],
    [{ bad5: '{ __schema { types { name } } }' }, 'bad5: GraphQL introspection has been disabled'],
  ])('with a document that does not fit stops the start, which names it: %#', async (content, message) => {
    const environment = { DOCUMENTS: await manifestFile({ ...documents, ...content }), INTROSPECTION: 'off' };
    const failed = startGateway({ environment });
    await expect(failed).rejects.toThrow(ConfigError);
    await expect(failed).rejects.toThrow(message);
  });
});

interface Sent {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

async function send({ address }: Gateway, parameters: object, { method = 'POST', headers = {}, key = '' }: Sent = {}) {
  const inUrl = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const response = await fetch(`${address}/graphql${method === 'GET' ? `?${new URLSearchParams(inUrl)}` : ''}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
    ...(method === 'GET' ? {} : { body: JSON.stringify(parameters) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  return { status: response.status, headers: response.headers, ...((await response.json()) as any) };
}

const startWith = async (
  environment: Readonly<Record<string, string>>,
  content: object = documents,
  options: GatewayOptions = {},
): Promise<Gateway> => {
  const gateway = await startGateway({
    ...options,
    environment: { DOCUMENTS: await manifestFile(content), ...environment },
  });
  onTestFinished(() => gateway.close());
  return gateway;
};

const refused = { errors: [{ extensions: { code: 'RESOURCE_ACCESS_RESTRICTED', status: 403 } }] };
const notFound = { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] };
const malformed = { status: 400, errors: [{ extensions: { code: 'MALFORMED_REQUEST' } }] };

describe('of a gateway', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  let accountId: string;
  beforeAll(async () => {
    const DOCUMENTS = await manifestFile(documents, afterAll);
    gateway = await startGateway({ environment: { DOCUMENTS } });
    workspace = await gateway.workspace();
    accountId = await workspace.account();
  });
  afterAll(() => gateway.close());

  const methods = ['GET', 'POST'] as const;

  describe.each(methods)('by %s', (method) => {
    const ask = (parameters: object, headers = {}) =>
      send(gateway, parameters, { method, headers, key: workspace.key });

    test.each([
      ['documentId', { documentId: 'account' }],
      ["Relay's doc_id", { doc_id: 'account' }],
      ['the hash of GraphQL over HTTP', { documentId: `sha256:${sha256(documents.account)}` }],
      ["Apollo's link from a manifest", { extensions: persisted('account') }],
      ["Apollo's link that hashes", { extensions: persisted(sha256(documents.account)) }],
      // The client preset writes a prefix that not all clients send.
      ['an id with the prefix of a hash', { documentId: 'sha256:account' }],
      ['an id that has it in the manifest', { extensions: persisted('prefixed') }],
      ['an id and its text', { documentId: 'account', query: documents.account }],
      ['several names of one document', { documentId: 'account', doc_id: 'account', extensions: persisted('account') }],
      ['its text', { query: documents.account }],
    ])('a document is known by %s', async (_by, parameters) => {
      expect(await ask({ ...parameters, variables: { accountId } })).toMatchObject({
        status: 200,
        data: { account: { accountId } },
      });
    });

    test('nothing else is executed, and every refusal is typed', async () => {
      expect(await ask({ query: other })).toMatchObject({ status: 403, ...refused });
      expect(await ask({ query: `${documents.viewer} ` })).toMatchObject({ status: 403, ...refused });
      expect(await ask({ query: other, extensions: persisted(sha256(other)) })).toMatchObject({ status: 403 });
      // Whoever follows the protocol of automatic persisted queries reads no other status.
      expect(await ask({ extensions: persisted(sha256(other)) })).toMatchObject({ status: 200, ...notFound });
      expect(await ask({ documentId: 'nothing' })).toMatchObject({ status: 404, ...notFound });
      expect(await ask({ doc_id: `sha256:${sha256(other)}` })).toMatchObject({ status: 404, ...notFound });
      expect(await ask({ documentId: 'viewer', query: other })).toMatchObject(malformed);
      expect(await ask({ documentId: 'viewer', doc_id: 'account' })).toMatchObject(malformed);
      expect(await ask({ query: documents.viewer, extensions: persisted(sha256(other)) })).toMatchObject(malformed);
      expect(await ask({ query: '{ __schema { types { name } } }' })).toMatchObject({ status: 403, ...refused });
      // A page is not this one's own because it says so.
      expect(await ask({ query: other }, { 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 403 });
    });

    test('keys are checked, and a request without a key is refused as usual', async () => {
      expect(await send(gateway, { documentId: 'viewer' }, { method, key: 'wrong' })).toMatchObject({ status: 401 });
      expect(await send(gateway, { documentId: 'viewer' }, { method })).toMatchObject({ status: 401 });
      expect(await send(gateway, { query: other }, { method })).toMatchObject({ status: 403 });
    });
  });

  test('an id of the wrong type is malformed', async () => {
    for (const parameters of [{ documentId: 1 }, { doc_id: ['viewer'] }, { documentId: {}, query: documents.viewer }]) {
      expect(await send(gateway, parameters, { key: workspace.key })).toMatchObject(malformed);
    }
  });

  test('the pages have their own documents, which are trusted', async () => {
    const page = await documentsOfPages('embedded', true);
    const overview = page.find((each) => each.includes('query WebhooksPage')) ?? '';
    const variables = { period: 'DAY' };
    expect(await send(gateway, { query: overview, variables }, { key: workspace.key })).toMatchObject({ status: 200 });
  });

  test('a subscription has an id too: over server-sent events, and in parts', async () => {
    const headers = { 'x-api-key': workspace.key };
    const client = createClient({ url: `${gateway.address}/graphql`, headers, retryAttempts: 0 });
    const subscribe = (request: { query: string; documentId?: string }) =>
      new Promise<void>((resolve, reject) => {
        client.subscribe(request, {
          next: ({ errors }) => errors && reject(errors[0]),
          error: reject,
          complete: resolve,
        });
      });
    // The types of graphql-sse know no documents with ids. It sends what it is given.
    const done = subscribe({ query: '', documentId: 'watch' });
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(1);
    const parts = await fetch(`${gateway.address}/graphql?documentId=watch`, {
      headers: { accept: 'multipart/mixed;subscriptionSpec=1.0', ...headers },
    });
    expect([parts.status, parts.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('multipart/mixed'),
    ]);
    await parts.body?.cancel();
    await expect(subscribe({ query: 'subscription { deliveryUpdated { deliveryId } }' })).rejects.toMatchObject({
      extensions: { status: 403 },
    });
    client.dispose();
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
    await done;
  });
});

describe('by GET', () => {
  const environment = { DOCUMENTS_MODE: 'prefer', COMPRESSION: 'on' };
  const get = { method: 'GET' } as const;

  test('a client may store the response, and revalidates it each time', async () => {
    const name = '{ viewer { name workspace { name } } }';
    const gateway = await startWith(environment, { name, ...documents });
    const { key, newKey } = await gateway.workspace();
    const ask = (headers: Readonly<Record<string, string>> = {}, of = key) =>
      send(gateway, { documentId: 'name' }, { ...get, headers, key: of });
    const { headers, data } = await ask();
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')?.split(', ').sort()).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'x-api-key',
    ]);
    expect(data).toMatchObject({ viewer: { name: 'test' } });
    const url = `${gateway.address}/graphql?documentId=name`;
    const known = await fetch(url, { headers: { 'x-api-key': key, 'if-none-match': etag } });
    expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', etag]);
    expect(known.headers.get('cache-control')).toBe('private, no-cache');
    expect(await ask({ 'if-none-match': '"another"' })).toMatchObject({ status: 200, data });
    // Whoever knows a tag and has no key learns nothing.
    expect(await ask({ 'if-none-match': etag }, 'wrong')).toMatchObject({ status: 401 });
    expect((await ask({}, await newKey())).headers.get('etag')).toBe(etag);
  });

  test('no other response may be stored', async () => {
    const gateway = await startWith(environment);
    const { key } = await gateway.workspace();
    for (const [parameters, how] of [
      [{ documentId: 'viewer' }, {}],
      [{ query: other }, get],
      [{ documentId: 'posts' }, get],
      [{ documentId: 'nothing' }, get],
      [{ documentId: 'viewer' }, { ...get, key: 'wrong' }],
    ] as const) {
      const { headers } = await send(gateway, parameters, { key, ...how });
      const told = [headers.get('cache-control'), headers.get('etag')];
      expect.soft(told, JSON.stringify(parameters)).toEqual(['no-store', null]);
    }
  });
});

test('with prefer other documents are executed too, and remembered by their hashes', async () => {
  const gateway = await startWith({ DOCUMENTS_MODE: 'prefer' });
  const { key } = await gateway.workspace();
  const extensions = persisted(sha256(other));
  for (const [parameters, expected] of [
    [{ documentId: 'viewer' }, { data: { viewer: {} } }],
    [{ query: other }, { data: { viewer: {} } }],
    [{ extensions }, { status: 200, ...notFound }],
    [{ query: other, extensions }, { data: { viewer: {} } }],
    [{ extensions }, { data: { viewer: {} } }],
    [{ documentId: `sha256:${sha256(other)}` }, { data: { viewer: {} } }],
    // The id of a newer manifest, with the text that was asked for.
    [{ extensions: persisted('newer') }, { status: 200, ...notFound }],
    [{ query: other, extensions: persisted('newer') }, { data: { viewer: {} } }],
    [{ query: other, documentId: 'viewer' }, malformed],
  ] as const) {
    expect(await send(gateway, parameters, { key })).toMatchObject(expected);
  }
  const lines = gateway.log.filter(({ msg }) => msg === 'request');
  expect(lines.slice(0, 3).map(({ trusted }) => trusted)).toEqual([true, false, undefined]);
});

test('without a manifest ids are not supported, and hashes are', async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { key } = await gateway.workspace();
  for (const parameters of [{ documentId: 'viewer' }, { doc_id: 'viewer' }]) {
    expect(await send(gateway, parameters, { key })).toMatchObject({
      status: 400,
      errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
    });
  }
  await send(gateway, { query: other, extensions: persisted(sha256(other)) }, { key });
  const known = await send(gateway, { documentId: `sha256:${sha256(other)}` }, { key });
  expect(known).toMatchObject({ data: { viewer: {} } });
});

test('GraphiQL with the demo key executes what is written in it, and nobody else does', async () => {
  const gateway = await startWith({ DEMO: 'on' });
  const key = (await readFile(join(gateway.directory, 'demo-key'), 'utf8')).trim();
  const ofPage = { 'sec-fetch-site': 'same-origin' };
  for (const query of [other, '{ __schema { queryType { name } } }']) {
    expect(await send(gateway, { query }, { key, headers: ofPage })).toMatchObject({ status: 200 });
    expect(await send(gateway, { query }, { key })).toMatchObject({ status: 403, ...refused });
    expect(await send(gateway, { query }, { key, headers: { 'sec-fetch-site': 'same-site' } })).toMatchObject(refused);
  }
  const { key: another } = await gateway.workspace();
  expect(await send(gateway, { query: other }, { key: another, headers: ofPage })).toMatchObject(refused);
});

test('operations over the bytes of a service are compiled, however their document is named', async () => {
  const { account: _, 'sha256:prefixed': __, ...served } = documents;
  const { ask } = await startBothWays(undefined, { DOCUMENTS: await manifestFile(served) });
  for (const body of [
    { documentId: 'posts' },
    { doc_id: 'posts' },
    { extensions: persisted('posts') },
    { query: documents.posts },
  ]) {
    const { on, off } = await ask({ body });
    expect(JSON.parse(on.body)).toMatchObject({ data: { posts: { nodes: [{}] } } });
    expect([on.status, on.body, on.compiled]).toEqual([off.status, off.body, 'yes']);
  }
  const path = '/graphql?documentId=posts';
  const first = await ask({ method: 'GET', path });
  const etag = first.on.headers.etag ?? '';
  expect(first.on).toMatchObject({ compiled: 'yes', headers: { etag: first.off.headers.etag } });
  const second = await ask({ method: 'GET', path, headers: { 'if-none-match': etag } });
  expect([second.on.status, second.off.status, second.on.body]).toEqual([304, 304, '']);
  const { on, off } = await ask({ body: { query: other } });
  expect([on.status, on.body]).toEqual([off.status, off.body]);
  expect(on.status).toBe(403);
});
