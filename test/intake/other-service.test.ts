/** Own webhooks in front of a service with words, faults and limits of its own. */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { webhookEvents } from '../../src/events/sources.ts';
import { freePort, runCommand } from '../support/fronting.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';

const names = {
  path_segments: { v1: 'v9', webhooks: 'hooks' },
  webhook_objects: { WebhookList: 'Hooks', Webhook: 'Hook', WebhookCreated: 'HookMade', WebhookDeleted: 'HookGone' },
  webhook_formats: { json: 'application/json' },
  webhook_sources: { messaging: 'chat', account_status: 'login' },
  webhook_events: { message_received: 'chat.in', credentials: 'login.expired', ok: 'login.fine' },
  webhook_data_keys: { message: 'text', chat_id: 'room' },
  account_types: { PNET: 'ACME', MAIL: 'PNET' },
  errors: { action_required: 'plan_exhausted' },
};

interface Hook {
  readonly id: string;
  readonly request_url: string;
  readonly source: string;
  readonly events: readonly string[];
  readonly headers: readonly { key: string; value: string }[];
  readonly data?: readonly { name: string; key: string }[];
}

/** It has room for so many webhooks. */
const most = 19;
const wanted = webhookEvents.slice(0, most + 1);
const refused = wanted.at(-1) ?? '';
const untold = 'the service does not send all of its events';

/** A service of another vendor. */
class Service {
  readonly hooks = new Map<string, Hook>();
  readonly unknown: string[] = [];
  readonly port: number;
  #server: Server | null = null;

  constructor(port: number) {
    this.port = port;
  }

  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const [status, content] = this.#serve(`${request.method} ${request.url?.replace(/\?.*/, '')}`, body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    server.closeAllConnections();
    await promisify(server.close.bind(server))();
  }

  #serve(call: string, body: string): [number, object] {
    const id = randomUUID();
    if (call === 'GET /v9/hooks') return [200, { object: 'Hooks', items: [...this.hooks.values()], cursor: null }];
    if (call === 'POST /v9/hooks' && this.hooks.size < most) {
      const hook = { object: 'Hook', type: 'AUTO', account_ids: [], ...JSON.parse(body), id };
      this.hooks.set(id, hook);
      return [201, { object: 'HookMade', webhook_id: id }];
    }
    if (call === 'POST /v9/hooks') {
      return [403, { type: 'errors/plan_exhausted', title: 'Plan exhausted', detail: `Your plan has ${most} hooks.` }];
    }
    const gone = /^DELETE \/v9\/hooks\/(.+)$/.exec(call)?.[1] ?? '';
    if (this.hooks.delete(gone)) return [200, { object: 'HookGone' }];
    if (!call.startsWith('GET /readyz')) this.unknown.push(call);
    return [404, { type: 'errors/resource_not_found', title: 'Not found' }];
  }

  /** Sends an event of the account as its webhook says. @returns the status of the response */
  async send(event: string, accountId: string, fields: Record<string, unknown>, isForm = false): Promise<number> {
    const hook = [...this.hooks.values()].find(({ events }) => events.includes(event));
    if (hook === undefined) throw new Error(`Nobody wants ${event}`);
    const mapped = hook.data?.map(({ name, key }): [string, unknown] => [name, fields[key]]) ?? Object.entries(fields);
    const payload = Object.fromEntries(mapped.filter(([, value]) => value !== undefined));
    const body = { account_id: accountId, account_type: 'ACME', ...payload };
    const { status } = await fetch(hook.request_url, {
      method: 'POST',
      headers: {
        ...Object.fromEntries(hook.headers.map(({ key, value }) => [key, value])),
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      },
      body: isForm ? new URLSearchParams(body as unknown as Record<string, string>).toString() : JSON.stringify(body),
    });
    return status;
  }
}

