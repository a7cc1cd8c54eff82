/** The webhooks that a gateway keeps at a service: found by name, repaired, and alone touched. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRegistrar } from '../../src/app/intake/open.ts';
import { createRegistrations, type RegistrationsContext } from '../../src/app/intake/registrations.ts';
import type { Webhook, WebhookCreate } from '../../src/capabilities/webhooks/shapes.ts';
import { type WebhookEvent, webhookEvents } from '../../src/events/sources.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { nothingSpent } from '../../src/kernel/request-context.ts';
import { keyringOf } from '../../src/kernel/secrets/secret.ts';
import type { Upstream } from '../../src/upstream/client.ts';
import { type Fronting, startFronting } from '../support/fronting.ts';
import { requestContext } from '../support/request-context.ts';
import { testSecret } from '../support/webhooks.ts';

const events: readonly WebhookEvent[] = ['message_received', 'mail_sent', 'ok'];

/** A service in memory, with webhooks that others have made. */
function serviceOf({
  most = 100,
  shows = (webhook: Webhook) => webhook,
  pages = (all: readonly Webhook[]) => [all],
  cursorOf = (page: number, count: number): string | null => (page < count ? `${page}` : null),
} = {}) {
  const webhooks = new Map<string, Webhook>();
  const calls: string[] = [];
  const add = (request: Partial<WebhookCreate>) => {
    const id = randomUUID();
    const { source, account_ids = [], data = [], headers = [], name, ...others } = request;
    webhooks.set(id, {
      ...({ object: 'Webhook', type: 'AUTO', enabled: true, format: 'json', request_url: '' } as Webhook),
      ...(others as object),
      ...(name === undefined ? {} : { name }),
      id,
      account_ids: account_ids.map((each) => ({ id: each, type: 'PNET', name: 'Ada' })),
      data,
      headers,
    } as Webhook);
    return id;
  };
  const call = async (_context: unknown, { name }: { name: string }, request: object) => {
    calls.push(name);
    if (name === 'WHLIST') {
      const all = pages([...webhooks.values()].map(shows));
      const page = Number((request as { cursor?: string }).cursor ?? 0) || 0;
      return { object: 'WebhookList', items: all[page] ?? [], cursor: cursorOf(page + 1, all.length) };
    }
    if (name === 'WHDEL') return webhooks.delete((request as { id: string }).id);
    if (webhooks.size >= most) throw new ServiceError('action_required', { detail: `No more than ${most}.` });
    return { object: 'WebhookCreated', webhook_id: add(request as WebhookCreate) };
  };
  return { webhooks, calls, add, service: { call } as unknown as Upstream };
}

const registrationsOf = (service: Upstream, options: Partial<RegistrationsContext> = {}) =>
  createRegistrations({
    service,
    settings: { publicUrl: 'https://gateway.example', events },
    prefixes: ['postern-intake-0'],
    secret: 'the secret',
    context: () => ({ ...requestContext(''), spent: nothingSpent() }),
    alone: (work) => work(async () => undefined),
    learn: async () => undefined,
    ...options,
  });

const active = events.map((event) => ({ event, state: 'active', detail: null }));

