/**
 * The deployments of `deploy/` without their containers: gateways with the environment of the manifests, on Postgres and Redis,
 * behind Caddy with its file. Of both, addresses and paths are those of this machine.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { databases, type TestDatabase } from '../support/databases.ts';
import { linesOfSection, snippet } from '../support/docs.ts';
import { graphql } from '../support/gateway.ts';
import { type Started, startProcess, temporaryDirectory } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { freePort, type ReverseProxy, send, startCaddy } from '../support/reverse-proxy.ts';
import { hasCaddy, redisUrl } from '../support/servers.ts';
import { caddyfile, compose, image, manifests, podVariables, root } from './manifests.ts';

const run = promisify(execFile);
const postgres = databases.find(({ name }) => name === 'Postgres');
const isHere = postgres !== undefined && redisUrl !== undefined;

type Variables = Readonly<Record<string, string>>;

/** What the image and a manifest set, with the paths and addresses of this machine. */
function environmentOf(variables: Variables, secrets: string, folder: string): Variables {
  const { NODE_COMPILE_CACHE: _, ...ofImage } = image.environment;
  const here = Object.entries({ ...ofImage, ...variables }).map(([name, value]): [string, string] => {
    if (name === 'HOST') return [name, value.replace('0.0.0.0', '127.0.0.1')];
    if (name === 'METRICS_PORT') return [name, '127.0.0.1:0'];
    if (name === 'TRUST_PROXY') return [name, '127.0.0.1'];
    if (name === 'REDIS_URL') return [name, value.replace('redis://redis', redisUrl ?? '')];
    return [name, value.replace(folder, secrets)];
  });
  // The receiver is on this machine, which is no place for deliveries in production.
  return { ...Object.fromEntries(here), OUTBOUND_ALLOW: '127.0.0.0/8', PATH: process.env.PATH ?? '' };
}

/** The command of the image, or another one of it, to its end. @returns its standard output */
async function runCommand(words: readonly string[], env: Variables): Promise<string> {
  const [, file = '', ...args] = words;
  return (await run(process.execPath, [join(root, file), ...args], { env })).stdout;
}

const statusOf = async (url: string): Promise<number> => {
  const response = await fetch(url).catch(() => null);
  await response?.body?.cancel();
  return response?.status ?? 0;
};

