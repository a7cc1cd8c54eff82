/** `PROCESSES`: several processes behind one address. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { demoId } from '../src/app/demo.ts';
import { openCalls } from '../src/app/processes/calls.ts';
import { relayTo } from '../src/app/processes/primary.ts';
import { eventStream } from '../src/client/event-stream.ts';
import { graphql } from './support/gateway.ts';
import { type Started, startProcess, temporaryDirectory } from './support/process.ts';
import { readMetrics } from './support/prometheus.ts';
import { startReceiver } from './support/receiver.ts';
import { json, postList, startStub } from './support/stub.ts';

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

const listening = /"pid":(\d+)[^\n]*Server listening/g;

async function startTwo(environment: Record<string, string> = {}) {
  const processes = startProcess('src/app/main.js', [], {
    PORT: '0',
    PROCESSES: '2',
    DATABASE_URL: `sqlite:${join(directory.path, 'postern.db')}`,
    ...environment,
  });
  started.push(processes);
  const [, address = ''] = await processes.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
  const pids = () => [...processes.output().matchAll(listening)].map(([, pid]) => Number(pid));
  await expect.poll(pids, { timeout: 60_000 }).toHaveLength(2);
  return { ...processes, address, pids };
}

const demoKey = () => readFileSync(join(directory.path, 'demo-key'), 'utf8').trim();

/** Asks over sixteen connections until it is told to end. @returns failures */
function askOn(address: string, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const { hostname, port } = new URL(address);
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const failures: string[] = [];
  let [asked, isOver] = [0, false];
  const ask = () =>
    new Promise<void>((resolve) => {
      const fail = (error: Error) => {
        failures.push(error.message);
        resolve();
      };
      const sent = request({ hostname, port, path: '/graphql', method: 'POST', agent, headers }, (response) => {
        response.on('error', fail).on('end', resolve).resume();
        if (response.statusCode !== 200) failures.push(String(response.statusCode));
      });
      sent.on('error', fail).end('{"query":"{ viewer { name } }"}');
      asked += 1;
    });
  const asking = Array.from({ length: 16 }, async () => {
    // Most connections are idle at any time, as those of people are.
    while (!isOver) {
      await ask();
      await sleep(Math.random() * 40);
    }
  });
  return {
    asked: () => asked,
    async end() {
      isOver = true;
      await Promise.all(asking);
      agent.destroy();
      return failures;
    },
  };
}

