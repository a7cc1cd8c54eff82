/** Trusted documents with the tools and clients that people use: each writes its manifest, and sends the ids of it. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { generate } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { Client, fetchExchange, type TypedDocumentNode } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { type DocumentNode, getOperationAST, Kind, print } from 'graphql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { temporaryDirectory } from '../support/process.ts';

const schema = fileURLToPath(new URL('../../schema.graphql', import.meta.url));
const viewer = { viewer: { __typename: 'Viewer' } };

async function folderOfTest(): Promise<string> {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

/** A gateway that executes nothing but the manifest, and what was sent to it. */
async function startWith(manifest: object) {
  const file = join(await folderOfTest(), 'documents.json');
  await writeFile(file, JSON.stringify(manifest));
  const gateway: Gateway = await startGateway({ environment: { DOCUMENTS: file } });
  onTestFinished(() => gateway.close());
  const { key } = await gateway.workspace();
  const sent: string[] = [];
  const watched: typeof fetch = (url, options) => {
    sent.push(decodeURIComponent(`${url} ${options?.body ?? ''}`));
    return fetch(url, options);
  };
  return { gateway, url: `${gateway.address}/graphql`, headers: { 'x-api-key': key }, fetch: watched, sent };
}

/** What a request says of a document itself. */
const texts = (sent: readonly string[]) =>
  sent.filter((each) => /(?:query|subscription)[ +](?:Viewer|Other|Watch)/.test(each));

test.each([false, true])("Apollo Client's PersistedQueryLink with a manifest, by GET: %j", async (byGet) => {
  const query = gql('query Viewer { viewer { __typename } }');
  const watch = gql('subscription Watch { deliveryUpdated { state __typename } }');
  const ids: Readonly<Record<string, string>> = { Viewer: 'id-of-viewer', Watch: 'id-of-watch' };
  const { gateway, sent, ...http } = await startWith({
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [
      { id: 'id-of-viewer', name: 'Viewer', type: 'query', body: print(query) },
      { id: 'id-of-watch', name: 'Watch', type: 'subscription', body: print(watch) },
    ],
  });
  // As generatePersistedQueryIdsFromManifest of @apollo/persisted-query-lists has it.
  const generateHash = (document: DocumentNode) => ids[getOperationAST(document)?.name?.value ?? ''] ?? 'not-in-it';
  const link = new PersistedQueryLink({ generateHash, useGETForHashedQueries: byGet });
  const client = new ApolloClient({
    link: link.concat(new HttpLink({ ...http, uri: http.url })),
    cache: new InMemoryCache(),
  });
  const ask = (document: DocumentNode) => client.query({ query: document, fetchPolicy: 'no-cache' });
  expect((await ask(query)).data).toEqual(viewer);
  const subscription = client.subscribe({ query: watch }).subscribe({});
  await expect.poll(() => gateway.app.streams.count('subscription')).toBe(1);
  subscription.unsubscribe();
  expect(texts(sent)).toEqual([]);
  // It sends the text when the id is not known, and is refused. Then it goes on with ids.
  const failure: unknown = await ask(gql('query Other { viewer { name } }')).catch((error: unknown) => error);
  expect(CombinedGraphQLErrors.is(failure) && failure.errors[0]?.extensions?.code).toBe('RESOURCE_ACCESS_RESTRICTED');
  expect(texts(sent)).toHaveLength(1);
  expect((await ask(query)).data).toEqual(viewer);
  expect(texts(sent)).toHaveLength(1);
});

test('urql with documents that have ids, also as subscriptions', async () => {
  // In development it refuses documents without definitions, which it sends in production.
  vi.stubEnv('NODE_ENV', 'production');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { gateway, sent, ...http } = await startWith({
    viewer: 'query Viewer { viewer { __typename } }',
    watch: 'subscription Watch { deliveryUpdated { state } }',
  });
  const client = new Client({
    url: http.url,
    fetch: http.fetch,
    fetchOptions: { headers: http.headers },
    fetchSubscriptions: true,
    preferGetMethod: false,
    exchanges: [fetchExchange],
  });
  const document = (documentId: string): TypedDocumentNode =>
    Object.assign({ kind: Kind.DOCUMENT, definitions: [] } as const, { documentId });
  for (const preferGetMethod of [false, true]) {
    const { data, error } = await client.query(document('viewer'), {}, { preferGetMethod }).toPromise();
    expect([data, error]).toEqual([viewer, undefined]);
  }
  const subscription = client.subscription(document('watch'), {}).subscribe(() => {});
  await expect.poll(() => sent).toHaveLength(3);
  subscription.unsubscribe();
  expect(texts(sent)).toEqual([]);
  await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
});

test("urql's persisted exchange with the client preset of GraphQL Code Generator", async () => {
  const folder = await folderOfTest();
  const files = (await generate(
    {
      schema,
      documents: 'query Viewer { viewer { __typename } }',
      silent: true,
      generates: {
        [`${folder}/`]: { preset, presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } } },
      },
    },
    false,
  )) as { filename: string; content: string }[];
  const content = files.find(({ filename }) => filename.endsWith('persisted-documents.json'))?.content ?? '{}';
  const manifest: Readonly<Record<string, string>> = JSON.parse(content);
  const [[id, text] = ['', '']] = Object.entries(manifest);
  expect(id).toMatch(/^sha256:[\da-f]{64}$/);
  const { sent, ...http } = await startWith(manifest);
  const exchange = persistedExchange({ enforcePersistedQueries: true, generateHash: async () => id });
  const client = new Client({
    url: http.url,
    fetch: http.fetch,
    fetchOptions: { headers: http.headers },
    preferGetMethod: false,
    exchanges: [exchange, fetchExchange],
  });
  const { data } = await client.query(text, {}).toPromise();
  expect(data).toMatchObject(viewer);
  expect(texts(sent)).toEqual([]);
});

test("Relay's compiler writes a manifest, whose ids its network layer sends", async () => {
  const folder = await folderOfTest();
  await mkdir(join(folder, 'generated'));
  await writeFile(join(folder, 'app.ts'), 'graphql`query appQuery { viewer { __typename name } }`;\n');
  await writeFile(join(folder, 'schema.graphql'), await readFile(schema));
  const config = {
    src: '.',
    schema: './schema.graphql',
    language: 'typescript',
    artifactDirectory: './generated',
    persistConfig: { file: './documents.json', algorithm: 'MD5' },
  };
  await writeFile(join(folder, 'documents.json'), '{}');
  await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));
  const compiler = createRequire(import.meta.url).resolve('relay-compiler/cli.js');
  await promisify(execFile)(process.execPath, [compiler, '--noWatchman', 'relay.config.json'], { cwd: folder });
  const manifest: Readonly<Record<string, string>> = JSON.parse(await readFile(join(folder, 'documents.json'), 'utf8'));
  const artifact = await readFile(join(folder, 'generated', 'appQuery.graphql.ts'), 'utf8');
  const [, id = ''] = /"id": "([\da-f]{32})"/.exec(artifact) ?? [];
  expect(Object.keys(manifest)).toEqual([id]);
  const { url, headers, fetch: send } = await startWith(manifest);
  // As the network layer of Relay's documentation.
  const response = await send(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ doc_id: id, variables: {} }),
  });
  expect(await response.json()).toMatchObject({ data: viewer });
});