describe.skipIf(!isHere || !hasCaddy)('compose.yaml', () => {
  const { 'gateway-1': service } = compose.services;
  const ports: Record<string, number> = {};
  const gateways: Record<string, Started> = {};
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let place: TestDatabase;
  let environment: Variables;
  let caddy: ReverseProxy;
  let receiver: Receiver;
  let key: string;
  let accountId: string;

  const addressOf = (name: string) => `http://127.0.0.1:${ports[name]}`;
  const start = (name: string) => {
    const [, ...words] = image.command;
    const file = words.find((word) => !word.startsWith('-')) ?? '';
    gateways[name] = startProcess(file, [], { ...environment, PORT: String(ports[name]) });
  };
  /** Whether the command of the health check says so. */
  const isHealthy = async (name: string): Promise<boolean> => {
    const [, , ...args] = service?.healthcheck?.test ?? [];
    const here = args.map((arg) => arg.replaceAll('127.0.0.1:4000', `127.0.0.1:${ports[name]}`));
    return run(process.execPath, here).then(
      () => true,
      () => false,
    );
  };
  /** Whether Caddy lets requests reach it, as far as its state can be asked for. */
  const isBack = async (name: string) => {
    const ready = async () => expect(await statusOf(`${addressOf(name)}/readyz`)).toBe(200);
    await vi.waitFor(ready, { timeout: 60_000, interval: 100 });
    await sleep(3_000);
  };

  beforeAll(async () => {
    directory = await temporaryDirectory();
    place = await (postgres as NonNullable<typeof postgres>).location();
    // As the page says, as far as it needs no Docker.
    const commands = snippet('Compose', 'sh')
      .split('\n')
      .filter((line) => !/^(?:cd|docker) /.test(line));
    await run('sh', ['-c', commands.join('\n')], { cwd: directory.path });
    const database = join(directory.path, 'secrets/database_url');
    const made = new URL(await readFile(database, 'utf8'));
    expect(made).toMatchObject({ hostname: 'postgres', username: 'postern', pathname: '/postern' });
    expect(made.password).toBe((await readFile(join(directory.path, 'secrets/postgres_password'), 'utf8')).trim());
    await run('chmod', ['600', database]);
    await writeFile(database, `${place.url}\n`);
    environment = environmentOf(service?.environment ?? {}, join(directory.path, 'secrets'), '/run/secrets');
    receiver = await startReceiver();
    for (const name of ['gateway-1', 'gateway-2']) {
      ports[name] = await freePort();
      start(name);
    }
    const site = caddyfile
      .replace('{$SITE}', 'api.example')
      .replace('gateway-1:4000', '127.0.0.1:4000')
      .replace('gateway-2:4000', '127.0.0.1:4001');
    caddy = await startCaddy(site, [ports['gateway-1'] ?? 0, ports['gateway-2'] ?? 0]);
    for (const name of Object.keys(gateways)) await isBack(name);
    const [create = ''] = linesOfSection('Compose', 'docker').filter((line) => line.includes(' key create '));
    const [, words = ''] = / exec gateway-1 (node .*)$/.exec(create) ?? [];
    key = (await run('sh', ['-c', words], { cwd: root, env: environment })).stdout.trim();
    const account = ['node', 'src/app/postern.js', 'account', 'connect', '--workspace', 'Acme', '--type', 'PNET'];
    accountId = (await runCommand(account, environment)).trim();
  });
  afterAll(async () => {
    for (const { child, ended } of Object.values(gateways)) {
      child.kill('SIGKILL');
      await ended;
    }
    await caddy?.close();
    await receiver?.close();
    await place?.drop();
    await directory?.[Symbol.asyncDispose]();
  });

  const emit = async (address: string, idempotencyKey: string) => {
    const query = `mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) {
      __typename ... on EventEmitted { deliveries { deliveryId } } } }`;
    return graphql(address, key, query, { input: { accountId, event: 'NEW_RELATION', idempotencyKey } });
  };

  /** Eight clients that ask through Caddy until they are told to stop, every fifth time for an event. */
  function startLoad() {
    const statuses = new Map<number, number>();
    const emitted: string[] = [];
    let isOver = false;
    const client = async () => {
      for (let at = 0; !isOver; at += 1) {
        const variables = { input: { accountId, event: 'NEW_RELATION' } };
        const body =
          at % 5 === 0
            ? { query: 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { __typename } }', variables }
            : { query: '{ accounts { nodes { accountId } } webhooks { totalCount } }' };
        const headers = { 'content-type': 'application/json', 'x-api-key': key };
        const response = await send(`${caddy.address}/graphql`, { headers, body: JSON.stringify(body) });
        const isServed = response.status === 200 && !response.body.includes('"errors"');
        if (isServed && at % 5 === 0) emitted.push(JSON.parse(response.body).data.emitEvent.__typename);
        const status = isServed ? 200 : (response.status ?? 0);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    return {
      statuses,
      emitted,
      async stop() {
        isOver = true;
        await Promise.all(clients);
      },
    };
  }

  test('both gateways become healthy on an empty database, and serve behind Caddy', async () => {
    for (const name of Object.keys(gateways)) expect(await isHealthy(name), name).toBe(true);
    const { status, data } = await graphql(caddy.address, key, '{ viewer { name workspace { name } } }');
    expect({ status, data }).toEqual({
      status: 200,
      data: { viewer: { name: 'frontend', workspace: { name: 'Acme' } } },
    });
    expect(await statusOf(`${caddy.address}/readyz`)).toBe(200);
  });

  test('one gateway answers from what the other has cached', async () => {
    const query = 'query Cached { accounts(first: 7) { nodes { accountId } } }';
    const first = await graphql(addressOf('gateway-1'), key, query);
    expect(first.headers.get('cache-status')).toBe('Postern; fwd=miss; stored');
    const second = await graphql(addressOf('gateway-2'), key, query);
    expect(second.headers.get('cache-status')).toBe('Postern; hit');
    expect(second.data).toEqual(first.data);
  });

  test('a webhook gets the events of both, and each sees in a subscription what the other delivers', async () => {
    const query = `mutation Create($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename } }`;
    const input = { requestUrl: receiver.address, source: 'USERS', events: ['NEW_RELATION'] };
    const created = await graphql(caddy.address, key, query, { input });
    expect(created.data).toEqual({ createWebhook: { __typename: 'WebhookCreated' } });
    const watched = Object.keys(gateways).map((name) => {
      const client = createClient({ url: `${addressOf(name)}/graphql`, headers: { 'x-api-key': key } });
      onTestFinished(() => client.dispose());
      const seen: unknown[] = [];
      const subscription = { query: 'subscription { deliveryUpdated { deliveryId state } }' };
      const next = (result: { data?: unknown }) => seen.push(result.data);
      client.subscribe(subscription, { next, error: (error) => seen.push(error), complete: () => undefined });
      return seen;
    });
    // Until both are open: nothing says so before the first event.
    await sleep(2_000);
    const ids: string[] = [];
    for (const name of Object.keys(gateways)) {
      const { data } = await emit(addressOf(name), `across-${name}`);
      ids.push(data.emitEvent.deliveries[0].deliveryId);
    }
    await receiver.waitFor(2);
    for (const seen of watched)
      for (const deliveryId of ids)
        await expect.poll(() => seen).toContainEqual({ deliveryUpdated: { deliveryId, state: 'SUCCEEDED' } });
  });

  test('no request fails while each gateway is stopped and started again, and every event arrives', async () => {
    const before = receiver.received.length;
    const load = startLoad();
    for (const name of Object.keys(gateways)) {
      gateways[name]?.child.kill('SIGTERM');
      expect((await gateways[name]?.ended)?.code).toBe(0);
      start(name);
      await isBack(name);
    }
    await load.stop();
    expect(Object.fromEntries(load.statuses)).toEqual({ 200: expect.any(Number) });
    expect(load.statuses.get(200)).toBeGreaterThan(50);
    expect(new Set(load.emitted)).toEqual(new Set(['EventEmitted']));
    await expect
      .poll(() => new Set(receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])).size)
      .toBe(load.emitted.length);
  });

  test('after a kill only what the gateway had begun fails, and the other one goes on with its deliveries', async () => {
    const before = receiver.received.length;
    const load = startLoad();
    await sleep(1_000);
    gateways['gateway-2']?.child.kill('SIGKILL');
    await gateways['gateway-2']?.ended;
    await sleep(5_000);
    const { 200: served = 0, ...failed } = Object.fromEntries(load.statuses);
    await sleep(2_000);
    await load.stop();
    const { 200: servedLater = 0, ...failedLater } = Object.fromEntries(load.statuses);
    expect(servedLater).toBeGreaterThan(served);
    expect(failedLater).toEqual(failed);
    // One request of each client at most.
    expect(Object.keys(failed)).toEqual(failed[502] === undefined ? [] : ['502']);
    expect(failed[502] ?? 0).toBeLessThanOrEqual(8);
    await expect
      .poll(() => new Set(receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])).size)
      .toBeGreaterThanOrEqual(load.emitted.length);
    start('gateway-2');
    await isBack('gateway-2');
    expect(await isHealthy('gateway-2')).toBe(true);
  });
});

