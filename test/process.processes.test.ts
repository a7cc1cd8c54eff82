/** The gateway as a process: what it prints, how it stops, and what its log never contains. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { demoId } from '../src/app/demo.ts';
import type { checkpointInputs } from '../src/providers/sandbox/networks.ts';
import { atServer, databases, type TestDialect } from './support/databases.ts';
import { graphql } from './support/gateway.ts';
import { runProcess, type Started, startProcess, startPrograms, temporaryDirectory } from './support/process.ts';
import { startTcpProxy } from './support/tcp-proxy.ts';
import { openSocket } from './support/web-socket.ts';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let started: Started[] = [];

beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  started = [];
  await directory[Symbol.asyncDispose]();
});

interface Running extends Started {
  readonly address: string;
  readonly key: string;
}

const [, postgres] = databases;

const file = (name: string): string => join(directory.path, 'data', name);

/** Starts the gateway in the folder of the test and waits until it listens. */
async function start(environment: Record<string, string> = {}): Promise<Running> {
  const process = startProcess('src/app/main.js', [], {
    PORT: '0',
    DATABASE_URL: `sqlite:${file('postern.db')}`,
    ...environment,
  });
  started.push(process);
  const [, address] = await process.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
  return { ...process, address: address as string, key: readFileSync(file('demo-key'), 'utf8').trim() };
}

/** Sends a request without its body: it stays in flight until one side gives up. */
async function hold(address: string, key: string): Promise<Socket> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const head = ['POST /graphql HTTP/1.1', 'host: x', 'content-type: application/json', `x-api-key: ${key}`];
  socket.write(`${[...head, 'content-length: 100', 'expect: 100-continue'].join('\r\n')}\r\n\r\n`);
  // The server has the request by the time that it asks for the body.
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

/** What a start with the demo prints for the person at the terminal, beside the log. */
const linkPattern = /^\nGraphiQL with the demo key: (http:\/\/127\.0\.0\.1:\d+)\/graphql\?token=([\w-]{43})\n.+\n\n$/;

const slowPosts = (account = demoId('pnet')) =>
  `{ posts(accountId: "${account}", identifier: "ACoSandboxSlow", first: 12) { nodes { ... on PnetPost { id } } } }`;