test('share one address, metrics, the link with the demo key, and on SQLite what subscriptions tell', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const gateway = await startTwo({ METRICS_PORT: '0' });
  const [key, accountId] = [demoKey(), demoId('pnet')];
  const webhook = `mutation { createWebhook(input: { source: ACCOUNT_STATUS, accountIds: ["${accountId}"], requestUrl: "${receiver.address}" })
    { ... on WebhookCreated { webhookId } ... on ServiceError { message } } }`;
  const { webhookId } = (await graphql(gateway.address, key, webhook)).data.createWebhook;
  expect(webhookId).toEqual(expect.any(String));

  // A new connection goes to the next process.
  const streams = await Promise.all(
    Array.from({ length: 6 }, () =>
      fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          'x-api-key': key,
        },
        body: JSON.stringify({ query: `subscription { deliveryUpdated(webhookIds: ["${webhookId}"]) { state } }` }),
      }),
    ),
  );
  const emit = `mutation { emitEvent(input: { accountId: "${accountId}", event: RECONNECTED }) { __typename } }`;
  expect((await graphql(gateway.address, key, emit)).data.emitEvent.__typename).toBe('EventEmitted');
  for (const { body } of streams) {
    if (body === null) throw new Error('There is no stream');
    for await (const { data } of eventStream<{ data: { deliveryUpdated: { state: string } } }>(body))
      if (data.deliveryUpdated.state === 'SUCCEEDED') break;
  }

  const [, metrics = ''] = await gateway.line(/Metrics: (http:[^"]+)/);
  const samples = readMetrics(await (await fetch(metrics)).text());
  const subscriptions = samples.filter(({ name }) => name === 'postern_streams');
  expect(new Set(samples.map(({ labels }) => labels.process))).toEqual(new Set(['1', '2']));
  expect(subscriptions).toHaveLength(2);

  const [, token] = (await gateway.errorLine(/token=([\w-]{43})/)) ?? [];
  const exchange = async () => {
    const headers = { authorization: `Bearer ${token}`, origin: gateway.address, connection: 'close' };
    return (await fetch(`${gateway.address}/graphql/demo-key`, { method: 'POST', headers })).status;
  };
  expect((await Promise.all([exchange(), exchange(), exchange(), exchange()])).sort()).toEqual([200, 401, 401, 401]);

  gateway.child.kill('SIGTERM');
  expect((await gateway.ended).code).toBe(0);
  for (const pid of gateway.pids()) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('replace one that stops, and one after the other at SIGHUP, without a failed request', async () => {
  const gateway = await startTwo();
  const load = askOn(gateway.address, demoKey());
  const [first = 0, second = 0] = gateway.pids();
  process.kill(first, 'SIGTERM');
  await gateway.line(new RegExp(`"pid":${first},[^\\n]*"msg":"stopped"`));
  expect(gateway.pids()).toHaveLength(3);
  process.kill(second, 'SIGINT');
  await gateway.line(new RegExp(`"pid":${second},[^\\n]*"msg":"stopped"`));
  expect(gateway.pids()).toHaveLength(4);
  expect(gateway.output()).not.toContain('has ended by itself');
  gateway.child.kill('SIGHUP');
  const replaced = () => gateway.output().match(/"replaced the processes"/g);
  await expect.poll(replaced, { timeout: 60_000 }).toHaveLength(3);
  const asked = load.asked();
  expect(gateway.pids()).toHaveLength(6);
  await expect.poll(load.asked).toBeGreaterThan(asked + 50);
  expect(await load.end()).toEqual([]);
});

test('serve on where their successors cannot start; a second signal stops one without a successor', async () => {
  const documents = join(directory.path, 'documents.json');
  writeFileSync(documents, '{"a": "{ viewer { name } }"}');
  const gateway = await startTwo({ DOCUMENTS: documents });
  const load = askOn(gateway.address, demoKey());
  writeFileSync(documents, 'broken');
  const [first = 0, second = 0] = gateway.pids();
  process.kill(first, 'SIGTERM');
  process.kill(second, 'SIGTERM');
  const failed = /a process could not start/g;
  await expect.poll(() => gateway.output().match(failed), { timeout: 60_000 }).toHaveLength(2);
  const asked = load.asked();
  await expect.poll(load.asked).toBeGreaterThan(asked + 50);
  expect(await load.end()).toEqual([]);
  expect(gateway.output()).not.toContain('"msg":"stopping"');
  process.kill(first, 'SIGTERM');
  await gateway.line(new RegExp(`"pid":${first},[^\\n]*"msg":"stopped"`));
});

test('one that is being replaced still ends its requests when all stop', async () => {
  const gateway = await startTwo();
  const [first = 0] = gateway.pids();
  const port = Number(new URL(gateway.address).port);
  // Each process gets some of them, and waits for what is missing.
  const sockets = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  for (const socket of sockets) {
    socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n');
    await once(socket, 'data');
  }
  process.kill(first, 'SIGTERM');
  await gateway.line(new RegExp(`"pid":${first},[^\\n]*"msg":"stopping"`));
  gateway.child.kill('SIGTERM');
  expect((await gateway.ended).code).toBe(0);
  expect(gateway.output()).not.toContain('stopped at once');
  for (const socket of sockets) socket.destroy();
});

test('are as many as before when one ends while they are replaced', async () => {
  const gateway = await startTwo();
  gateway.child.kill('SIGHUP');
  await gateway.line(/replacing the processes/);
  process.kill(gateway.pids()[1] as number, 'SIGKILL');
  await gateway.line(/"replaced the processes"/);
  await sleep(2_000);
  const alive = gateway.pids().filter((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
  expect(alive).toHaveLength(2);
});

test('replace one that is killed: the others answer meanwhile, and say that it lacks', async () => {
  const gateway = await startTwo();
  process.kill(gateway.pids()[1] as number, 'SIGKILL');
  await gateway.line(/"signal":"SIGKILL","msg":"a process has ended by itself"/);
  const ready = async () => (await fetch(`${gateway.address}/readyz`, { headers: { connection: 'close' } })).json();
  expect(await ready()).toMatchObject({ status: 'ready', processes: '1 of 2' });
  await expect.poll(ready, { timeout: 60_000 }).toEqual({ status: 'ready' });
  expect(gateway.pids()).toHaveLength(3);
});

test('share the limits of a gateway without a database', async () => {
  const stub = await startStub((_request, response) => json(response, 200, postList([])));
  onTestFinished(() => stub.close());
  const gateway = await startTwo({ UPSTREAM_URL: stub.url, REQUESTS_PER_MINUTE: '20' });
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const headers = { 'x-api-key': 'their-key', connection: 'close' };
      return (await fetch(`${gateway.address}/v1/users/x/posts?account_id=a`, { headers })).status;
    }),
  );
  // Each grants at most a tenth of a bucket beyond.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(24);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(36);
});

test.each([
  [{ RESPONSE_CACHE: 'memory' }, 'PROCESSES needs a response cache that all processes share: set RESPONSE_CACHE=redis'],
  [{ DATABASE_URL: 'sqlite::memory:' }, 'PROCESSES needs a database that all processes share'],
  [{ PROCESSES: '0' }, 'PROCESSES must be a whole number from 1 to 64, but is "0"'],
])('are refused with %o', async (environment, message) => {
  const gateway = startProcess('src/app/main.js', [], { PORT: '0', PROCESSES: '2', ...environment });
  expect(await gateway.ended).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});

test('one that cannot start ends the first start with its message', async () => {
  const gateway = startProcess('src/app/main.js', [], {
    PORT: '0',
    PROCESSES: '2',
    DATABASE_URL: `sqlite:${directory.path}`,
  });
  expect(await gateway.ended).toMatchObject({ code: 1, stderr: expect.stringContaining(directory.path) });
});

test('calls of a process that does not answer have a bound', async () => {
  const sent: object[] = [];
  const call = openCalls<{ tell(text: string): void }, Record<string, never>>(
    { send: (message, done) => sent.push(message) && done(null), on: () => undefined },
    {},
  );
  let refused = 0;
  for (let n = 0; n < 2_000; n += 1) call('tell', 'x').catch(() => (refused += 1));
  await expect.poll(() => refused).toBe(1_000);
  expect(sent).toHaveLength(1_000);
});

test('what a process could not be told is made up for by a message without a text', async () => {
  const received: string[] = [];
  let isAway = true;
  const tell = relayTo(async ({ channel, text }) => {
    if (isAway) throw new Error('away');
    received.push(`${channel}:${text}`);
  });
  for (const text of ['a', 'b']) tell({ channel: 'updates', text });
  await setImmediate();
  isAway = false;
  tell({ channel: 'events', text: 'c' });
  await expect.poll(() => received).toEqual(['events:c', 'updates:']);
});