describe('registrations', () => {
  test('are created once, each with the address, the secret and all fields of its event', async () => {
    const { webhooks, service, calls } = serviceOf();
    const registrations = registrationsOf(service);
    expect(await registrations.status()).toEqual(events.map((event) => ({ event, state: 'missing', detail: null })));
    expect(await registrations.sync()).toEqual(active);
    calls.length = 0;
    expect(await registrations.sync()).toEqual(active);
    expect(calls).toEqual(['WHLIST']);
    const [message, , status] = [...webhooks.values()];
    expect(message).toMatchObject({
      name: 'postern-intake-0 message_received',
      request_url: 'https://gateway.example/intake/message_received',
      events: ['message_received'],
      enabled: true,
      headers: [{ key: 'x-postern-intake', value: 'the secret' }],
    });
    expect(message?.data).toContainEqual({ name: 'chat_id', key: 'chat_id' });
    expect(status?.data).toEqual([]);
  });

  test.each<[string, (webhook: Webhook) => object]>([
    ['was disabled', () => ({ enabled: false })],
    ['has another address', () => ({ request_url: 'https://elsewhere.example' })],
    ['has another format', () => ({ format: 'form' })],
    ['has another event', () => ({ events: ['message_read'] })],
    ['is for some accounts', () => ({ account_ids: [{ id: 'a', type: 'PNET' }] })],
    ['has another secret', () => ({ headers: [{ key: 'x-postern-intake', value: 'another' }] })],
    ['has no secret', () => ({ headers: [] })],
    ['lacks a field', ({ data }) => ({ data: data.slice(1) })],
    ['is there twice', (webhook) => webhook],
  ])('one that %s is replaced, and others stay', async (what, change) => {
    const { webhooks, service, add } = serviceOf();
    const foreign = add({ name: 'postern-intake-1 message_received', request_url: 'https://other.example' });
    const registrations = registrationsOf(service);
    await registrations.sync();
    const [id, webhook] = [...webhooks].find(([, { name }]) => name === 'postern-intake-0 message_received') ?? [];
    if (id === undefined || webhook === undefined) throw new Error('no webhook');
    if (what === 'is there twice') webhooks.set('copy', { ...webhook, id: 'copy' });
    else webhooks.set(id, { ...webhook, ...change(webhook) } as Webhook);
    expect(await registrations.sync()).toEqual(active);
    expect([...webhooks.keys()]).toContain(foreign);
    expect([...webhooks.values()].filter(({ name }) => name?.startsWith('postern-intake-0 '))).toHaveLength(3);
    expect(
      [...webhooks.values()].filter(({ enabled, headers }) => enabled && headers[0]?.value === 'the secret'),
    ).toHaveLength(3);
  });

  test('of a former secret, and of events that are not wanted, go', async () => {
    const { webhooks, service } = serviceOf();
    await registrationsOf(service, { prefixes: ['postern-intake-9'], secret: 'former' }).sync();
    const now = registrationsOf(service, {
      prefixes: ['postern-intake-0', 'postern-intake-9'],
      settings: { publicUrl: 'https://gateway.example', events: ['ok'] },
    });
    await now.sync();
    expect([...webhooks.values()].map(({ name }) => name)).toEqual(['postern-intake-0 ok']);
    expect(await now.remove()).toBe(1);
    expect(webhooks.size).toBe(0);
  });

  test('are told one by one when the service refuses some', async () => {
    const { service } = serviceOf({ most: 2 });
    expect(await registrationsOf(service).sync()).toEqual([
      { event: 'message_received', state: 'active', detail: null },
      { event: 'mail_sent', state: 'active', detail: null },
      { event: 'ok', state: 'refused', detail: 'No more than 2.' },
    ]);
  });

  test('are not replaced for ever where the service does not show all', async () => {
    const shows = ({ headers, ...webhook }: Webhook) =>
      ({ ...webhook, headers: headers.map(({ key }) => ({ key, value: '********' })) }) as Webhook;
    const { service, calls } = serviceOf({ shows });
    const registrations = registrationsOf(service);
    expect(await registrations.sync()).toEqual(active);
    calls.length = 0;
    await registrations.sync();
    expect(calls).toEqual(['WHLIST']);
  });

  test('count once, where pages overlap', async () => {
    const { webhooks, service } = serviceOf({ pages: (all) => [all, all] });
    const registrations = registrationsOf(service);
    expect([await registrations.sync(), await registrations.sync()]).toEqual([active, active]);
    expect(webhooks.size).toBe(3);
  });

  test.each([
    ['repeats a cursor', () => 'again'],
    ['has no last page', (page: number) => `${page}`],
  ])('are not made at a service whose list %s', async (_, cursorOf) => {
    const { webhooks, service, calls } = serviceOf({ cursorOf });
    await expect(registrationsOf(service).sync()).rejects.toThrow('does not end');
    expect([webhooks.size, calls.length <= 40]).toEqual([0, true]);
  });

  test.each<[string, object]>([
    ['name', { name: null }],
    ['headers', { name: 'postern-intake-0 ok', headers: null }],
    ["header's key", { name: 'postern-intake-0 ok', headers: [{}, null] }],
    ['data', { name: 'postern-intake-0 mail_sent', data: null }],
    ['accounts', { account_ids: [{ id: 'a', name: 5, type: {} }] }],
  ])('are kept beside a webhook with an odd %s', async (_, odd) => {
    const { webhooks, service } = serviceOf();
    webhooks.set('odd', { id: 'odd', enabled: true, headers: [], data: [], account_ids: [], ...odd } as never);
    const learned: unknown[] = [];
    const learn = async (accounts: readonly object[]) => void learned.push(...accounts);
    expect(await registrationsOf(service, { learn }).sync()).toEqual(active);
    for (const account of learned) expect(account).toEqual({ id: 'a', name: undefined, type: undefined });
  });

  test.each<[string, (webhook: Webhook) => object]>([
    ['changes their names', ({ name }) => ({ name: name?.slice(0, 9) })],
    ['keeps them disabled', () => ({ enabled: false })],
  ])('are refused, and not made again and again, where the service %s', async (_, change) => {
    const { webhooks, service } = serviceOf({ shows: (webhook) => ({ ...webhook, ...change(webhook) }) as Webhook });
    const registrations = registrationsOf(service);
    expect((await registrations.sync()).map(({ state }) => state)).toEqual(['refused', 'refused', 'refused']);
    await registrations.sync();
    expect(webhooks.size).toBe(0);
  });

  test('are replaced though somebody else has just deleted the former ones', async () => {
    const { webhooks, service } = serviceOf();
    const registrations = registrationsOf(service);
    await registrations.sync();
    for (const [id, webhook] of webhooks) webhooks.set(id, { ...webhook, enabled: false });
    const call: Upstream['call'] = async (context, endpoint, request) => {
      const response = await service.call(context, endpoint, request);
      if (endpoint.name === 'WHDEL') throw new ServiceError('resource_not_found');
      return response;
    };
    expect(await registrationsOf({ ...service, call }).sync()).toEqual(active);
    expect(webhooks.size).toBe(3);
  });

  test('tell of the accounts of all webhooks', async () => {
    const { service, add } = serviceOf();
    add({ name: 'theirs', account_ids: ['a'] });
    const learned: unknown[] = [];
    await registrationsOf(service, { learn: async (accounts) => void learned.push(...accounts) }).status();
    expect(learned).toEqual([{ id: 'a', name: 'Ada', type: 'PNET' }]);
  });
});

