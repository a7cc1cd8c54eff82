/** What callers see of deliveries and do about them, over GraphQL, on every database. */
import { createClient } from 'graphql-sse';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { webhookSources } from '../../src/events/sources.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const emit = `mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) { __typename
  ... on EventEmitted { eventId repeated deliveries { deliveryId state webhookId } }
  ... on ServiceError { type detail } ... on InvalidRequestError { issues { path message } } } }`;
const create = `mutation Create($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename
  ... on WebhookCreated { webhookId }
  ... on ServiceError { type detail } ... on InvalidRequestError { issues { path message } } } }`;
const state = `query State($webhookId: ID!, $first: Int! = 50, $after: String, $state: [DeliveryState!]) { webhook(webhookId: $webhookId) {
  enabled health { disabledReason failingSince pausedUntil } headers { key value }
  deliveries(first: $first, after: $after, state: $state) { pageInfo { hasNextPage endCursor } nodes { id deliveryId event state attemptCount nextAttemptAt finishedAt data
    attempts { nodes { number status failure durationMs answer } } } } } }`;
const secret = (name: string) =>
  `mutation Secret($input: WebhookSecretInput!) { ${name}(input: $input) { __typename
  ... on WebhookSecret${name.startsWith('show') ? 'Shown' : 'Rotated'} { secret } ... on ServiceError { type } } }`;

describe.each(databases)('deliveries over GraphQL on $name', (dialect) => {
  let gateway: DeliveringGateway;
  let receiver: Receiver;
  const ask = (query: string, variables = {}, key: string | undefined = gateway.space.key) =>
    graphql(gateway.address, key, query, variables);
  const act = async (name: string, input: object, key?: string) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const { data, errors } = await ask(
      `mutation Act($input: ${type}!) { ${name}(input: $input) { __typename ... on ServiceError { type detail }
        ... on InvalidRequestError { issues { path message } } ... on DeliveriesRedelivered { count }
        ... on WebhookCreated { webhookId } ... on EventEmitted { deliveries { deliveryId } } } }`.replace(
        / \.\.\. on (\w+) \{[^}]*\{[^}]*\} \}| \.\.\. on (\w+) \{[^}]*\}/g,
        (part, nested = '', flat = '') => (allowed(name, nested || flat) ? part : ''),
      ),
      { input },
      key,
    );
    expect(errors).toEqual([]);
    return data[name];
  };
  /** The results that a mutation can have: GraphQL refuses a fragment on another. */
  const allowed = (name: string, type: string) =>
    ({
      DeliveriesRedelivered: ['redeliverAll'],
      WebhookCreated: ['createTriggerWebhook'],
      EventEmitted: ['sendTestEvent', 'fireTriggerWebhook'],
    })[type]?.includes(name) ?? true;
  const read = async (webhookId: string, variables = {}) => {
    const { data, errors } = await ask(state, { webhookId, ...variables });
    expect(errors).toEqual([]);
    return data.webhook;
  };
  const makeWebhook = async (input = {}) => {
    const { data } = await ask(create, {
      input: { requestUrl: receiver.address, source: { users: {} }, ...input },
    });
    return data.createWebhook.webhookId as string;
  };

  beforeEach(async () => {
    receiver = await startReceiver();
    gateway = await startDelivering({ dialect });
  });
  afterEach(async () => {
    await gateway.close();
    await receiver.close();
  });

  it('emits every event of the contract, and its payload has what the webhook chose', async () => {
    for (const name of ['messaging', 'users', 'accountStatus', 'email', 'emailTracking', 'calendarEvent']) {
      await makeWebhook({ source: { [name]: {} }, name: 'All of it' });
    }
    for (const [source, { events, keys }] of Object.entries(webhookSources)) {
      for (const event of events) {
        const before = receiver.received.length;
        const input = { accountId: gateway.accountId, event: event.toUpperCase() };
        const { data, errors } = await ask(emit, { input });
        expect(errors).toEqual([]);
        expect(data.emitEvent).toMatchObject({
          __typename: 'EventEmitted',
          deliveries: [{ deliveryId: expect.any(String) }],
        });
        await gateway.delivery.worker.idle();
        const body = JSON.parse(receiver.received[before]?.body ?? 'null');
        expect(body).toMatchObject({
          event,
          ...((keys as readonly string[]).includes('webhook_name') ? { webhook_name: 'All of it' } : {}),
        });
        const names = Object.keys(body).filter((key) => key !== 'event');
        if (source !== 'account_status')
          expect(names.filter((key) => !(keys as readonly string[]).includes(key))).toEqual([]);
      }
    }
    const samples = await ask('{ eventSamples { source event payload } }');
    expect(samples.data.eventSamples).toHaveLength(26);
  });

  it('takes data of its own, and says which key is wrong', async () => {
    await makeWebhook();
    const input = { accountId: gateway.accountId, event: 'NEW_RELATION', idempotencyKey: 'one' };
    const wrong = await ask(emit, { input: { ...input, data: { account_id: 'x', nonsense: 1 } } });
    expect(wrong.data.emitEvent).toMatchObject({
      type: 'errors/invalid_parameters',
      issues: [{ path: ['input', 'data'], message: 'must not have account_id: the gateway sets it' }],
    });
    const right = { ...input, data: { user_full_name: 'Grace' } };
    const [first, second] = [await ask(emit, { input: right }), await ask(emit, { input: right })];
    expect(second.data.emitEvent).toMatchObject({ repeated: true, eventId: first.data.emitEvent.eventId });
    const other = await ask(emit, { input: { ...input, data: { user_full_name: 'Ada' } } });
    expect(other.data.emitEvent.issues).toMatchObject([{ path: ['input', 'idempotencyKey'] }]);
    await gateway.delivery.worker.idle();
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: 'new_relation', user_full_name: 'Grace', timestamp: gateway.clock.now.toISOString() },
    ]);
    const unknown = await ask(emit, { input: { ...input, accountId: 'A'.repeat(22) } });
    expect(unknown.data.emitEvent.type).toBe('errors/resource_not_found');
    const scoped = await ask(emit, { input }, await gateway.space.newKey({ scopes: ['webhooks:write'] }));
    expect(scoped.errors[0]?.extensions.type).toBe('errors/insufficient_privileges');
  });

  it('shows a delivery fail, retry and succeed', async () => {
    const webhookId = await makeWebhook();
    receiver.answer = (_request, response) => response.writeHead(503).end('busy');
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(await read(webhookId)).toMatchObject({
      health: { failingSince: gateway.clock.now.toISOString() },
      deliveries: {
        nodes: [
          {
            event: 'NEW_RELATION',
            state: 'PENDING',
            attemptCount: 1,
            finishedAt: null,
            attempts: { nodes: [{ number: 1, status: 503, failure: null, answer: 'busy' }] },
          },
        ],
      },
    });
    receiver.answer = (_request, _response, raw) => raw.socket.resetAndDestroy();
    await gateway.pass(7_000);
    receiver.answer = (_request, response) => void response.end('thanks');
    await gateway.pass(80_000);
    const { health, deliveries } = await read(webhookId);
    expect(health).toEqual({ disabledReason: null, failingSince: null, pausedUntil: null });
    expect(deliveries.nodes).toMatchObject([
      {
        state: 'SUCCEEDED',
        attemptCount: 3,
        nextAttemptAt: null,
        attempts: {
          nodes: [{ status: 503 }, { status: null, failure: 'CONNECTION_LOST' }, { status: 200, answer: 'thanks' }],
        },
      },
    ]);
    const { data } = await ask('query N($id: ID!) { node(id: $id) { __typename id } }', { id: deliveries.nodes[0].id });
    expect(data.node).toEqual({ __typename: 'Delivery', id: deliveries.nodes[0].id });
  });

  it('lists deliveries page by page, the newest first, by state', async () => {
    const webhookId = await makeWebhook();
    for (let n = 0; n < 5; n += 1) {
      gateway.clock.now = new Date(gateway.clock.now.getTime() + 1);
      await gateway.emit(n);
    }
    await gateway.delivery.worker.idle();
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { deliveries } = await read(webhookId, { first: 2, after, state: ['SUCCEEDED'] });
      seen.push(...deliveries.nodes.map((node: { data: { user_full_name: string } }) => node.data.user_full_name));
      after = deliveries.pageInfo.hasNextPage ? deliveries.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(['4', '3', '2', '1', '0']);
    expect((await read(webhookId, { state: ['FAILED', 'HELD'] })).deliveries.nodes).toEqual([]);
  });

  it('holds deliveries while a webhook is disabled, and redelivers them', async () => {
    const webhookId = await makeWebhook();
    expect(await act('setWebhookEnabled', { webhookId, enabled: false })).toEqual({ __typename: 'WebhookUpdated' });
    await gateway.emit('early');
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    const line = gateway.clock.now.toISOString();
    await gateway.emit('late');
    await gateway.delivery.worker.idle();
    expect(await read(webhookId)).toMatchObject({
      enabled: false,
      health: { disabledReason: 'CALLER' },
      deliveries: { nodes: [{ state: 'HELD' }, { state: 'HELD' }] },
    });
    const redeliver = { webhookId, state: 'HELD', since: line };
    expect(await act('redeliverAll', redeliver)).toMatchObject({ type: 'errors/invalid_parameters' });
    await act('setWebhookEnabled', { webhookId, enabled: true });
    expect(receiver.received).toEqual([]);
    expect(await act('redeliverAll', { ...redeliver, since: 'soon' })).toMatchObject({
      issues: [{ path: ['input', 'since'] }],
    });
    expect(await act('redeliverAll', redeliver)).toMatchObject({ count: 1 });
    await gateway.delivery.worker.idle();
    expect(receiver.received.map(({ body }) => JSON.parse(body).user_full_name)).toEqual(['late']);
    expect(await act('redeliverAll', { webhookId, state: 'HELD', until: line })).toMatchObject({ count: 1 });
    await gateway.delivery.worker.idle();
    expect(receiver.received).toHaveLength(2);
  });

  it('sends a delivery again, with its id, and not while it is on its way', async () => {
    const webhookId = await makeWebhook();
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const {
      deliveries: [deliveryId],
    } = await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(await read(webhookId)).toMatchObject({ enabled: false, health: { disabledReason: 'GONE' } });
    await act('setWebhookEnabled', { webhookId, enabled: true });
    receiver.answer = (_request, response) => response.writeHead(500).end();
    expect(await act('redeliver', { deliveryId })).toEqual({ __typename: 'DeliveryScheduled' });
    await gateway.delivery.worker.idle();
    expect(await act('redeliver', { deliveryId })).toMatchObject({ type: 'errors/action_already_performed' });
    receiver.answer = (_request, response) => void response.end();
    await gateway.pass(7_000);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId, deliveryId]);
    expect((await read(webhookId)).deliveries.nodes).toMatchObject([{ state: 'SUCCEEDED', attemptCount: 3 }]);
    expect(await act('redeliver', { deliveryId: 'A'.repeat(22) })).toMatchObject({ type: 'errors/resource_not_found' });
  });

  it('signs with a secret that is shown once, and with both while it is rotated', async () => {
    gateway.clock.now = new Date();
    const webhookId = await makeWebhook({ format: 'FORM' });
    const input = { webhookId };
    const shown = await ask(secret('showWebhookSecret'), { input });
    const again = await ask(secret('showWebhookSecret'), { input });
    expect(again.data.showWebhookSecret).toEqual({
      __typename: 'ActionAlreadyPerformedError',
      type: 'errors/action_already_performed',
    });
    const rotated = await ask(secret('rotateWebhookSecret'), { input });
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const [{ body, headers }] = receiver.received as [Receiver['received'][number]];
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    for (const text of [shown.data.showWebhookSecret.secret, rotated.data.rotateWebhookSecret.secret]) {
      expect(text).toMatch(/^whsec_/);
      new Verifier(text).verify(body, headers as Record<string, string>, { jsonParse: false });
    }
    const stored = await gateway.app.database.selectFrom('webhook_destinations').selectAll().executeTakeFirstOrThrow();
    expect(stored.secrets).toMatch(/^sealed1:/);
    expect(JSON.stringify(gateway.log)).not.toContain('whsec_');
    const reader = await gateway.space.newKey({ scopes: ['webhooks:read'] });
    expect((await ask(secret('rotateWebhookSecret'), { input }, reader)).errors).toHaveLength(1);
  });

  it('sends the headers that a webhook adds, and shows their values to webhooks:write alone', async () => {
    const headers = [
      { key: 'Authorization', value: 'Bearer hidden' },
      { key: 'X-Tag', value: 'tÄg' },
    ];
    const webhookId = await makeWebhook({ headers });
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    expect(receiver.received[0]?.headers).toMatchObject({ authorization: 'Bearer hidden', 'x-tag': 'tÄg' });
    expect((await read(webhookId)).headers).toEqual(headers);
    const reader = await gateway.space.newKey({ scopes: ['webhooks:read'] });
    const masked = await ask(state, { webhookId }, reader);
    expect(masked.data.webhook.headers).toEqual(headers.map(({ key }) => ({ key, value: null })));
    const rest = await fetch(`${gateway.address}/v1/webhooks`, { headers: { 'x-api-key': reader } });
    expect(JSON.stringify(await rest.json())).not.toContain('hidden');
    const row = await gateway.app.database.selectFrom('webhooks').select('headers').executeTakeFirstOrThrow();
    expect(row.headers).not.toContain('hidden');
  });

  it('refuses headers that could break a request or pass for our own', async () => {
    const refused: [string, string][] = [
      ...[
        'Host',
        'content-length',
        'Content-Type',
        'Transfer-Encoding',
        'connection',
        'webhook-signature',
        'Webhook-Id',
      ],
      ...['expect', 'Upgrade', 'proxy-authorization', 'x y', 'x-a\r\nx-b', 'x:', 'ä'],
    ].map((key) => [key, 'x']);
    refused.push(['x-a', 'x\r\nhost: y'], ['x-a', 'x\u0001'], ['x-a', '€']);
    for (const [key, value] of refused) {
      const { data } = await ask(create, {
        input: { requestUrl: receiver.address, source: { users: {} }, headers: [{ key, value }] },
      });
      expect(data.createWebhook).toMatchObject({ type: 'errors/invalid_parameters' });
      expect(data.createWebhook.issues[0].path.slice(0, 3)).toEqual(['input', 'headers', '0']);
    }
  });

  it('refuses a webhook at an address that is not public', async () => {
    const webhookId = await makeWebhook();
    for (const requestUrl of ['http://10.0.0.1/', 'http://[::1]/', 'http://0x0a000001/', 'http://169.254.169.254/x']) {
      const { data } = await ask(create, { input: { requestUrl, source: { users: {} } } });
      expect(data.createWebhook).toMatchObject({
        type: 'errors/invalid_url',
        issues: [{ path: ['input', 'requestUrl'] }],
      });
      expect(await act('updateWebhook', { webhookId, requestUrl })).toMatchObject({ type: 'errors/invalid_url' });
    }
  });

  it('changes a webhook, and what waits is sent in the new way', async () => {
    const webhookId = await makeWebhook();
    receiver.answer = (_request, response) => response.writeHead(500).end();
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const other = await startReceiver();
    const changed = await act('updateWebhook', {
      webhookId,
      requestUrl: `${other.address}/new`,
      name: 'New',
      source: {
        users: {
          data: [
            { name: 'who', key: 'USER_FULL_NAME' },
            { name: 'hook', key: 'WEBHOOK_NAME' },
          ],
        },
      },
    });
    expect(changed).toEqual({ __typename: 'WebhookUpdated' });
    await gateway.pass(7_000);
    expect(other.received).toMatchObject([{ path: '/new', body: '{"event":"new_relation","who":"a","hook":"New"}' }]);
    expect(await act('updateWebhook', { webhookId, source: { email: { events: ['MAIL_SENT'] } } })).toMatchObject({
      type: 'errors/invalid_parameters',
    });
    await other.close();
  });

  it('sends a test event to one webhook only', async () => {
    const webhookId = await makeWebhook();
    await makeWebhook({ requestUrl: `${receiver.address}/other` });
    expect((await act('sendTestEvent', { webhookId })).deliveries).toHaveLength(1);
    await gateway.delivery.worker.idle();
    expect(receiver.received).toMatchObject([{ path: '/' }]);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      event: 'new_relation',
      user_full_name: 'Amara Lindqvist',
    });
    expect(await act('sendTestEvent', { webhookId, event: 'MAIL_SENT' })).toMatchObject({
      issues: [{ path: ['input', 'event'] }],
    });
  });

  it('fires a trigger from its context, and from no other', async () => {
    const trigger = { name: 'Send', icon: 'WebhookIcon', context: 'MESSAGE' };
    const { webhookId } = await act('createTriggerWebhook', { requestUrl: receiver.address, name: 'T', trigger });
    const input = { webhookId, accountId: gateway.accountId };
    expect(await act('fireTriggerWebhook', { ...input, context: { chat: { chatId: 'c' } } })).toMatchObject({
      type: 'errors/invalid_parameters',
    });
    const message = { messageId: 'm', chatId: 'c' };
    expect((await act('fireTriggerWebhook', { ...input, context: { message } })).deliveries).toHaveLength(1);
    await gateway.delivery.worker.idle();
    expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
      {
        event: 'trigger',
        timestamp: gateway.clock.now.toISOString(),
        context: 'MESSAGE',
        trigger_name: 'Send',
        chat_id: 'c',
        message_id: 'm',
        account_id: gateway.accountId,
        account_type: 'PNET',
        webhook_name: 'T',
      },
    ]);
  });

  it('shows nothing to other workspaces, and to a key for some accounts only theirs', async () => {
    const webhookId = await makeWebhook();
    const {
      deliveries: [deliveryId],
    } = await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const stranger = await gateway.workspace();
    const find = 'query F($id: ID!) { delivery(deliveryId: $id) { deliveryId } }';
    expect((await ask(find, { id: deliveryId })).data.delivery).toEqual({ deliveryId });
    expect((await ask(find, { id: deliveryId }, stranger.key)).data.delivery).toBeNull();
    const limited = await gateway.space.newKey({ accountIds: [await gateway.space.account()] });
    expect((await ask(find, { id: deliveryId }, limited)).data.delivery).toBeNull();
    expect((await ask(state, { webhookId }, limited)).data.webhook.deliveries.nodes).toEqual([]);
  });

  it('tells a subscriber of its own workspace only', async () => {
    await makeWebhook();
    const stranger = await gateway.workspace();
    const accountId = await stranger.account();
    const input = { requestUrl: receiver.address, enabled: false, source: { users: {} } };
    const { data } = await ask(create, { input }, stranger.key);
    const own = data.createWebhook.webhookId as string;
    const client = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': stranger.key } });
    const seen = client.iterate<{ deliveryUpdated: { webhookId: string } }>({
      query: 'subscription { deliveryUpdated { webhookId } }',
    });
    const told: string[] = [];
    // Of each pair the other workspace's event comes first: the subscriber would have been told of it before its own.
    const emitting = (async () => {
      while (told.length < 5) {
        await gateway.emit('a');
        await act('emitEvent', { accountId, event: 'NEW_RELATION' }, stranger.key);
      }
    })();
    for await (const { data: update } of seen) {
      if (update?.deliveryUpdated) told.push(update.deliveryUpdated.webhookId);
      if (told.length === 5) break;
    }
    await emitting;
    client.dispose();
    expect(new Set(told)).toEqual(new Set([own]));
  });

  it('tells what happens as it happens, over server-sent events', async () => {
    const webhookId = await makeWebhook();
    const client = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': gateway.space.key } });
    const query = `subscription { deliveryUpdated(webhookId: "${webhookId}") { deliveryId state attemptCount } }`;
    const seen = client.iterate<{ deliveryUpdated: object }>({ query });
    // Nothing says when the subscription stands: events are emitted until the first of them is seen.
    const first = seen.next();
    const emitting = setInterval(() => void gateway.emit('a'), 20);
    const opening = await first;
    clearInterval(emitting);
    expect(opening.value?.data?.deliveryUpdated).toMatchObject({ attemptCount: expect.any(Number) });
    for await (const { data } of seen) {
      if ((data?.deliveryUpdated as { state: string } | undefined)?.state === 'SUCCEEDED') break;
    }
    client.dispose();

    const refusal = async (key: string) => {
      const response = await fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
        body: JSON.stringify({ query }),
      });
      return [response.status, /errors\/\w+/.exec(await response.text())?.[0]];
    };
    expect(await refusal('wrong')).toEqual([401, 'errors/invalid_credentials']);
    const other = await gateway.space.newKey({ scopes: ['posts:read'] });
    expect(await refusal(other)).toEqual([401, 'errors/insufficient_privileges']);
  });
});
