/** The events of accounts: a list of what is kept, and a stream of what comes, between which nothing is lost. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-sse';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { learnAccounts } from '../../src/auth/account-repository.ts';
import { type AccountEvent, maxReplayedEvents } from '../../src/capabilities/deliveries/shapes.ts';
import { type WebhookEvent, webhookSources } from '../../src/events/sources.ts';
import type { ServiceError } from '../../src/kernel/errors.ts';
import type { RequestContext } from '../../src/kernel/request-context.ts';
import { maxUnread } from '../../src/store/watch.ts';
import { type DeliveringGateway, deliverySetUps, startDelivering } from '../support/deliveries.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { requestContext } from '../support/request-context.ts';

interface Node {
  readonly eventId: string;
  readonly source: string;
  readonly event: string;
  readonly accountId: string | null;
}

const fields = 'id eventId source event accountId createdAt data account { accountId }';

describe.each(deliverySetUps)('the events of accounts on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let second: Gateway | null;
  let accounts: [string, string];
  let stop: AbortController;

  beforeEach(async () => {
    // No webhook, or nothing is sent to it: events do not depend on deliveries.
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
    accounts = [gateway.accountId, await gateway.space.account()];
    stop = new AbortController();
    second = null;
  });
  afterEach(async () => {
    stop.abort();
    await second?.close();
    await gateway.close();
  });

  const context = (caller: Partial<RequestContext['caller']> = {}): RequestContext => {
    const own = requestContext(gateway.space.workspaceId, stop.signal);
    return { ...own, caller: { ...own.caller, ...caller } };
  };
  async function emit(account_id: string, event: WebhookEvent = 'message_received'): Promise<string> {
    const { event_id } = await gateway.app.ports.deliveries.emit(context(), { account_id, event });
    return event_id;
  }
  /** Of every type of two sources, of both accounts in turn; two of each millisecond. */
  async function emitMany(): Promise<Node[]> {
    const types = [...webhookSources.messaging.events, ...webhookSources.email.events];
    const stored: Node[] = [];
    for (const [place, event] of types.entries()) {
      const accountId = accounts[place % 2] ?? '';
      const source = event.startsWith('mail') ? 'EMAIL' : 'MESSAGING';
      stored.push({ eventId: await emit(accountId, event), source, event: event.toUpperCase(), accountId });
      if (place % 2 === 1) await gateway.pass(1);
    }
    return stored;
  }
  const ask = (query: string, key = gateway.space.key, variables = {}) =>
    graphql(gateway.address, key, query, variables);
  async function whole(args: string, first: number, key?: string): Promise<Node[]> {
    const seen: Node[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { data, errors } = await ask(
        `query ($first: Int!, $after: String) { events(first: $first, after: $after ${args}) {
          nodes { eventId source event accountId } pageInfo { hasNextPage endCursor } } }`,
        key,
        { first, after },
      );
      expect(errors, args).toEqual([]);
      seen.push(...data.events.nodes);
      [after, more] = [data.events.pageInfo.endCursor, data.events.pageInfo.hasNextPage];
    }
    return seen;
  }
  const watch = (
    request: Parameters<Gateway['app']['ports']['deliveries']['watchEvents']>[1] = {},
    from = gateway as Gateway,
  ) => from.app.ports.deliveries.watchEvents(context(), request);
  async function take(events: AsyncGenerator<AccountEvent>, count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const { value, done } = await events.next();
      if (done) break;
      ids.push(value.event_id);
    }
    return ids;
  }

  it('are listed newest first by each filter, page by page, with their data', async () => {
    const stored = await emitMany();
    const all = await whole('', 100);
    expect(new Set(all.map(({ eventId }) => eventId))).toEqual(new Set(stored.map(({ eventId }) => eventId)));
    // The pairs of each millisecond have no order of their own.
    const pairs = (nodes: readonly Node[]) =>
      nodes.map(({ eventId }) => Math.floor(stored.findIndex((each) => each.eventId === eventId) / 2));
    expect(pairs(all)).toEqual(pairs(stored).reverse());
    const [own, other] = accounts;
    const filters: [string, (node: Node) => boolean][] = [
      [`, accountIds: "${own}"`, ({ accountId }) => accountId === own],
      [`, accountIds: ["${own}", "${other}", "${own}"]`, () => true],
      [', sources: EMAIL', ({ source }) => source === 'EMAIL'],
      [', sources: [EMAIL, MESSAGING, USERS]', () => true],
      [', events: MAIL_SENT', ({ event }) => event === 'MAIL_SENT'],
      [
        ', events: [MAIL_SENT, MAIL_SENT, MESSAGE_READ]',
        ({ event }) => event === 'MAIL_SENT' || event === 'MESSAGE_READ',
      ],
      [', sources: EMAIL, events: [MAIL_SENT, MESSAGE_READ]', ({ event }) => event === 'MAIL_SENT'],
      [', sources: EMAIL, events: MESSAGE_READ', () => false],
      [`, sources: EMAIL, events: MESSAGE_READ, accountIds: "${own}"`, () => false],
      [
        `, sources: MESSAGING, accountIds: "${other}"`,
        ({ source, accountId }) => source === 'MESSAGING' && accountId === other,
      ],
      [', sources: null, events: null, accountIds: null', () => true],
      [', sources: []', () => false],
      [`, events: [], accountIds: "${own}"`, () => false],
    ];
    for (const [args, fits] of filters)
      for (const first of [1, 4, 100]) expect(await whole(args, first), args).toEqual(all.filter(fits));
    const { data, errors } = await ask(`{ events(first: 1, events: MESSAGE_RECEIVED) { nodes { ${fields} } } }`);
    expect(errors).toEqual([]);
    const [message] = data.events.nodes;
    expect(message).toMatchObject({
      source: 'MESSAGING',
      data: { message: expect.any(String) },
      account: { accountId: own },
    });
    const again = await ask(
      'query ($id: ID!) { node(id: $id) { ... on AccountEvent { eventId createdAt } } }',
      undefined,
      { id: message.id },
    );
    expect(again.data.node).toEqual({ eventId: message.eventId, createdAt: message.createdAt });
  });

  it('have cursors for one list', async () => {
    await emitMany();
    const { data } = await ask('{ events(first: 1) { pageInfo { endCursor } } }');
    const after = data.events.pageInfo.endCursor;
    for (const args of ['sources: EMAIL', 'events: MAIL_SENT', `accountIds: "${accounts[0]}"`]) {
      const { errors } = await ask(
        `query ($after: String) { events(first: 1, after: $after, ${args}) { nodes { id } } }`,
        undefined,
        { after },
      );
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['after'] }] } }]);
    }
  });

  it('are those of the accounts of a limited key, of keys with the scope, and of no other workspace', async () => {
    const stored = await emitMany();
    const [own, other] = accounts;
    const limited = await gateway.space.newKey({ accountIds: [own] });
    const mine = stored.filter(({ accountId }) => accountId === own);
    expect((await whole('', 2, limited)).map(({ eventId }) => eventId).sort()).toEqual(
      mine.map(({ eventId }) => eventId).sort(),
    );
    const foreign = stored.find(({ accountId }) => accountId === other)?.eventId ?? '';
    const request = context({ accountIds: new Set([own]) });
    const ids = [mine[0]?.eventId ?? '', foreign, 'malformed'];
    expect((await gateway.app.ports.deliveries.findEvents(request, ids)).map((each) => each?.event_id)).toEqual([
      ids[0],
      undefined,
      undefined,
    ]);
    expect((await gateway.app.ports.deliveries.dataOfEvents(request, ids)).map((each) => each !== null)).toEqual([
      true,
      false,
      false,
    ]);
    expect((await ask(`{ events(accountIds: "${other}") { nodes { id } } }`, limited)).errors).toMatchObject([
      { extensions: { code: 'ACCOUNT_MISMATCH' } },
    ]);
    const unscoped = await gateway.space.newKey({ scopes: ['accounts:read'] });
    expect((await ask('{ events { nodes { id } } }', unscoped)).errors).toMatchObject([
      { extensions: { code: 'INSUFFICIENT_PRIVILEGES' } },
    ]);
    // Where all keys share a workspace, there is no other that a key reaches.
    if (!dialect.isFronting) {
      const stranger = await gateway.workspace();
      expect(await whole('', 10, stranger.key)).toEqual([]);
    }
    const streams = [
      await gateway.app.ports.deliveries.watchEvents(request, {}),
      await gateway.app.ports.deliveries.watchEvents({ ...context({ workspaceId: 'another' }) }, {}),
    ];
    const seen: string[][] = [[], []];
    const reading = streams.map(async (events, place) => {
      for await (const { event_id } of events) seen[place]?.push(event_id);
    });
    await emit(other);
    const told = await emit(own);
    await expect.poll(() => seen[0]).toEqual([told]);
    expect(seen[1]).toEqual([]);
    stop.abort();
    await Promise.all(reading);
  });

  it('of an account that the key cannot have are refused by the list and the stream alike', async () => {
    const [own, other] = accounts;
    const { deliveries } = gateway.app.ports;
    const another = await gateway.workspace();
    const limited = context({ accountIds: new Set([own]) });
    const limitedThere = context({ workspaceId: another.workspaceId });
    const rows: [RequestContext, string, string | null][] = [
      [context(), own, null],
      [limited, own, null],
      [limited, other, 'account_mismatch'],
      // A service has accounts that nothing has told of yet, and their ids have any form.
      [context(), 'nope', dialect.isFronting ? null : 'resource_not_found'],
      [context(), 'A'.repeat(22), dialect.isFronting ? null : 'resource_not_found'],
      [context(), '../odd', 'resource_not_found'],
      ...(dialect.isFronting ? [] : [[limitedThere, own, 'resource_not_found'] as [RequestContext, string, string]]),
    ];
    for (const [request, id, refusal] of rows) {
      const tries = [
        () => deliveries.events(request, { account_ids: [id] }),
        () => deliveries.watchEvents(request, { account_ids: [id] }),
        () => deliveries.watchEvents(request, { account_ids: [id], since: gateway.clock.now.toISOString() }),
      ];
      const told = await Promise.all(
        tries.map((act) =>
          act().then(
            () => null,
            ({ errorName }: ServiceError) => errorName,
          ),
        ),
      );
      expect({ id, told }).toEqual({ id, told: [refusal, refusal, refusal] });
    }
  });

  it.runIf(dialect.isFronting)('come for an account with an id of its service', async () => {
    await learnAccounts(gateway.app.database, gateway.space.workspaceId, [{ id: 'acc_1' }], gateway.clock.now);
    const events = await watch({ account_ids: ['acc_1'] });
    await emit(accounts[0]);
    const eventId = await emit('acc_1');
    expect(await take(events, 1)).toEqual([eventId]);
    expect((await whole(', accountIds: "acc_1"', 10)).map((each) => each.eventId)).toEqual([eventId]);
  });

  it('leave out what is for one webhook alone', async () => {
    const { ports } = gateway.app;
    const webhook_id = await gateway.webhook('https://hooks.example/');
    const trigger = JSON.stringify({ icon: 'bolt', name: 'Fire', context: 'CHAT' });
    const fired = await gateway.webhook('https://hooks.example/', {
      type: 'TRIGGER',
      source: null,
      events: '[]',
      trigger,
    });
    const events = await watch();
    const reading = take(events, 1);
    await ports.deliveries.sendTest(context(), { webhook_id });
    await ports.deliveries.fireTrigger(context(), {
      webhook_id: fired,
      account_id: accounts[0],
      chat_id: 'c',
    });
    const eventId = await emit(accounts[0]);
    expect(await reading).toEqual([eventId]);
    expect((await whole('', 10)).map((each) => each.eventId)).toEqual([eventId]);
    expect((await whole(`, accountIds: "${accounts[0]}"`, 10)).map((each) => each.eventId)).toEqual([eventId]);
    expect(await gateway.deliveries()).toHaveLength(2);
  });

  it('are told by each filter, in the process that stores them and in others', async () => {
    second = await startGateway({ environment: gateway.environment });
    for (const listening of [gateway, second]) {
      const streams = [
        await watch({}, listening),
        await watch({ account_ids: [accounts[1]] }, listening),
        await watch({ sources: ['email'] }, listening),
        await watch({ events: ['mail_sent', 'message_read'], account_ids: [accounts[0]] }, listening),
      ];
      const seen = streams.map(() => [] as string[]);
      for (const [place, events] of streams.entries())
        void (async () => {
          for await (const { event_id } of events) seen[place]?.push(event_id);
        })();
      const stored = await emitMany();
      await expect.poll(() => seen[0]).toHaveLength(stored.length);
      const fitting = (fits: (node: Node) => boolean) => stored.filter(fits).map(({ eventId }) => eventId);
      await expect
        .poll(() => seen)
        .toEqual([
          fitting(() => true),
          fitting(({ accountId }) => accountId === accounts[1]),
          fitting(({ source }) => source === 'EMAIL'),
          fitting(
            ({ event, accountId }) => accountId === accounts[0] && (event === 'MAIL_SENT' || event === 'MESSAGE_READ'),
          ),
        ]);
    }
  });

  it('are lost by no page that reads and then follows, and come once', async () => {
    let isEmitting = true;
    const stored: string[] = [];
    const emitting = (async () => {
      while (isEmitting) {
        stored.push(await emit(accounts[stored.length % 2] ?? ''));
        gateway.clock.now = new Date(gateway.clock.now.getTime() + 3_000);
        await setImmediate();
      }
    })();
    try {
      for (let round = 0; round < 10; round += 1) {
        const { items } = await gateway.app.ports.deliveries.events(context(), { limit: 20 });
        const known = new Set(items.map(({ event_id }) => event_id));
        const since = new Date(items[0]?.created_at ?? gateway.clock.now.getTime()).toISOString();
        const before = stored.length;
        await expect.poll(() => stored.length).toBeGreaterThan(before + 5);
        const events = await watch({ since });
        await expect.poll(() => stored.length).toBeGreaterThan(before + 10);
        const meanwhile = stored.slice(before);
        const last = await emit(accounts[0]);
        const ids: string[] = [];
        for await (const { event_id } of events) {
          ids.push(event_id);
          if (event_id === last) break;
        }
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) known.add(id);
        expect(meanwhile.filter((id) => !known.has(id))).toEqual([]);
      }
    } finally {
      isEmitting = false;
      await emitting;
    }
  });

  it('come from since then in order, and not if they are too many', async () => {
    const { database } = gateway.app;
    const old = await emit(accounts[0]);
    await gateway.pass(60_000);
    const stored: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      stored.push(await emit(accounts[n % 2] ?? ''));
      await gateway.pass(1);
    }
    const since = gateway.clock.now.toISOString();
    expect(await take(await watch({ since }), 3)).toEqual(stored);
    expect(await take(await watch({ since, account_ids: [accounts[1]] }), 1)).toEqual(stored.slice(1, 2));
    expect(await take(await watch({ since: new Date(0).toISOString() }), 1)).toEqual([old]);
    const row = await database.selectFrom('events').selectAll().where('id', '=', old).executeTakeFirstOrThrow();
    const many = Array.from({ length: maxReplayedEvents }, (_, n) => ({ ...row, id: `${n}`.padStart(22, 'A') }));
    for (let at = 0; at < many.length; at += 100)
      await database
        .insertInto('events')
        .values(many.slice(at, at + 100))
        .execute();
    await expect(watch({ since: new Date(0).toISOString() })).rejects.toMatchObject({ errorName: 'limit_too_high' });
    expect(await take(await watch({ since }), 3)).toEqual(stored);
  });

  it('end for a reader that falls behind, which is told so, and for nobody else', async () => {
    const [slow, quick] = [await watch(), await watch()];
    const { database } = gateway.app;
    const first = await emit(accounts[0]);
    const row = await database.selectFrom('events').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
    expect(await take(slow, 1)).toEqual([first]);
    // In parts that the feed has read before the next.
    const part = maxUnread / 2 + 1;
    expect(await take(quick, 1)).toEqual([first]);
    for (let place = 0; place < 2; place += 1) {
      const stored = Array.from({ length: part }, (_, n) => ({ ...row, id: `${place * part + n}`.padStart(22, 'A') }));
      await gateway.delivery.notifications.transaction(async (transaction, changed) => {
        for (let at = 0; at < part; at += 100)
          await transaction
            .insertInto('events')
            .values(stored.slice(at, at + 100))
            .execute();
        for (const { id } of stored) changed.event(id);
      });
      expect(await take(quick, part)).toEqual(stored.map(({ id }) => id));
    }
    await expect(slow.next()).rejects.toMatchObject({ errorName: 'service_unavailable' });
    const last = await emit(accounts[0]);
    expect(await take(quick, 1)).toEqual([last]);
  });

  it('end with the key, over a stream whose first bytes say that it has begun', async () => {
    const expiresAt = new Date(gateway.clock.now.getTime() + 60_000);
    const key = await gateway.space.newKey({ scopes: ['webhooks:read'], expiresAt });
    const client = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': key } });
    const results = client.iterate<{ eventReceived: { eventId: string; data: object } }>({
      query: 'subscription { eventReceived(events: MESSAGE_RECEIVED) { eventId data } }',
    });
    const first = results.next();
    let isFirst = false;
    void first.then(() => {
      isFirst = true;
    });
    const emitted: string[] = [];
    while (!isFirst) {
      emitted.push(await emit(accounts[0]));
      await sleep(20);
    }
    const { eventId, data } = (await first).value?.data?.eventReceived ?? expect.unreachable('no event');
    expect(emitted).toContain(eventId);
    expect(data).toMatchObject({ message: expect.any(String) });
    await gateway.pass(120_000);
    let code: unknown;
    for await (const { errors } of results) code = errors?.[0]?.extensions?.code ?? code;
    expect(code).toBe('EXPIRED_CREDENTIALS');
    client.dispose();
  });
});