test('the first start creates the demo and says where its key is; the second start creates nothing', async () => {
  const first = await start();
  expect(first.output()).toContain(`its API key is in ${file('demo-key')}`);
  await first.line(/NODE_ENV=development: webhooks may lead to loopback .+ pages of loopback origins may call/);
  expect(statSync(file('demo-key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(directory.path, 'data'))).toEqual(
    expect.arrayContaining(['demo-key', 'postern.db', 'secret']),
  );
  const asked = '{ viewer { name workspace { name } } accounts(first: 1) { pageInfo { endCursor hasNextPage } } }';
  const { data } = await graphql(first.address, first.key, asked);
  expect(data).toMatchObject({
    viewer: { workspace: { name: 'Demo' } },
    accounts: { pageInfo: { hasNextPage: true } },
  });
  for (const path of ['/livez', '/readyz']) expect((await fetch(first.address + path)).status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(linkPattern) });

  const kept = readFileSync(file('secret'), 'utf8');
  const second = await start();
  expect(second.output()).not.toContain('demo');
  expect(second.key).toBe(first.key);
  expect(readFileSync(file('secret'), 'utf8')).toBe(kept);
  // The key works, and so does a cursor of the process before.
  const next = `{ accounts(first: 1, after: "${data.accounts.pageInfo.endCursor}") { nodes { name } } }`;
  expect((await graphql(second.address, second.key, next)).errors).toEqual([]);
});

test('the demo of another database in the folder leaves the key of the first one as it is', async () => {
  const first = await start();
  const other = await start({ DATABASE_URL: `sqlite:${file('other.db')}` });
  expect(other.key).toBe(first.key);
  const key = readFileSync(file('demo-key-other.db'), 'utf8').trim();
  for (const [{ address }, right, wrong] of [
    [first, first.key, key],
    [other, key, first.key],
  ] as const) {
    expect((await graphql(address, right, '{ viewer { name } }')).errors).toEqual([]);
    expect((await graphql(address, wrong, '{ viewer { name } }')).errors).not.toEqual([]);
  }
});

test('two gateways that start together on an empty database create one demo', async () => {
  const both = await Promise.all([start(), start()]);
  expect(both.filter(({ output }) => output().includes('demo-key'))).toHaveLength(1);
  for (const { address, key } of both) {
    expect((await graphql(address, key, '{ viewer { name } }')).errors).toEqual([]);
  }
});

test('in production an empty database stays empty, and no link is printed', async () => {
  const gateway = startProcess('src/app/main.js', [], {
    PORT: '0',
    NODE_ENV: 'production',
    DATABASE_URL: `sqlite:${file('postern.db')}`,
    SECRET: 'x'.repeat(32),
  });
  started.push(gateway);
  await gateway.line(/\/graphql"/);
  expect(existsSync(file('demo-key'))).toBe(false);
  expect(existsSync(file('secret'))).toBe(false);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
  const database = new DatabaseSync(file('postern.db'), { readOnly: true });
  for (const table of ['workspaces', 'api_keys', 'accounts', 'jobs', 'webhooks']) {
    expect(database.prepare(`select count(*) as rows from ${table}`).get()).toEqual({ rows: 0 });
  }
  database.close();
});

describe('a signal', () => {
  test('lets requests in flight finish, refuses new ones, and closes the database', async () => {
    const gateway = await start();
    // Both requests are in flight before the signal.
    const slow = graphql(gateway.address, gateway.key, slowPosts());
    const held = await hold(gateway.address, gateway.key);
    gateway.child.kill('SIGTERM');
    await gateway.line(/"msg":"stopping"/);
    await expect
      .poll(() =>
        fetch(`${gateway.address}/livez`).then(
          () => 'open',
          () => 'refused',
        ),
      )
      .toBe('refused');
    expect(gateway.child.exitCode).toBeNull();
    const { data, errors } = await slow;
    expect({ errors, posts: data.posts.nodes.length }).toEqual({ errors: [], posts: 12 });

    held.destroy();
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: expect.stringMatching(linkPattern) });
    expect(gateway.output()).toContain('"msg":"stopped"');
    // SQLite removes the write-ahead log when the database is closed.
    expect(existsSync(file('postern.db-wal'))).toBe(false);
    const database = new DatabaseSync(file('postern.db'), { readOnly: true });
    expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  });

  test('a second time ends the process at once', async () => {
    const gateway = await start();
    const held = await hold(gateway.address, gateway.key);
    gateway.child.kill('SIGINT');
    await gateway.line(/"msg":"stopping"/);
    // A repetition within half a second is a duplicate that npm forwards; a later one is deliberate.
    gateway.child.kill('SIGINT');
    const again = setInterval(() => gateway.child.kill('SIGINT'), 100);
    const { code, stdout } = await gateway.ended;
    clearInterval(again);
    held.destroy();
    expect(code).toBe(1);
    expect(stdout).toContain('"msg":"stopped at once"');
  });
});

