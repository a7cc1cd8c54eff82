/** Subscriptions as `multipart/mixed`: which clients get it, its bytes, and Apollo Client with nothing but its HttpLink. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { wantsMultipart } from '../../src/graphql/doors/accepted.ts';
import { parts, streamBody } from '../../src/graphql/doors/stream-bodies.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';

const query = 'subscription { deliveryUpdated { state webhook { name } } }';

/** What the clients of the protocol send for a subscription. */
const clients = {
  'Apollo Client':
    'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json;q=0.9',
  'Apollo Kotlin': 'multipart/mixed;subscriptionSpec=1.0, application/graphql-response+json, application/json',
  'Apollo iOS': 'multipart/mixed;subscriptionSpec=1.0,application/graphql-response+json,application/json',
  'an older Apollo iOS': 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json',
  'the documentation of the protocol': 'multipart/mixed; subscriptionSpec="1.0", application/json',
};

test.each<readonly [string, boolean]>([
  ...Object.values(clients).map((accept) => [accept, true] as const),
  ['multipart/mixed;subscriptionSpec=1.0', true],
  ['multipart/mixed;subscriptionSpec=1.0, text/event-stream', true],
  ['text/event-stream, multipart/mixed;subscriptionSpec=1.0', false],
  ['text/event-stream', false],
  ['multipart/mixed', false],
  ['multipart/mixed;deferSpec=20220824, application/json', false],
  ['multipart/mixed;subscriptionSpec=2.0', false],
  ['application/json;subscriptionSpec=1.0', false],
  ['*/*', false],
  ['', false],
])('"%s" asks for multipart: %j', (accept, wanted) => {
  expect(wantsMultipart(accept)).toBe(wanted);
});

describe('the parts of a body', () => {
  const bodyOf = (results: AsyncIterable<object>, everyMs: number) => streamBody(results, parts, [], everyMs);
  const textOf = (results: AsyncIterable<object>, heartbeatMs = 60_000) => text(bodyOf(results, heartbeatMs));
  const json = '\r\ncontent-type: application/json\r\n\r\n';

  test('each is followed by a delimiter at once, so that clients read it', async () => {
    async function* results() {
      yield { body: '{"data":{"a":1}}' };
      yield { body: Buffer.from('{"errors":[{"message":"no","extensions":{"code":"X"}}]}') };
    }
    expect(await textOf(results())).toBe(
      `\r\n--graphql${json}{"payload":{"data":{"a":1}}}\r\n--graphql${json}{"payload":{"errors":[{"message":"no","extensions":{"code":"X"}}]}}\r\n--graphql--\r\n`,
    );
  });

  test('a silence has heartbeats, until it ends', async () => {
    const silence = Promise.withResolvers<void>();
    async function* results() {
      await silence.promise;
      yield { body: '{"data":null}' };
    }
    const chunks = bodyOf(results(), 5)[Symbol.asyncIterator]();
    const read = async () => String((await chunks.next()).value);
    expect(await read()).toBe('\r\n--graphql');
    for (let beats = 0; beats < 3; beats += 1) expect(await read()).toBe(`${json}{}\r\n--graphql`);
    silence.resolve();
    await expect.poll(() => read()).toBe(`${json}{"payload":{"data":null}}\r\n--graphql`);
    expect(await read()).toBe('--\r\n');
    expect((await chunks.next()).done).toBe(true);
  });

  test('heartbeats do not pile up for a client that does not read, and a client that leaves ends the results', async () => {
    const ended = vi.fn();
    const results = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}), return: ended }) };
    const body = bodyOf(results, 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(String(body.read())).toBe('\r\n--graphql');
    expect(body.read()).toBeNull();
    await expect.poll(() => body.readableLength).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(body.readableLength).toBe(1);
    body.destroy();
    expect(ended).toHaveBeenCalledTimes(1);
  });
});

const apollo = (uri: string | (() => string), key: string, ...links: ApolloLink[]) =>
  new ApolloClient({
    link: ApolloLink.from([...links, new HttpLink({ uri, headers: { 'x-api-key': key } })]),
    cache: new InMemoryCache(),
  });

/** A workspace with a webhook that is disabled, so that a delivery is told of once: that it is held. */
async function withWebhook(gateway: Gateway) {
  const workspace = await gateway.workspace();
  const accountId = await workspace.account();
  const input = 'name: "CRM", isEnabled: false, requestUrl: "https://hooks.example/x", source: USERS';
  await graphql(gateway.address, workspace.key, `mutation { createWebhook(input: { ${input} }) { __typename } }`);
  const event = `mutation { emitEvent(input: { accountId: "${accountId}", event: NEW_RELATION }) { __typename } }`;
  return { ...workspace, emit: ({ address }: Gateway) => graphql(address, workspace.key, event) };
}