describe('two gateways of one database', () => {
  let fronting: Fronting;
  beforeAll(async () => {
    fronting = await startFronting();
  }, 30_000);
  afterAll(() => fronting.close());

  test('make each webhook once', async () => {
    const { database } = fronting.service.app;
    const count = async () =>
      (await database.selectFrom('webhooks').select('id').where('name', 'like', 'postern-intake-%').execute()).length;
    expect(await count()).toBe(webhookEvents.length);
    const names = async () => {
      const rows = await database
        .selectFrom('webhooks')
        .select('name')
        .where('name', 'like', 'postern-intake-%')
        .execute();
      return rows.map(({ name }) => name).sort();
    };
    const before = await names();
    await database.deleteFrom('webhooks').where('name', 'like', 'postern-intake-%').execute();
    const database_ = fronting.front.app.database;
    const others = [1, 2, 3, 4].map(() => fronting.registrar(database_));
    await Promise.all(others.map((registrar) => registrar.sync()));
    expect(await names()).toEqual(before);
  });

  test('make each once though the service takes longer than a process may keep the others out', async () => {
    let clock = fronting.front.clock.now.getTime();
    const { webhooks, service } = serviceOf();
    const registrarOf = (call: Upstream['call'], stopped?: AbortSignal) =>
      createRegistrar({
        service: { ...service, call },
        settings: { publicUrl: 'https://gateway.example', events },
        keys: keyringOf({ current: testSecret, previous: undefined })('intake'),
        database: fronting.front.app.database,
        workspaceId: 'service',
        now: () => new Date(clock),
        learn: async () => undefined,
        ...(stopped && { stopped }),
      });
    const other = registrarOf(service.call);
    const slow: Upstream['call'] = async (context, endpoint, request) => {
      if (endpoint.name !== 'WHCREATE') return service.call(context, endpoint, request);
      clock += 45_000;
      await other.sync();
      return service.call(context, endpoint, request);
    };
    await registrarOf(slow).sync();
    expect(webhooks.size).toBe(3);
    webhooks.clear();
    const stopping = new AbortController();
    const stopped: Upstream['call'] = async (context, endpoint, request) => {
      if (endpoint.name === 'WHCREATE') stopping.abort();
      return service.call(context, endpoint, request);
    };
    await expect(registrarOf(stopped, stopping.signal).sync()).rejects.toThrow();
    expect(webhooks.size).toBe(1);
    // The next process need not wait.
    await other.sync();
    expect(webhooks.size).toBe(3);
  });

  test('are told by the command, which repairs and removes them', async () => {
    const run = (...args: string[]) => fronting.command('src/app/cli/intake.ts', args);
    expect(await run('status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^message_received +active$/m),
    });
    await fronting.service.app.database.deleteFrom('webhooks').where('events', '=', '["ok"]').execute();
    expect(await run('status')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^ok +missing$/m) });
    expect(await run('sync')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok +active$/m) });
    expect(await run('remove')).toMatchObject({
      code: 0,
      stdout: `Deleted ${webhookEvents.length} webhooks at the service.\n`,
    });
    expect(await run('nothing')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('must be one of status, sync, remove'),
    });
  });
});