describe.skipIf(!isHere)('the pods of Kubernetes', () => {
  test('the job migrates, and a gateway then responds to its probes', async () => {
    await using directory = await temporaryDirectory();
    const place = await (postgres as NonNullable<typeof postgres>).location();
    onTestFinished(() => place.drop());
    const files = { secret: 's'.repeat(40), 'database-url': place.url, 'redis-url': redisUrl ?? '' };
    await mkdir(join(directory.path, 'secrets'));
    for (const [name, text] of Object.entries(files))
      await writeFile(join(directory.path, 'secrets', name), `${text}\n`);
    const { Job, Deployment } = manifests;
    const [{ mountPath }] = Deployment.spec.template.spec.containers[0].volumeMounts;
    const environment = environmentOf(podVariables, join(directory.path, 'secrets'), mountPath);
    const { command } = Job.spec.template.spec.containers[0];
    expect(await runCommand(command, environment)).toMatch(/^Migrated the database:\n {2}001/);
    expect(await runCommand(command, environment)).toMatch(/^Nothing is pending/);
    const gateway = startProcess('src/app/main.js', [], { ...environment, PORT: '0' });
    onTestFinished(async () => {
      gateway.child.kill('SIGKILL');
      await gateway.ended;
    });
    const [, address] = await gateway.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
    const [, metrics] = await gateway.line(/(http:\/\/127\.0\.0\.1:\d+\/metrics)/);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path } = Deployment.spec.template.spec.containers[0][probe].httpGet;
      expect(await statusOf(address + path), path).toBe(200);
    }
    expect(await statusOf(metrics ?? '')).toBe(200);
  });
});