describe('a stop', () => {
  const connected = async (address: string): Promise<Socket> => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const json = 'host: x\r\ncontent-type: application/json\r\ncontent-length: 1000';
  const beginnings: Readonly<Record<string, (key: string) => string>> = {
    'a head that is not whole': () => 'POST /graphql HT',
    'a body without a key': () => `POST /graphql HTTP/1.1\r\n${json}\r\n\r\n{"query"`,
    'half a body of GraphQL': (key) => `POST /graphql HTTP/1.1\r\n${json}\r\nx-api-key: ${key}\r\n\r\n{"query"`,
    'half a body of REST': (key) => `POST /v1/webhooks HTTP/1.1\r\n${json}\r\nx-api-key: ${key}\r\n\r\n{"url": `,
  };
  const large = 'x'.repeat(900_000);
  const events = 'subscription ($since: DateTime!) { eventReceived(since: $since) { data } }';
  /** Asks for events, and reads no more than the first bytes of them. */
  const subscribers: readonly ((gateway: Running, operation: object) => Promise<Socket>)[] = [
    // An event stream.
    async ({ address, key }, operation) => {
      const socket = await connected(address);
      const body = JSON.stringify(operation);
      const head = ['POST /graphql HTTP/1.1', 'host: x', 'content-type: application/json', `x-api-key: ${key}`];
      const more = ['accept: text/event-stream', `content-length: ${body.length}`];
      socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n${body}`);
      await once(socket, 'data');
      return socket.pause();
    },
    // A WebSocket.
    async ({ address, key }, operation) => {
      const { socket, ask } = await openSocket(address, { init: { 'x-api-key': key } });
      onTestFinished(() => socket.terminate());
      await ask('1', operation);
      return (Reflect.get(socket, '_socket') as Socket).pause();
    },
  ];
  test('does not wait for requests that have not arrived as a whole, nor for clients that read nothing, or slowly', async () => {
    const gateway = await start();
    const clients = await Promise.all(
      Object.entries(beginnings).map(async ([what, beginning]) => {
        const socket = await connected(gateway.address);
        const client = { what, text: '' };
        socket.setEncoding('latin1').on('data', (more: string) => {
          client.text += more;
        });
        socket.write(beginning(gateway.key));
        return client;
      }),
    );
    const since = new Date(Date.now() - 60_000).toISOString();
    const emit = `mutation ($name: String!) { emitEvent(input: { accountId: "${demoId('pnet')}",
      event: NEW_RELATION, data: { user_full_name: $name } }) { __typename } }`;
    for (let n = 0; n < 20; n += 1) {
      const { data } = await graphql(gateway.address, gateway.key, emit, { name: large });
      expect(data).toEqual({ emitEvent: { __typename: 'EventEmitted' } });
    }
    const subscribe = () =>
      Promise.all(subscribers.map((each) => each(gateway, { query: events, variables: { since } })));
    const readers = await subscribe();
    await subscribe();
    const reading = setInterval(() => readers.forEach((socket) => void socket.read(10_000)), 100);
    await sleep(1_500);
    const slow = graphql(gateway.address, gateway.key, slowPosts());
    await sleep(200);
    const began = performance.now();
    gateway.child.kill('SIGTERM');
    const { code, stdout } = await gateway.ended;
    clearInterval(reading);
    expect({ code, ms: performance.now() - began }).toEqual({ code: 0, ms: expect.toSatisfy((ms) => ms < 4_000) });
    expect(stdout).toContain('"msg":"stopped"');
    for (const { what, text } of clients) expect(text, what).toMatch(/^HTTP\/1\.1 503 .*The gateway is stopping\./s);
    expect((await slow).errors).toEqual([]);
  });
});

test.skipIf(postgres === undefined)(
  'on Postgres: no log of the password, and no readiness without a database',
  async () => {
    const place = await (postgres as TestDialect).location();
    const url = new URL(place.url);
    url.password = 'hunter2';
    const environment = { PORT: '0', DATABASE_URL: url.href, DEMO: 'off', SECRET: 'x'.repeat(32) };
    const gateway = startProcess('src/app/main.js', [], environment);
    started.push(gateway);
    await gateway.line(/"msg":"Database: postgres:\/\/127[^"@]*"/);
    const [, address] = await gateway.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    await place.drop();
    await expect.poll(async () => (await fetch(`${address}/readyz`)).status).toBe(503);
    const response = await fetch(`${address}/readyz`);
    expect(await response.json()).toMatchObject({ type: 'errors/service_unavailable', status: 503 });
    expect((await fetch(`${address}/livez`)).status).toBe(200);
    gateway.child.kill('SIGTERM');
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
    expect(gateway.output()).not.toContain('hunter2');
  },
);

describe('a start that fails says why in one line', () => {
  const programs = startPrograms();
  afterAll(() => programs.close());
  const withDefaults = (environment: Record<string, string>) => ({
    ...{ PORT: '0', DATABASE_URL: `sqlite:${file('postern.db')}` },
    ...environment,
  });
  const failed = (environment: Record<string, string>) =>
    programs.run('src/app/main.js', [], withDefaults(environment));

  test.each([
    [{ PORT: 'http' }, 'PORT must be a whole number'],
    [
      // Nothing waits for a file of certificates.
      {
        DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=/nowhere',
        SECRET: 'x'.repeat(32),
      },
      'DATABASE_URL names a database that cannot be opened',
    ],
    [{ HOST: '192.0.2.1' }, 'The gateway cannot listen on HOST and PORT'],
    [{ NODE_ENV: 'production' }, 'SECRET must be set in production'],
    [{ NODE_ENV: 'production', UPSTREAM_URL: 'http://127.0.0.1:1' }, 'SECRET must be set in production'],
    [
      { NODE_ENV: 'production', DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' },
      'SECRET must be set in production',
    ],
    [{ SECRET_FILE: '/nowhere' }, 'SECRET_FILE names a file that cannot be read'],
  ])('%j', async (environment, line) => {
    const { code, stderr } = await failed(environment);
    expect(code).toBe(1);
    expect(stderr).toContain(line);
    expect(stderr).not.toMatch(/hunter2|\n {4}at /);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('a document of the manifest that does not fit the schema', async () => {
    const manifest = file('manifest.json');
    mkdirSync(join(directory.path, 'data'), { recursive: true });
    writeFileSync(manifest, '{"bad":"{ viewer { shoeSize } }"}');
    const { code, stderr } = await failed({ DOCUMENTS: manifest });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DOCUMENTS .*\n +bad: .*shoeSize.*\n$/);
  });

  test.each<[string, (port: number) => Record<string, string>, (port: number) => RegExp]>([
    [
      'a port',
      // It ends at once: nobody sends requests to a gateway that does not listen.
      (port) => ({ PORT: String(port), SHUTDOWN_DELAY_MS: '600000' }),
      (port) =>
        new RegExp(
          `^PORT ${port} of 127.0.0.1 is in use: set PORT to another one \\(0 picks a free one\\), or stop the process that listens there\\.\n$`,
        ),
    ],
    [
      'a port of the metrics',
      (port) => ({ METRICS_PORT: String(port) }),
      (port) => new RegExp(`^Metrics cannot be served on METRICS_PORT 127.0.0.1:${port} .*EADDRINUSE.*\\.\n$`),
    ],
  ])('%s in use', async (_, environmentOf, line) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await runProcess('src/app/main.js', [], withDefaults(environmentOf(port)));
    expect(code).toBe(1);
    expect(stderr).toMatch(line(port));
    expect(existsSync(file('postern.db'))).toBe(false);
  });

  const nobody = 65_534;
  const asNobody = (args: readonly string[], environment: Record<string, string> = {}) =>
    spawnSync(process.execPath, args, { uid: nobody, gid: nobody, env: environment, encoding: 'utf8' });
  const canBeNobody = process.getuid?.() === 0 && asNobody(['--check', 'src/app/main.js']).status === 0;
  const folders: Readonly<
    Record<string, readonly [make: (folder: string) => unknown, sentence: RegExp, rights?: true]>
  > = {
    'a folder in place of the file': [
      (folder) => mkdirSync(join(folder, 'postern.db')),
      /is a folder: set DATABASE_URL to a file/,
    ],
    'a file in place of the folder': [
      (folder) => {
        rmSync(folder, { recursive: true });
        writeFileSync(folder, '');
      },
      /is a file, not a folder: set DATABASE_URL/,
    ],
    'a file of another kind': [
      (folder) => {
        writeFileSync(join(folder, 'postern.db'), 'a text of some length, but no database: '.repeat(99));
        chmodSync(join(folder, 'postern.db'), 0o666);
        chmodSync(folder, 0o777);
      },
      /is not a SQLite database: set DATABASE_URL to another path, or restore a backup with "npx postern restore"/,
    ],
    'a folder that is read-only': [
      (folder) => chmodSync(folder, 0o755),
      /The folder .* cannot be written to by the user 65534/,
      true,
    ],
    'a file of another owner': [
      (folder) => {
        new DatabaseSync(join(folder, 'postern.db')).exec('create table t (c)');
        chmodSync(join(folder, 'postern.db'), 0o600);
        chmodSync(folder, 0o777);
      },
      /belongs to the user 0, and the user 65534 may not read and write it: run the gateway as its owner/,
      true,
    ],
  };
  const possible = Object.entries(folders).filter(([, [, , rights]]) => canBeNobody || !rights);
  test.each(possible)('%s', (_, [make, sentence]) => {
    chmodSync(directory.path, 0o755);
    const folder = dirname(file('postern.db'));
    mkdirSync(folder);
    make(folder);
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file('postern.db')}`, SECRET: 'x'.repeat(32) };
    const program = ['src/app/main.js'];
    const { status, stdout, stderr } = canBeNobody
      ? asNobody(program, environment)
      : spawnSync(process.execPath, program, { env: environment, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^[^\n]+\.\n$/);
  });

  const refusals: readonly (readonly [string, string, string])[] = [
    ['no rights in the schema', 'revoke all on schema public from public', 'no schema has been selected'],
    ['no right to create', 'revoke create on schema public from public', 'permission denied for schema public'],
  ];
  test.skipIf(postgres === undefined).each(refusals)('a role of Postgres with %s', async (_, revoke, reason) => {
    const place = await (postgres as TestDialect).location();
    onTestFinished(place.drop);
    const role = `postern_role_${randomBytes(6).toString('hex')}`;
    await atServer(place.url, revoke);
    await atServer(place.url, `create role ${role} login`);
    onTestFinished(() => atServer(place.url, `drop role ${role}`));
    const url = new URL(place.url);
    url.username = role;
    const environment = { DATABASE_URL: url.href, SECRET: 'x'.repeat(32) };
    for (const each of [failed(environment), programs.run('src/app/cli/migrate.ts', [], environment)]) {
      const { code, stderr } = await each;
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The role of DATABASE_URL may not create .*grant usage, create on schema public.*\n$/);
      expect(stderr).toContain(reason);
    }
  });

  test.skipIf(postgres === undefined)('a server that is not there yet is waited for, and named', async () => {
    const place = await (postgres as TestDialect).withSchema();
    onTestFinished(place.drop);
    const before = await startTcpProxy(place.url);
    const url = before.through(place.url);
    await before.close();
    const gateway = startProcess('src/app/main.js', [], { PORT: '0', DATABASE_URL: url, SECRET: 'x'.repeat(32) });
    started.push(gateway);
    const [, reason] = await gateway.line(/"reason":"([^"]+)","secondsLeft":\d+,"msg":"waiting for the database"/);
    expect(reason).toContain('ECONNREFUSED');
    const server = await startTcpProxy(place.url, Number(new URL(url).port));
    onTestFinished(server.close);
    await gateway.line(/\/graphql"/);
  });

  test.skipIf(postgres === undefined)('a wrong user of Postgres is not waited for', async () => {
    const place = await (postgres as TestDialect).location();
    onTestFinished(place.drop);
    const { code, stdout, stderr } = await failed({
      DATABASE_URL: new URL('/postern_nowhere', place.url).href,
      SECRET: 'x'.repeat(32),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('correct the address, user, password or database');
  });

  test.each(databases)('and closes what it had opened on $name', { timeout: 20_000 }, async ({ location }) => {
    const place = await location();
    // Whether its words are the contract's is found out after the database is open.
    const names = file('names.json');
    mkdirSync(dirname(names));
    writeFileSync(names, JSON.stringify({ no_vocabulary: {} }));
    const gateway = startProcess('src/app/main.js', [], {
      UPSTREAM_URL: 'http://127.0.0.1:1',
      UPSTREAM_API_KEY: 'key',
      UPSTREAM_NAMES: names,
      PORT: '0',
      DATABASE_URL: place.url,
      SECRET: 'x'.repeat(32),
    });
    started.push(gateway);
    const { code, stderr } = await gateway.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^UPSTREAM_NAMES .+\n$/);
    await place.drop();
  });

  test('and stops the deliveries that have begun', async () => {
    const first = await start();
    first.child.kill('SIGTERM');
    await first.ended;
    rmSync(file('demo-key'));
    mkdirSync(file('demo-key'));
    const { code, stderr } = await runProcess('src/app/main.js', [], withDefaults({}));
    expect(code).toBe(1);
    expect(stderr).toContain('EISDIR');
  });
});

