/** `examples/embed`: the gateway within programs of others. */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createGateway } from 'postern';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { graphql } from '../support/gateway.ts';
import { runProcess, temporaryDirectory } from '../support/process.ts';
import { json, startStub } from '../support/stub.ts';
import { fileOf, runExample, serveExample } from './example.ts';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeAll(async () => {
  directory = await temporaryDirectory();
});
afterAll(() => directory?.[Symbol.asyncDispose]());

const environmentFor = (name: string) => ({
  DATABASE_URL: `sqlite:${join(directory.path, name, 'postern.db')}`,
  NODE_ENV: 'development',
  LOG_LEVEL: 'error',
});
const keyFor = async (name: string) => (await readFile(join(directory.path, name, 'demo-key'), 'utf8')).trim();
const asking = (key: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': key },
  body: JSON.stringify({ query: '{ viewer { name } }' }),
});
const answer = { data: { viewer: { name: 'Demo key' } } };

test.each(['node-http', 'express', 'fastify', 'hono', 'next-route'])('%s has at most 20 lines', async (name) => {
  expect((await readFile(fileOf('embed', `${name}.ts`), 'utf8')).trimEnd().split('\n').length).toBeLessThanOrEqual(20);
});

test('they are typed', async () => {
  expect(await runExample('embed', 'typecheck', {})).toBe('');
}, 600_000);

test.each(['start', 'express', 'fastify', 'hono'])('%s serves operations, GraphiQL and streams', async (script) => {
  const server = await serveExample('embed', script, environmentFor(script));
  onTestFinished(() => server.stop());
  const endpoint = `${server.address}/graphql`;
  const asked = asking(await keyFor(script));
  expect(await (await fetch(endpoint, asked)).json()).toEqual(answer);
  const page = await fetch(endpoint, { headers: { accept: 'text/html' } });
  const [, script1 = ''] = /src="(\/graphql[^"]+)"/.exec(await page.text()) ?? [];
  expect((await fetch(server.address + script1)).status).toBe(200);
  const subscription = {
    ...asked,
    headers: { ...asked.headers, accept: 'text/event-stream' },
    body: JSON.stringify({
      query: 'subscription { accountUpdated(accountIds: ["pnet-----------------A"]) { status } }',
    }),
  };
  const { body } = await fetch(endpoint, subscription);
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) if (text.includes('"OK"')) break;
});

test('in-process asks without a socket', async () => {
  const environment = environmentFor('start');
  const run = await runExample('embed', 'in-process', { ...environment, POSTERN_KEY: await keyFor('start') });
  expect(JSON.parse(run)).toEqual(answer);
});

/** Ada has five notes. */
async function startMicroblog() {
  const network = await startStub(({ path, headers }, response) => {
    const [, user, query = ''] = /^\/users\/(\w+)\/notes\?(.*)$/.exec(path) ?? [];
    const { after = '0', limit } = Object.fromEntries(new URLSearchParams(query));
    const author = { id: 'ada', name: 'Ada', picture: 'https://microblog.example/ada.png' };
    const notes = [1, 2, 3, 4, 5].map((id) => ({
      id: `${id}`,
      text: `Note ${id}`,
      time: id,
      likes: id,
      replies: 0,
      author,
    }));
    const end = Number(after) + Number(limit);
    if (headers.authorization !== 'Bearer token-of-ada') json(response, 401, {});
    else if (user !== 'ada') json(response, 404, {});
    else json(response, 200, { notes: notes.slice(Number(after), end), next: end < notes.length ? String(end) : null });
  });
  return { MICROBLOG_URL: network.url };
}

test('own-network lists posts of a network, with the token of an account', async () => {
  const environment = { ...environmentFor('own'), ...(await startMicroblog()) };
  const server = await serveExample('embed', 'own-network', environment);
  onTestFinished(() => server.stop());
  const token = join(directory.path, 'token');
  await writeFile(token, 'token-of-ada\n');
  const run = async (...args: string[]) => (await runProcess('src/app/postern.js', args, environment)).stdout.trim();
  const account = await run('account', 'connect', '--workspace', 'Acme', '--type', 'MICROBLOG', '--token-file', token);
  const key = await run('key', 'create', '--workspace', 'Acme', '--name', 'app');
  const query = `{ posts(accountId: "${account}", identifier: "ada", first: 2) { nodes { ... on NetworkPost { text } } } }`;
  const { data } = await graphql(server.address, key, query);
  expect(data.posts.nodes).toEqual([{ text: 'Note 1' }, { text: 'Note 2' }]);
});

test('the adapter of own-network passes the checks', async () => {
  const written = await runExample('embed', 'test', { ...(await startMicroblog()), MICROBLOG_TOKEN: 'token-of-ada' });
  expect(written).toMatch(/pass 9\n/);
});

test('next-route serves requests of Next.js', async () => {
  for (const [name, value] of Object.entries(environmentFor('next'))) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { GET, POST } = await import(fileOf('embed', 'next-route.ts'));
  expect((await GET(new Request('http://127.0.0.1/graphql'))).status).toBeGreaterThan(0);
  const response = await POST(new Request('http://127.0.0.1/graphql', asking(await keyFor('next'))));
  expect(await response.json()).toEqual(answer);
  await (await (globalThis as { gateway?: Promise<{ close(): Promise<void> }> }).gateway)?.close();
});

test("a plugin of Yoga's ecosystem refuses what a page of another site could send without asking", async () => {
  const { useCSRFPrevention } = createRequire(fileOf('embed', 'package.json'))('@graphql-yoga/plugin-csrf-prevention');
  const gateway = await createGateway({
    databaseUrl: 'sqlite::memory:',
    secret: 's'.repeat(32),
    nodeEnv: 'test',
    logLevel: 'silent',
    plugins: [useCSRFPrevention({ requestHeaders: ['x-of-page'] })],
  });
  onTestFinished(() => gateway.close());
  const ask = async (headers: Record<string, string>) => {
    const response = await gateway.fetch('/graphql?query={__typename}', { headers });
    return [response.status, await response.text()];
  };
  expect(await ask({ 'x-of-page': 'yes' })).toEqual([200, '{"data":{"__typename":"Query"}}']);
  expect(await ask({})).toEqual([403, expect.stringContaining('Required CSRF header')]);
});