describe('a service of another vendor', () => {
  const file = join(tmpdir(), `postern-names-${randomUUID()}.json`);
  let service: Service;
  let front: Gateway;
  let caller: TestWorkspace;
  let environment: Record<string, string>;
  beforeAll(async () => {
    service = new Service(await freePort());
    await service.start();
    const port = await freePort();
    await writeFile(file, JSON.stringify(names));
    environment = {
      PORT: `${port}`,
      METRICS_PORT: '0',
      UPSTREAM_URL: `http://127.0.0.1:${service.port}`,
      UPSTREAM_API_KEY: 'key-of-the-service',
      UPSTREAM_NAMES: file,
      WEBHOOKS: 'own',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      INTAKE_EVENTS: wanted.join(),
      OUTBOUND_ALLOW: '127.0.0.0/8',
    };
    front = await startGateway({ environment });
    caller = await front.workspace();
    await vi.waitFor(() => expect(front.log.map(({ msg }) => msg)).toContain(untold), 10_000);
  });
  afterAll(async () => {
    await front?.close();
    await service?.stop();
    await rm(file, { force: true });
  });

  const intake = (command: string) => runCommand(front, environment, 'src/app/cli/intake.ts', [command]);
  const ask = (query: string, variables = {}) => graphql(front.address, caller.key, query, variables);
  const ready = async () => {
    const response = await fetch(`${front.address}/readyz`);
    return [response.status, await response.json()];
  };

  async function receiving(accountId: string) {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const { data } = await ask(
      `mutation ($url: String!, $id: ID!) {
        createWebhook(input: { requestUrl: $url, accountIds: [$id], source: MESSAGING }) { __typename }
      }`,
      { url: receiver.address, id: accountId },
    );
    expect(data.createWebhook.__typename).toBe('WebhookCreated');
    return receiver;
  }

  test('that refuses the 20th webhook has the others, in its own words, and the refusal is told everywhere', async () => {
    expect([service.hooks.size, service.unknown]).toEqual([most, []]);
    const hook = [...service.hooks.values()].find(({ events }) => events.includes('chat.in'));
    expect(hook).toMatchObject({ source: 'chat', format: 'application/json' });
    expect(hook?.data).toContainEqual({ name: 'message', key: 'text' });

    const detail = `Your plan has ${most} hooks.`;
    const told = front.log.filter(({ msg }) => msg === untold);
    expect(told).toEqual([expect.objectContaining({ why: [{ event: refused, detail }] })]);
    expect(await ready()).toEqual([200, { status: 'ready', events_not_sent_by_service: [refused] }]);
    const metrics = await (await fetch(front.app.metricsAddress ?? '')).text();
    expect(metrics).toMatch(/^postern_intake_webhooks\{.*state="active".*\} 19\b/m);
    expect(metrics).toMatch(/^postern_intake_webhooks\{.*state="refused".*\} 1\b/m);
    const { code, stdout } = await intake('status');
    expect([code, stdout.match(/ active$/gm)?.length]).toEqual([1, most]);
    expect(stdout).toMatch(new RegExp(`^${refused} +missing$`, 'm'));
  });

  test('has its events delivered once, in the words of the contract, whatever their order and their form', async () => {
    const receiver = await receiving('a1');
    const later = { text: 'later', room: 'r1' };
    const form = { text: 'in a form', room: 'r1' };
    const statuses = [
      await service.send('chat.in', 'a1', later),
      await service.send('chat.in', 'a1', { text: 'earlier', room: 'r1' }),
      await service.send('chat.in', 'a1', later),
      await service.send('chat.in', 'a1', form, true),
      await service.send('chat.in', 'a1', form, true),
    ];
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    await receiver.waitFor(3);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ message }) => message).sort()).toEqual(['earlier', 'in a form', 'later']);
    for (const body of bodies) {
      expect(body).toMatchObject({ event: 'message_received', account_type: 'PNET', chat_id: 'r1' });
    }
    expect(await service.send('login.expired', 'a1', { AccountStatus: { account_type: 'ACME' } })).toBe(200);
    const { data } = await ask('{ account(accountId: "a1") { type status } }');
    expect(data.account).toEqual({ type: 'PNET', status: 'CREDENTIALS' });
  });

  test('hears 503 while the gateway cannot store, and its next attempt is stored once', async () => {
    const receiver = await receiving('a2');
    const { database } = front.app;
    const { id: workspace_id } = await database
      .selectFrom('workspaces')
      .select('id')
      .where('name', '=', 'service')
      .executeTakeFirstOrThrow();
    const day = Math.floor(front.clock.now.getTime() / (24 * 3_600_000));
    const fill = async (bytes: number) => {
      await database
        .insertInto('stored_bytes')
        .values({ workspace_id, day, bytes })
        .onConflict((conflict) => conflict.columns(['workspace_id', 'day']).doUpdateSet({ bytes }))
        .execute();
      // The sum is read anew after a minute.
      front.clock.now = new Date(front.clock.now.getTime() + 61_000);
    };
    const attempt = () => service.send('chat.in', 'a2', { text: 'again' });
    await fill(2 ** 40);
    expect(await attempt()).toBe(503);
    await fill(0);
    expect([await attempt(), await attempt()]).toEqual([200, 200]);
    await receiver.waitFor(1);
    const stored = await database.selectFrom('events').select('id').where('account_id', '=', 'a2').execute();
    expect(stored).toHaveLength(1);
  });

  test('is away for a while: events that arrive are delivered, and all is well when it is back', async () => {
    const receiver = await receiving('a3');
    await service.stop();
    const away = { status: 'ready', service: 'unreachable', events_not_sent_by_service: [refused] };
    await expect.poll(ready, { timeout: 15_000 }).toEqual([200, away]);
    expect(await service.send('chat.in', 'a3', { text: 'meanwhile' })).toBe(200);
    await receiver.waitFor(1);
    expect(await intake('sync')).toMatchObject({ code: 1, stderr: expect.stringContaining('UPSTREAM_URL') });
    await service.start();
    await expect
      .poll(ready, { timeout: 15_000 })
      .toEqual([200, { status: 'ready', events_not_sent_by_service: [refused] }]);
    expect(service.hooks.size).toBe(most);
  }, 40_000);

  test('that forgets its webhooks has them again after the next look', async () => {
    const receiver = await receiving('a4');
    service.hooks.clear();
    const { code, stdout } = await intake('sync');
    expect([code, stdout.match(/ active$/gm)?.length, service.hooks.size]).toEqual([1, most, most]);
    expect(stdout).toMatch(new RegExp(`^${refused} +refused +Your plan has ${most} hooks\\.$`, 'm'));
    expect(await service.send('chat.in', 'a4', { text: 'Hello again' })).toBe(200);
    await receiver.waitFor(1);
  });
});
