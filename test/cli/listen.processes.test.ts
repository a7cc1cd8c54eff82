/** `postern listen`, beside a gateway that runs: what it receives and prints, and what it leaves behind. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { demoId } from '../../src/app/demo.ts';
import { webhookSourceNames } from '../../src/events/sources.ts';
import { graphql } from '../support/gateway.ts';
import { type Started, startProcess, startPrograms, temporaryDirectory } from '../support/process.ts';

const launcher = 'src/app/postern.js';

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

const run = (args: readonly string[], environment: Record<string, string>): Started => {
  const process = startProcess(launcher, args, {
    DATABASE_URL: `sqlite:${join(directory.path, 'postern.db')}`,
    ...environment,
  });
  started.push(process);
  return process;
};

async function startGateway(environment: Record<string, string> = {}) {
  const gateway = run(['start'], { PORT: '0', ...environment });
  const [, address = ''] = await gateway.line(/GraphQL: (http:\/\/127\.0\.0\.1:\d+)\/graphql/);
  const key = readFileSync(join(directory.path, 'demo-key'), 'utf8').trim();
  return { ...gateway, address, PORT: new URL(address).port, key };
}

type Running = Awaited<ReturnType<typeof startGateway>>;

const emit = ({ address, key }: Running, event: string) =>
  graphql(
    address,
    key,
    `mutation { emitEvent(input: { accountId: "${demoId('pnet')}", event: ${event} }) { __typename } }`,
  );

/** The addresses of the webhooks that listen. */
async function listening({ address, key }: Running): Promise<string[]> {
  const { data } = await graphql(address, key, '{ webhooks(first: 50) { nodes { name requestUrl } } }');
  return data.webhooks.nodes
    .filter(({ name }: { name: string }) => name === 'postern listen')
    .map(({ requestUrl }: { requestUrl: string }) => requestUrl);
}

test('a delivery is verified and printed, whatever its source, and the webhooks are gone at the end', async () => {
  const gateway = await startGateway();
  const listener = run(['listen', '--json'], { PORT: gateway.PORT });
  await listener.errorLine(/^Listening to messaging, users, .* of http:\/\/127\.0\.0\.1:\d+\. Ctrl-C ends it\.$/m);
  const urls = await listening(gateway);
  expect(urls.map((url) => new URL(url).pathname.slice(1)).sort()).toEqual([...webhookSourceNames].sort());
  await emit(gateway, 'NEW_RELATION');
  await emit(gateway, 'MESSAGE_RECEIVED');
  for (const event of ['new_relation', 'message_received']) {
    await listener.line(
      new RegExp(`^20[\\d-]+T[\\d:.]+Z  ${event}  ${demoId('pnet')}  verified ✓\n\\{"event":"${event}",`, 'm'),
    );
  }

  // Anybody on the machine can send one, with characters that a terminal obeys.
  const forged = await fetch(urls[0] ?? '', {
    method: 'POST',
    headers: {
      'webhook-id': 'x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,x',
    },
    body: JSON.stringify({ event: '\u001b[2J', account_id: 1 }),
  });
  expect(forged.status).toBe(200);
  await listener.line(/Z {2}\?\?2J {2}- {2}NOT verified ✗\n\{"event":"\\u001b\[2J","account_id":1\}/);
  expect((await fetch(new URL('/nowhere', urls[0]), { method: 'POST', body: 'x' })).status).toBe(404);

  listener.child.kill('SIGINT');
  const { code, stdout, stderr } = await listener.ended;
  expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 7 });
  expect(stdout).toMatch(/\nDeleted 6 webhooks\.\n$/);
  expect(stdout + stderr).not.toContain(gateway.key);
  expect(await listening(gateway)).toEqual([]);
});

test('it responds with the status that it was told, to the sources that it was told', async () => {
  const gateway = await startGateway();
  const asked = { POSTERN_URL: `${gateway.address}/`, POSTERN_KEY: gateway.key, DATABASE_URL: 'sqlite:nowhere/x.db' };
  const listener = run(['listen', '--source', 'USERS', '--status', '410'], asked);
  await listener.errorLine(/Listening to users of/);
  await emit(gateway, 'NEW_RELATION');
  await listener.line(/new_relation .* verified ✓\n/);
  const states = `{ webhooks(first: 50) { nodes { name isEnabled } } }`;
  await expect
    .poll(async () => (await graphql(gateway.address, gateway.key, states)).data.webhooks.nodes)
    .toContainEqual({ name: 'postern listen', isEnabled: false });
  listener.child.kill('SIGTERM');
  expect(await listener.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/Deleted 1 webhook\.\n$/) });
  expect(await listening(gateway)).toEqual([]);
});

test('it says that the gateway is gone and back, receives again, and names what it could not delete', async () => {
  const first = await startGateway();
  const listener = run(['listen', '--source', 'users'], { PORT: first.PORT });
  await listener.errorLine(/Listening to users of/);
  first.child.kill('SIGTERM');
  await listener.errorLine(/The gateway at \S+ is gone\. Listening again when it is back\./);
  await first.ended;
  const second = await startGateway({ PORT: first.PORT });
  await listener.errorLine(/The gateway is back\./);
  await emit(second, 'NEW_RELATION');
  await listener.line(/new_relation .* verified ✓\n/);
  second.child.kill('SIGKILL');
  await second.ended;
  listener.child.kill('SIGINT');
  const { code, stderr } = await listener.ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/The gateway at \S+ did not delete webhooks, which are left: [\w-]{22}\.\n$/);
});

test('what it cannot do is told in one line, and leaves no webhook', async () => {
  const gateway = await startGateway({ OUTBOUND_ALLOW: '192.0.2.0/24' });
  const { PORT } = gateway;
  const failures: [string[], Record<string, string>, string][] = [
    [['--source', 'messenger'], { PORT }, '--source must be one of messaging, users, '],
    [['--status', '100'], { PORT }, '--status must be from 200 to 599, but is "100".'],
    [['--url', 'localhost'], { PORT }, '--url must be an address such as http://127.0.0.1:4000, but is "localhost".'],
    [['--key', 'wrong'], { PORT }, 'The API key is not valid.'],
    [['--key', 'x', '--url', 'http://127.0.0.1:1'], {}, 'No gateway responds at http://127.0.0.1:1 ('],
    [[], { PORT, DATABASE_URL: `sqlite:${join(directory.path, 'other.db')}` }, 'No API key: set POSTERN_KEY, or start'],
    [[], { PORT }, 'must not lead to 127.0.0.1, which is not public'],
  ];
  const programs = startPrograms();
  onTestFinished(() => programs.close());
  for (const [args, environment, line] of failures) {
    const DATABASE_URL = `sqlite:${join(directory.path, 'postern.db')}`;
    const { code, stdout, stderr } = await programs.run('src/app/cli/listen.ts', args, {
      DATABASE_URL,
      ...environment,
    });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(line) });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  }
  expect(await listening(gateway)).toEqual([]);
});