const told = { deliveryUpdated: { state: 'HELD', webhook: { name: 'CRM' } } };

describe('of a gateway', () => {
  let gateway: Gateway;
  let workspace: Awaited<ReturnType<typeof withWebhook>>;

  beforeAll(async () => {
    gateway = await startGateway();
    workspace = await withWebhook(gateway);
  });
  afterAll(() => gateway.close());

  /** Emits events until a subscriber has seen one: nothing says when a subscription stands. */
  async function emitUntil<Seen>(seen: Promise<Seen>): Promise<Seen> {
    const emitting = setInterval(() => void workspace.emit(gateway), 50);
    try {
      return await seen;
    } finally {
      clearInterval(emitting);
    }
  }
  const subscribe = (accept: string, text = query, key = workspace.key) =>
    fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, 'x-api-key': key },
      body: JSON.stringify({ query: text }),
    });

  test.each(Object.entries(clients))('%s gets it', async (_client, accept) => {
    const response = await subscribe(accept);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const first = (async () => {
      while (!text.includes('payload')) text += new TextDecoder().decode((await reader.read()).value);
    })();
    await emitUntil(first);
    expect(text).toMatch(
      /^\r\n--graphql\r\ncontent-type: application\/json\r\n\r\n\{"payload":\{"data":\{"deliveryUpdated":\{.*\}\}\}\}\r\n--graphql/,
    );
    await reader.cancel();
  });

  test.each(['text/event-stream', clients['Apollo Client']])(
    'the connection is closed for a client that asks for it: %s',
    async (accept) => {
      const sent = request(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, 'x-api-key': workspace.key, connection: 'close' },
      });
      sent.end(JSON.stringify({ query }));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      expect(response.headers.connection).toBe('close');
      response.destroy();
    },
  );

  test('a refusal is a response with its status; in parts only where a client accepts nothing else', async () => {
    for (const accept of Object.values(clients)) {
      const refused = await subscribe(accept, query, 'wrong');
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_CREDENTIALS' } }] });
    }
    const strict = await subscribe('multipart/mixed;subscriptionSpec=1.0', query, 'wrong');
    expect(strict.status).toBe(200);
    expect(await strict.text()).toMatch(/\{"payload":\{"errors":\[.*INVALID_CREDENTIALS.*\r\n--graphql--\r\n$/);
    const unknown = await subscribe('multipart/mixed', query);
    expect(unknown.status).toBe(406);
    expect(JSON.stringify(await unknown.json())).toContain('multipart/mixed;subscriptionSpec=1.0');
  });

  test.each(['application/json', 'multipart/mixed', 'text/html'])(
    'a subscription that accepts %s is refused, and is not open',
    async (accept) => {
      const refused = await subscribe(accept);
      expect(refused.status).toBe(406);
      await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
    },
  );

  test("Apollo Client's HttpLink alone receives the same deliveries as graphql-sse", async () => {
    const client = apollo(`${gateway.address}/graphql`, workspace.key);
    const seen = Promise.withResolvers<unknown>();
    const subscription = client
      .subscribe({ query: gql(query) })
      .subscribe({ next: ({ data, error }) => (error ? seen.reject(error) : seen.resolve(data)), error: seen.reject });
    const events = createClient({ url: `${gateway.address}/graphql`, headers: { 'x-api-key': workspace.key } });
    const other = events.iterate({ query });
    const [parts, { value }] = await emitUntil(Promise.all([seen.promise, other.next()]));
    expect(parts).toMatchObject(told);
    expect(value?.data).toEqual(told);
    subscription.unsubscribe();
    events.dispose();
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
  });

  test('a key that expires ends the subscription with the reason', async () => {
    const expiring = await workspace.newKey({ expiresAt: new Date(gateway.clock.now.getTime() + 60_000) });
    const results: unknown[] = [];
    const ended = Promise.withResolvers<void>();
    apollo(`${gateway.address}/graphql`, expiring)
      .subscribe({ query: gql(query) })
      .subscribe({ next: (result) => results.push(result.error), complete: ended.resolve, error: ended.reject });
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(1);
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 120_000);
    await gateway.app.streams.check();
    await ended.promise;
    const error = results.at(-1);
    expect(CombinedGraphQLErrors.is(error) && error.errors[0]?.extensions?.code).toBe('EXPIRED_CREDENTIALS');
  });
});