test('the printed link is for one demo key, and the log contains no key, header value or checkpoint input, at any log level and whatever fails', async () => {
  const gateway = await start({ LOG_LEVEL: 'trace' });
  const { address, key } = gateway;
  const [link = '', origin = '', token = ''] = (await gateway.errorLine(linkPattern)) ?? [];
  expect(origin).toBe(address);
  const exchange = () =>
    fetch(`${address}/graphql/demo-key`, { method: 'POST', headers: { authorization: `Bearer ${token}`, origin } });
  const page = await fetch(`${address}/graphql?token=${token}`, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain('sign-in.js');
  expect(await (await exchange()).json()).toEqual({ key });
  expect((await exchange()).status).toBe(401);
  const accountId = demoId('pnet');
  const secrets = {
    key,
    'the token of the link': token,
    'another key': 'postern_not-a-key-but-somebody-may-think-so',
    'the value of a header': 'header-value-hunter2',
    'a wrong input': '000001',
    'the right input': '123456' satisfies keyof typeof checkpointInputs.OTP,
    'the secret': readFileSync(file('secret'), 'utf8'),
  };
  const webhook = `mutation { createWebhook(input: { requestUrl: "URL", source: USERS,
    headers: [{ key: "x-token", value: "${secrets['the value of a header']}" }] }) { __typename } }`;
  const solve = (input: string, draftId: string) =>
    `mutation { solveJobCheckpoint(input: { accountId: "${accountId}", jobId: "${draftId}", solution: "${input}" }) { __typename } }`;
  const drafts = await graphql(
    address,
    key,
    '{ jobPostings(states: DRAFT, first: 250) { nodes { jobId companyJobId } } }',
  );
  const draftOf = (scenario: string): string =>
    drafts.data.jobPostings.nodes.find((each: { companyJobId: string }) => each.companyJobId === `sandbox:${scenario}`)
      .jobId;
  const publish = (draftId: string) =>
    `mutation { publishJob(input: { accountId: "${accountId}", jobId: "${draftId}", mode: FREE }) { __typename } }`;

  const responses = [
    await graphql(address, secrets['another key'], '{ viewer { name } }'),
    await graphql(address, key, webhook.replace('URL', 'https://hooks.example/x')),
    await graphql(address, key, webhook.replace('URL', 'nonsense')),
    await graphql(address, key, publish(draftOf('otp'))),
    await graphql(address, key, solve(secrets['a wrong input'], draftOf('otp'))),
    await graphql(address, key, solve(secrets['the right input'], draftOf('otp'))),
    await graphql(address, key, solve(secrets['the right input'], '1')),
    await graphql(address, key, publish(draftOf('provider-error'))),
    await graphql(
      address,
      key,
      `{ posts(accountId: "${demoId('unexpected_error')}", identifier: "x") { nodes { __typename } } }`,
    ),
    await graphql(address, key, `{ nonsense(key: "${key}") }`),
    await graphql(address, key, `{ posts(accountId: "${key}", identifier: "${key}") { nodes { __typename } } }`),
  ];
  // The requests had the intended outcomes: successes, failures as data, and top-level errors.
  const seen = responses.flatMap(({ data, errors }) => [
    ...Object.values((data ?? {}) as Record<string, { __typename?: string } | null>).map((each) => each?.__typename),
    ...errors.map(({ extensions }) => extensions.code),
  ]);
  expect(seen).toEqual(
    expect.arrayContaining(['WebhookCreated', 'InvalidRequestError', 'CheckpointError', 'PnetJobPostingPublished']),
  );
  expect(seen).toEqual(expect.arrayContaining(['INVALID_CREDENTIALS', 'PROVIDER_ERROR']));

  const headers = { 'content-type': 'application/json', 'x-api-key': key, authorization: `Bearer ${key}` };
  for (const request of [
    new Request(`${address}/graphql?query={viewer{name}}&key=${key}`, { headers }),
    new Request(`${address}/graphql`, { method: 'POST', headers, body: `{"query": "${key}` }),
    new Request(`${address}/api/v1/webhooks?cursor=${key}`, { headers }),
    new Request(`${address}/v1/pnet/jobs/${draftOf('email')}/checkpoint`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ account_id: accountId, input: secrets['a wrong input'] }),
    }),
    new Request(`${address}/nowhere?key=${key}`, { headers }),
  ]) {
    await (await fetch(request)).text();
  }
  gateway.child.kill('SIGTERM');
  const { stdout, stderr } = await gateway.ended;
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === 'request').length).toBeGreaterThanOrEqual(responses.length);
  expect(lines.filter(({ msg }) => msg === 'request').every(({ reqId }) => typeof reqId === 'string')).toBe(true);
  expect(stdout).toContain('"path":"/graphql/demo-key"');
  const log = stdout + stderr.replace(link, '');
  for (const [what, secret] of Object.entries(secrets)) {
    expect({ what, logged: new RegExp(`(?<![\\w-])${secret}(?![\\w-])`).exec(log)?.[0] }).toEqual({
      what,
      logged: undefined,
    });
  }
});
