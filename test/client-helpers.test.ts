/** `postern/client`: what pages and programs import, or copy. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from 'graphql-ws';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  apolloCache,
  createAccessTokens,
  createRetry,
  createStreams,
  devProxy,
  eventStream,
  mergeFeeds,
  mergePages,
  type Result,
  readResult,
  repeatUpdates,
  retry,
  type Subscription,
  SubscriptionError,
  sendOperation,
  skipFailed,
  steadyFetch,
  urqlCache,
  verifyWebhook,
  type WatchOptions,
  watch,
} from '../src/client/index.ts';
import { signatureHeaders } from '../src/delivery/signature.ts';
import { clientSchema } from './support/client-schema.ts';
import { sectionOf } from './support/docs.ts';
import { startGateway } from './support/gateway.ts';
import { temporaryDirectory } from './support/process.ts';
import { json, startStub } from './support/stub.ts';

const soon = createRetry({ firstMs: 1, maxMs: 5 });

describe('skipFailed', () => {
  const error = (...path: (string | number)[]) => ({ message: 'Odd.', path, extensions: { code: 'PROVIDER_ERROR' } });

  test('leaves out the items that have errors, and reports them', () => {
    const data = { posts: { edges: [{ node: { id: 1 } }, { node: null }, { node: { id: 3, author: null } }] } };
    const errors = [error('posts', 'edges', 1, 'node'), error('posts', 'edges', 2, 'node', 'author')];
    const { response, skipped } = skipFailed({ data, errors, extensions: { kept: true } });
    expect(response).toEqual({ data: { posts: { edges: [{ node: { id: 1 } }] } }, extensions: { kept: true } });
    expect(skipped).toEqual(errors.map(({ path, message }) => ({ path, message, code: 'PROVIDER_ERROR' })));
    expect(data.posts.edges).toHaveLength(3);
  });

  test('takes the innermost list, so that an odd attachment does not cost its post', () => {
    const data = { posts: { nodes: [{ attachments: [{ id: 1 }, { id: null }] }] } };
    const { response } = skipFailed({ data, errors: [error('posts', 'nodes', 0, 'attachments', 1, 'id')] });
    expect(response).toEqual({ data: { posts: { nodes: [{ attachments: [{ id: 1 }] }] } } });
  });

  test('keeps errors that are about no item', () => {
    const errors = [error('photos'), { message: 'And more.' }, error('posts', 'edges', 4, 'node')];
    const given = { data: { photos: null, posts: null }, errors };
    expect(skipFailed(given)).toEqual({ response: given, skipped: [] });
    const mixed = { data: { photos: null, posts: [null] }, errors: [error('photos'), error('posts', 0)] };
    expect(skipFailed(mixed).response).toEqual({ data: { photos: null, posts: [] }, errors: [error('photos')] });
  });

  test('drops and reports both of two items, and one with two errors once', () => {
    const errors = [error('list', 0, 'a'), error('list', 0, 'b'), error('list', 2)];
    const { response, skipped } = skipFailed({ data: { list: [{ a: null, b: null }, 1, null] }, errors });
    expect(response.data).toEqual({ list: [1] });
    expect(skipped.map(({ path }) => path.join('.'))).toEqual(['list.0.a', 'list.2']);
  });
});

describe('mergePages', () => {
  const page = (ids: readonly number[], endCursor: string | null, texts = '') => ({
    edges: ids.map((id) => ({ node: { id, text: `${id}${texts}` } })),
    pageInfo: { hasNextPage: endCursor !== null, endCursor },
  });
  const idOf = ({ node }: { node: { id: number } }) => node.id;

  test('has each item once, where it stood, as the page has it', () => {
    const merged = mergePages(page([1, 2], 'a'), page([2, 3], null, ' new'), idOf);
    expect(merged.edges.map(({ node }) => node.text)).toEqual(['1', '2 new', '3 new']);
    expect(merged.pageInfo).toEqual({ hasNextPage: false, endCursor: null });
  });

  test('goes on after a page of which nothing could be read', () => {
    let list = mergePages(null, page([1], 'a'), idOf);
    for (const next of [page([], 'b'), page([2], null)]) list = mergePages(list, next, idOf);
    expect(list.edges.map(({ node }) => node.id)).toEqual([1, 2]);
  });
});

test('mergeFeeds merges posts of several lists, as far as their order is known', () => {
  const list = (hasNextPage: boolean, ...times: (string | null)[]) => ({
    nodes: times.map((publishedAt) => ({ publishedAt })),
    pageInfo: { hasNextPage },
  });
  const merged = (...lists: ReturnType<typeof list>[]) => mergeFeeds(lists).map(({ publishedAt }) => publishedAt);
  const [photos, posts] = [list(false, '9', null, '5', '1'), list(false, '8', '6', '2')];
  expect(merged(photos, posts)).toEqual(['9', null, '8', '6', '5', '2', '1']);
  expect(merged(posts, photos)).toEqual(['9', null, '8', '6', '5', '2', '1']);
  // The next page may have posts that are newer than 5.
  expect(merged(photos, list(true, '8', '6'))).toEqual(['9', null, '8', '6']);
  expect(merged(list(false, null, '3'), list(false, '4'))).toEqual([null, '4', '3']);
  expect(merged(list(false), list(false))).toEqual([]);
  expect(merged()).toEqual([]);
});

describe('createRetry', () => {
  test('waits as long as the server asks for, though no timer takes that long', async () => {
    const leaving = new AbortController();
    const waiting = createRetry({ random: () => 0 }).wait(0, 1e12, leaving.signal);
    const first = await Promise.race([
      waiting.then(() => 'waited'),
      new Promise((end) => setTimeout(end, 50, 'waits')),
    ]);
    expect(first).toBe('waits');
    leaving.abort();
    await expect(waiting).rejects.toBe(leaving.signal.reason);
  });

  /** The waits, in milliseconds, of attempts with the longest or shortest that chance allows. */
  async function waits(random: () => number, attempts: readonly number[], atLeastMs?: number): Promise<number[]> {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { wait } = createRetry({ random });
    const found: number[] = [];
    for (const attempt of attempts) {
      const start = Date.now();
      let isOver = false;
      const ended = wait(attempt, atLeastMs).then(() => {
        isOver = true;
        found.push(Date.now() - start);
      });
      // Not all timers: suites share their process, and another may have left a later one.
      while (!isOver) await vi.advanceTimersToNextTimerAsync();
      await ended;
    }
    return found;
  }

  test('doubles the bound up to eight seconds, and takes any part of it', async () => {
    expect(await waits(() => 1, [0, 1, 2, 3, 4, 5, 2_000])).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(await waits(() => 0.25, [0, 5])).toEqual([125, 2_000]);
    expect(await waits(() => 0, [5])).toEqual([0]);
  });

  test('waits at least as long as the server asks for', async () => {
    expect(await waits(() => 0, [0], 60_000)).toEqual([60_000]);
    expect(await waits(() => 1, [0], 60_000)).toEqual([60_500]);
  });

  test('ends when the browser is online again, but not before the time that the server asks for', async () => {
    const network = new EventTarget();
    const slow = createRetry({ firstMs: 60_000, maxMs: 60_000, random: () => 1, network });
    const ended = slow.wait(0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    network.dispatchEvent(new Event('online'));
    await ended;
    const asked = slow.wait(0, 30);
    const start = performance.now();
    network.dispatchEvent(new Event('online'));
    const later = setInterval(() => network.dispatchEvent(new Event('online')), 5);
    await asked;
    clearInterval(later);
    expect(performance.now() - start).toBeGreaterThan(25);
  });

  test('ends with the signal', async () => {
    const stopped = AbortSignal.abort(new Error('Gone'));
    await expect(createRetry().wait(0, 0, stopped)).rejects.toThrow('Gone');
    const controller = new AbortController();
    const ended = createRetry({ firstMs: 60_000, maxMs: 60_000, random: () => 1 }).wait(0, 0, controller.signal);
    controller.abort(new Error('Gone'));
    await expect(ended).rejects.toThrow('Gone');
  });
});

describe('steadyFetch', () => {
  /** Sends a request to a service that responds in turn as given, and returns what came of it. */
  async function send(...responses: readonly [status: number, headers: Record<string, string>][]) {
    const stub = await startStub((_request, response) => {
      const [status, headers] = responses[stub.received.length - 1] ?? [200, { 'content-type': 'application/json' }];
      response.writeHead(status, headers).end('{}');
    });
    const states: boolean[] = [];
    const start = performance.now();
    const steady = steadyFetch({ retry: soon, onWaiting: (isWaiting) => states.push(isWaiting) });
    const { status } = await steady(`${stub.url}/graphql`, { method: 'POST', body: '{}' });
    return { status, sent: stub.received.length, states, ms: performance.now() - start };
  }
  const html = { 'content-type': 'text/html' };
  const answer = { 'content-type': 'application/graphql-response+json' };

  test('repeats a request until there is a gateway behind the proxy', async () => {
    const twelve = Array.from({ length: 12 }, (): [number, Record<string, string>] => [502, html]);
    expect(await send(...twelve)).toMatchObject({ status: 200, sent: 13, states: [true, false] });
  });

  test('repeats what the gateway asks to send later, after that time', async () => {
    const { status, sent, ms } = await send([503, { ...answer, 'retry-after': '1' }]);
    expect({ status, sent }).toEqual({ status: 200, sent: 2 });
    expect(ms).toBeGreaterThan(990);
    const date = new Date(Date.now() - 5_000).toUTCString();
    expect(await send([429, { ...answer, 'retry-after': date }])).toMatchObject({ status: 200, sent: 2 });
  });

  test.each([400, 401, 500, 503, 504])('takes %i of the gateway itself for an answer', async (status) => {
    expect(await send([status, answer])).toMatchObject({ status, sent: 1, states: [] });
  });

  test('repeats a request that got no response, and stops with its signal', async () => {
    const stub = await startStub((_request, response) =>
      stub.received.length < 4 ? void response.destroy() : json(response, 200, {}),
    );
    expect((await steadyFetch({ retry: soon })(`${stub.url}/graphql`, { method: 'POST', body: '{}' })).status).toBe(
      200,
    );
    expect(stub.received).toHaveLength(4);
    stub.respond = (_request, response) => void response.destroy();
    const signal = AbortSignal.timeout(100);
    await expect(steadyFetch({ retry: soon })(`${stub.url}/graphql`, { signal })).rejects.toThrow('timeout');
  });
});

describe('what steadyFetch says of waiting', () => {
  /** A `fetch` without a gateway, until there is one, and what a page is told of it. */
  function outage() {
    const states: boolean[] = [];
    const gateway = { isThere: false };
    const send = async () => {
      if (!gateway.isThere) throw new TypeError('fetch failed');
      return Response.json({});
    };
    const steady = steadyFetch({ fetch: send, retry: soon, onWaiting: (isWaiting) => states.push(isWaiting) });
    return { states, gateway, steady };
  }

  test('requests at once wait until the last of them has its response', async () => {
    const { states, gateway, steady } = outage();
    const gone = new AbortController();
    const aborted = steady('http://gateway', { signal: gone.signal });
    const others = [steady('http://gateway'), steady('http://gateway')];
    await expect.poll(() => states).toEqual([true]);
    gone.abort(new Error('Gone'));
    await expect(aborted).rejects.toThrow('Gone');
    expect(states).toEqual([true]);
    gateway.isThere = true;
    await Promise.all(others);
    expect(states).toEqual([true, false]);
  });
});

describe('sendOperation', () => {
  test('sends an operation as JSON, with the headers that it is given', async () => {
    const stub = await startStub((_request, response) => json(response, 200, { data: { a: 1 } }));
    const url = `${stub.url}/graphql`;
    const operation = { query: 'query A($id: ID!) { a(id: $id) }', variables: { id: '1' } };
    expect(await readResult(await sendOperation(url, operation))).toEqual({ data: { a: 1 } });
    const headers = { accept: 'text/event-stream', 'x-api-key': 'key' };
    await sendOperation(url, operation, { headers, fetch: steadyFetch({ retry: soon }) });
    const type = { 'content-type': 'application/json' };
    expect(stub.received.map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
      ['POST', operation],
      ['POST', operation],
    ]);
    const accept = 'application/graphql-response+json, application/json';
    expect(stub.received[0]?.headers).toMatchObject({ ...type, accept });
    expect(stub.received[1]?.headers).toMatchObject({ ...type, ...headers });
  });

  test('says what came in the place of JSON', async () => {
    const response = new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } });
    await expect(readResult(response)).rejects.toThrow('The response with status 502 is not JSON, but text/html.');
  });
});

describe('createAccessTokens', () => {
  /** A server that gives out tokens, and a gateway that takes the last one. */
  function server() {
    const asked: string[] = [];
    const state = { isDown: false, sent: [] as string[] };
    vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
      if (input === '/access-token') {
        asked.push(`${asked.length}`);
        return state.isDown ? new Response(null, { status: 503 }) : Response.json({ token: asked.at(-1) });
      }
      const { authorization = '', ...headers } = Object.fromEntries(new Headers(init.headers));
      state.sent.push(authorization);
      expect(headers).toEqual({ 'content-type': 'application/json' });
      return new Response(init.body, { status: authorization === `Bearer ${asked.at(-1)}` ? 200 : 401 });
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const tokens = createAccessTokens('/access-token');
    const send = async () => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
      const response = await tokens.fetch('http://gateway/graphql', init);
      return `${response.status} ${await response.text()}`;
    };
    return { asked, state, tokens, send };
  }
  const ok = '200 {}';

  test('requests at once share a token, and the next one when it is refused', async () => {
    const { asked, send } = server();
    expect(await Promise.all([send(), send(), send()])).toEqual([ok, ok, ok]);
    expect(await send()).toBe(ok);
    expect(asked).toHaveLength(1);
    asked.push('of another page');
    expect(await Promise.all([send(), send(), send()])).toEqual([ok, ok, ok]);
    expect(asked).toHaveLength(3);
  });

  test('a connection gets a token of its own, which requests then send', async () => {
    const { asked, state, tokens, send } = server();
    await send();
    expect(await tokens.renew()).toBe('1');
    expect(await send()).toBe(ok);
    expect(state.sent).toEqual(['Bearer 0', 'Bearer 1']);
    expect(asked).toHaveLength(2);
  });

  test('asks again after the server gave none, and once only for a request that is refused all the same', async () => {
    const { asked, state, send } = server();
    state.isDown = true;
    await expect(send()).rejects.toThrow('No access token: 503');
    state.isDown = false;
    expect(await send()).toBe(ok);
    expect(asked).toHaveLength(2);
    const real = fetch;
    vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
      const response = await real(input, init);
      return input === '/access-token' ? response : new Response(null, { status: 401 });
    });
    expect(await send()).toBe('401 ');
    expect(asked).toHaveLength(3);
  });
});

describe('devProxy', () => {
  const passed = async (key: () => string, sent: Record<string, string>) => {
    const { bypass } = devProxy({ url: 'http://127.0.0.1:4000', key })['/graphql'];
    const headers: IncomingHttpHeaders = { host: '127.0.0.1:5173', ...sent };
    return { isRefused: bypass({ headers }) === false, headers };
  };

  test('adds the key to requests of its own page, and refuses any other', async () => {
    const own = await passed(() => 'key', { origin: 'http://127.0.0.1:5173' });
    expect(own).toMatchObject({ isRefused: false, headers: { authorization: 'Bearer key' } });
    expect(await passed(() => 'key', { origin: 'https://evil.example' })).toMatchObject({ isRefused: true });
    expect(await passed(() => 'key', { host: 'evil.example' })).toMatchObject({ isRefused: true });
  });

  // Vite leaves a WebSocket whose `bypass` throws open and unanswered: the page would wait for it for minutes.
  test('passes a request on without a key that cannot be read, so that the gateway says what is missing', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => said.mockRestore());
    const missing = new Error('ENOENT: no such file');
    const key = () => {
      throw missing;
    };
    const { isRefused, headers } = await passed(key, { authorization: 'Bearer of the page' });
    expect(isRefused).toBe(false);
    expect(headers).not.toHaveProperty('authorization');
    expect(said).toHaveBeenCalledWith('The API key could not be read:', missing);
  });
});

describe('repeatUpdates', () => {
  /** The updates that a sink has got, and the way to report one. */
  function subscribed() {
    let report = (_update: number) => {};
    const client = {
      subscribe(_request: unknown, sink: { next(update: number): void }) {
        report = sink.next;
        return () => {};
      },
    };
    const { streams, beginRead } = repeatUpdates(client as unknown as Parameters<typeof repeatUpdates>[0]);
    const got: unknown[] = [];
    const sink = { next: (update: unknown) => got.push(update), error() {}, complete() {} };
    const unsubscribe = streams.subscribe({ query: '' }, sink);
    return { got, report: (update: number) => report(update), beginRead, unsubscribe };
  }

  test('reports at once, and again after each query that was under way', () => {
    const { got, report, beginRead } = subscribed();
    report(1);
    const endFirst = beginRead();
    report(2);
    const endSecond = beginRead();
    report(3);
    expect(got.splice(0)).toEqual([1, 2, 3]);
    endSecond();
    expect(got.splice(0)).toEqual([3]);
    report(4);
    endFirst();
    expect(got.splice(0)).toEqual([4, 2, 3, 4]);
    endFirst();
    expect(got).toEqual([]);
  });

  test('repeats nothing to who has unsubscribed', () => {
    const { got, report, beginRead, unsubscribe } = subscribed();
    const end = beginRead();
    report(1);
    unsubscribe();
    end();
    expect(got).toEqual([1]);
  });
});

describe('createStreams', () => {
  async function watch(query: string) {
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    const workspace = await gateway.workspace();
    const accountId = await workspace.account();
    const credentials = { key: workspace.key, asked: 0 };
    const refusals: (string | null)[] = [];
    const waits: boolean[] = [];
    const streams = createStreams({
      createClient,
      url: `${gateway.address.replace('http', 'ws')}/graphql`,
      connectionParams: () => {
        credentials.asked += 1;
        return { 'x-api-key': credentials.key };
      },
      retry: soon,
      onWaiting: (isWaiting) => waits.push(isWaiting),
      onRefused: (reason) => refusals.push(reason),
    });
    onTestFinished(() => streams.dispose());
    const told: unknown[] = [];
    const ended = vi.fn();
    const start = () =>
      streams.subscribe(
        { query: query.replace('$id', JSON.stringify(accountId)) },
        { next: (result) => void told.push(result.data), error: ended, complete: ended },
      );
    return { gateway, workspace, credentials, refusals, waits, streams, told, ended, start };
  }
  const status = 'subscription { accountUpdated(accountIds: [$id]) { status } }';
  const isOk = { accountUpdated: { status: 'OK' } };
  const eventually = <Value>(read: () => Value) => expect.poll(read);

  test('has one connection for many subscriptions', async () => {
    const { gateway, told, start } = await watch(status);
    for (let n = 0; n < 20; n += 1) start();
    await eventually(() => told).toEqual(Array(20).fill(isOk));
    expect(gateway.app.streams.count('socket')).toBe(1);
  });

  test('comes back with the credentials of then, however often it was refused', async () => {
    const { workspace, credentials, refusals, waits, told, ended, start } = await watch(status);
    const right = credentials.key;
    credentials.key = 'wrong';
    for (let n = 0; n < 3; n += 1) start();
    await eventually(() => refusals.filter((reason) => reason !== null).length).toBeGreaterThan(20);
    expect(refusals[0]).toContain('API key');
    // The gateway is there: a page that says it cannot be reached sends its reader to the wrong place.
    expect(waits).not.toContain(true);
    credentials.key = right;
    await eventually(() => told).toEqual(Array(3).fill(isOk));
    expect(refusals.at(-1)).toBeNull();
    expect(ended).not.toHaveBeenCalled();
    expect(workspace.key).toBe(right);
  });

  test('ends with an error that will not pass', async () => {
    const { told, ended, start } = await watch('subscription { nothing }');
    start();
    await eventually(() => ended.mock.calls.length).toBe(1);
    expect(ended.mock.calls[0]?.[0]).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS' } }]);
    expect(told).toEqual([]);
  });

  test('leaves nothing behind when its subscriptions end', async () => {
    const { gateway, credentials, refusals, waits, told, start } = await watch(status);
    const stop = start();
    await eventually(() => told).toEqual([isOk]);
    stop();
    await eventually(() => gateway.app.streams.count('socket')).toBe(0);
    // No one waits for a connection that is closed because no one needs it.
    expect(waits).not.toContain(true);
    credentials.key = 'wrong';
    const stopRefused = start();
    await eventually(() => credentials.asked).toBeGreaterThan(3);
    stopRefused();
    expect([refusals.at(-1), waits.at(-1)]).toEqual([null, false]);
    await eventually(() => gateway.app.streams.count('socket')).toBe(0);
    // A connection that was being made asks once more.
    let asked = -1;
    await eventually(async () => {
      const before = asked;
      asked = credentials.asked;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return asked === before && asked === credentials.asked;
    }).toBe(true);
  });
});

describe('watch', () => {
  const event = (name: string, data: object | '' = '') => `event: ${name}\ndata: ${data && JSON.stringify(data)}\n\n`;
  const state = (deliveryState: string) => event('next', { data: { state: deliveryState } });
  const refusal = (code: string) => event('next', { errors: [{ message: `No: ${code}.`, extensions: { code } }] });

  /** A service that responds with these events in turn, and ends each connection: what a watch of it does. */
  async function watched(connections: readonly string[], options: Partial<WatchOptions> = {}) {
    const stub = await startStub((_request, response) => {
      const events = connections[stub.received.length - 1] ?? '';
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
    });
    onTestFinished(() => stub.close());
    const waits: boolean[] = [];
    const all = { retry: soon, onWaiting: (isWaiting: boolean) => void waits.push(isWaiting), ...options };
    return {
      stub,
      waits,
      results: watch<{ state: string }>(`${stub.url}/graphql`, { query: 'subscription { state }' }, all),
    };
  }
  const statesOf = async (results: AsyncIterable<Result<{ state: string }>>, most = 9) => {
    const states: (string | undefined)[] = [];
    for await (const { data } of results) if (states.push(data?.state) === most) break;
    return states;
  };

  test('ends at once when its signal aborts while a list is read', async () => {
    const leaving = new AbortController();
    const onConnected = () => {
      leaving.abort();
      return new Promise(() => undefined);
    };
    const { results } = await watched([state('PENDING')], { onConnected, signal: leaving.signal });
    expect(await statesOf(results)).toEqual([]);
  });

  test('goes on after connections that break and refusals that pass, until the subscription ends', async () => {
    const { stub, waits, results } = await watched([
      state('A'),
      refusal('SERVICE_UNAVAILABLE') + event('complete'),
      state('B') + refusal('EXPIRED_CREDENTIALS') + event('complete'),
      state('C') + event('complete'),
    ]);
    expect(await statesOf(results)).toEqual(['A', 'B', 'C']);
    expect(stub.received).toHaveLength(4);
    expect(waits).toEqual([false, true, false, true, false, true, false]);
  });

  test('tells of a refusal that passes, and ends with what that throws', async () => {
    const codes: string[] = [];
    const onRefused = ({ code }: SubscriptionError) => {
      codes.push(code);
      if (code === 'INVALID_CREDENTIALS') throw new Error('Another key, please.');
    };
    const { stub, results } = await watched(
      [refusal('SERVICE_UNAVAILABLE'), refusal('INVALID_CREDENTIALS'), state('A')],
      { onRefused },
    );
    await expect(statesOf(results)).rejects.toThrow('Another key, please.');
    expect(codes).toEqual(['SERVICE_UNAVAILABLE', 'INVALID_CREDENTIALS']);
    expect(stub.received).toHaveLength(2);
  });

  test('holds results back until each connection has read what they change', async () => {
    const read: string[] = [];
    const onConnected = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      read.push('list');
    };
    const { results } = await watched([state('A'), state('B') + event('complete')], { onConnected });
    for await (const { data } of results) read.push(data?.state ?? '');
    expect(read).toEqual(['list', 'A', 'list', 'B']);
  });

  test('passes on a field that failed, and throws a refusal that does not pass', async () => {
    const failed = { data: { state: null }, errors: [{ message: 'Odd.', path: ['state'] }] };
    const { stub, results } = await watched([
      event('next', failed) + refusal('RESOURCE_NOT_FOUND') + event('complete'),
    ]);
    expect(await results.next()).toEqual({ done: false, value: failed });
    const error = await results.next().catch((reason) => reason);
    expect(error).toBeInstanceOf(SubscriptionError);
    expect(error).toMatchObject({ code: 'RESOURCE_NOT_FOUND', message: 'No: RESOURCE_NOT_FOUND.' });
    expect(stub.received).toHaveLength(1);
  });

  test('throws what is no stream and no result, and what onConnected throws', async () => {
    const page = await startStub((_request, response) =>
      response.writeHead(404, { 'content-type': 'text/html' }).end('<p>'),
    );
    onTestFinished(() => page.close());
    await expect(watch(`${page.url}/graphql`, { query: '' }, { retry: soon }).next()).rejects.toThrow(
      'status 404 is not JSON',
    );
    const onConnected = () => Promise.reject(new Error('No list.'));
    const { results } = await watched([event('open')], { onConnected });
    await expect(results.next()).rejects.toThrow('No list.');
  });

  test('ends without an error with its signal, also while it waits', async () => {
    const end = new AbortController();
    const slow = createRetry({ firstMs: 60_000, maxMs: 60_000, random: () => 1 });
    const { results, waits } = await watched([state('A'), ''], { signal: end.signal, retry: slow });
    expect((await results.next()).value).toEqual({ data: { state: 'A' } });
    const ended = results.next();
    await expect.poll(() => waits).toEqual([false, true]);
    end.abort();
    expect(await ended).toEqual({ done: true, value: undefined });
    // Nobody waits any more.
    expect(waits).toEqual([false, true, false]);
  });

  test('follows deliveries of a gateway that restarts its streams, and closes its connection', async () => {
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    const workspace = await gateway.workspace();
    const accountId = await workspace.account();
    const query = `subscription { accountUpdated(accountIds: ["${accountId}"]) { status } }`;
    const headers = { 'x-api-key': workspace.key };
    const results = watch<Subscription>(`${gateway.address}/graphql`, { query }, { headers, retry: soon });
    for await (const { data } of results) {
      expect(data?.accountUpdated.status).toBe('OK');
      break;
    }
    await expect.poll(() => gateway.app.streams.count('subscription')).toBe(0);
  });
});

describe('eventStream', () => {
  const bytes = (pieces: readonly string[]) => {
    const encoded = pieces.map((piece) => new TextEncoder().encode(piece));
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const piece = encoded.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    });
  };

  async function read(pieces: readonly string[]): Promise<unknown[]> {
    const results: unknown[] = [];
    for await (const result of eventStream(bytes(pieces))) results.push(result);
    return results;
  }

  test('reads events wherever the connection cuts them', async () => {
    const text = 'event: next\ndata: {"a":1}\n\n:\n\nevent: next\ndata: {"a":2}\n\nevent: complete\ndata:\n\n';
    for (let size = 1; size < text.length; size += 1) {
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
      expect(await read(pieces)).toEqual([{ a: 1 }, { a: 2 }]);
    }
  });

  test('closes the connection when nobody reads it, begun or not', async () => {
    const cancel = vi.fn();
    const event = new TextEncoder().encode('event: next\ndata: {}\n\n');
    const body = () => new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (open) => open.enqueue(event), cancel });
    expect(await eventStream(body()).return(undefined)).toEqual({ done: true, value: undefined });
    expect(cancel).toHaveBeenCalledTimes(1);
    for await (const _ of eventStream(body())) break;
    await expect.poll(() => cancel.mock.calls).toHaveLength(2);
  });
});

describe('verifyWebhook', () => {
  // The vector of Standard Webhooks.
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const now = () => 1_614_265_330_000;

  test('returns what was sent, whatever the headers and the body are made of', async () => {
    const verified = { id: headers['webhook-id'], sentAt: new Date(now()), payload: { test: 2_432_232_314 } };
    const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const given of [headers, capitals, new Headers(headers)])
      for (const bytes of [body, new TextEncoder().encode(body), new TextEncoder().encode(body).buffer])
        expect(await verifyWebhook({ headers: given, body: bytes }, ['whsec_AAAA', secret], { now })).toEqual(verified);
  });

  test('tells why a request is not to be processed', async () => {
    const refused = (request: object, secrets: string | string[] = secret, later = 0) =>
      verifyWebhook({ headers, body, ...request }, secrets, { now: () => now() + later, toleranceSeconds: 10 }).then(
        () => null,
        ({ name, code }) => code ?? name,
      );
    expect(await refused({}, secret, 10_000)).toBeNull();
    expect(await refused({}, secret, 11_000)).toBe('WRONG_TIME');
    expect(await refused({ headers: {} })).toBe('MISSING_HEADER');
    expect(await refused({ body: `${body} ` })).toBe('WRONG_SIGNATURE');
    expect(await refused({}, [])).toBe('WRONG_SIGNATURE');
    // Hashing is not repeated for each signature that a stranger lists, nor done at all for another time.
    const sign = vi.spyOn(crypto.subtle, 'sign');
    onTestFinished(() => sign.mockRestore());
    const list = Array.from({ length: 300 }, (_, at) => `v1,${String(at).padStart(43, 'A')}=`).join(' ');
    expect(await refused({ headers: { ...headers, 'webhook-signature': list } })).toBe('WRONG_SIGNATURE');
    expect(sign).toHaveBeenCalledTimes(1);
    expect(await refused({ body: `${body} ` }, secret, 11_000)).toBe('WRONG_TIME');
    expect(sign).toHaveBeenCalledTimes(1);
    expect(await refused({}, 'whsec_')).toBe('TypeError');
    expect(await refused({}, 'whsec_?')).toBe('TypeError');
  });

  test('reads a form, and refuses what is neither', async () => {
    const signed = async (text: string, type: string) => {
      const key = { key: secret.slice(6), expiresAt: null };
      const list = signatureHeaders({ id: 'a', now: now(), body: Buffer.from(text) }, [key]);
      const given = new Headers({ 'content-type': type });
      for (let at = 0; at < list.length; at += 2) given.set(list[at] ?? '', list[at + 1] ?? '');
      return verifyWebhook({ headers: given, body: text }, secret, { now });
    };
    const form = 'application/x-www-form-urlencoded';
    expect((await signed('event=new_relation&user=%7B%22a%22%3A1%7D', form)).payload).toEqual({
      event: 'new_relation',
      user: '{"a":1}',
    });
    for (const text of ['', '1', '{', '[]'])
      await expect(signed(text, 'application/json')).rejects.toMatchObject({ code: 'UNREADABLE_BODY' });
  });
});

describe('retry', () => {
  const quick = { firstMs: 1, maxMs: 2 };

  test('runs again until it succeeds', async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      if (runs < 4) throw new Error(`Run ${runs}`);
      return runs;
    };
    expect(await retry(run, quick)).toBe(4);
  });

  test('gives up after its attempts, and with its signal', async () => {
    const run = vi.fn(async () => Promise.reject(new Error('Away')));
    await expect(retry(run, { ...quick, attempts: 3 })).rejects.toThrow('Away');
    expect(run).toHaveBeenCalledTimes(3);
    await expect(retry(run, { signal: AbortSignal.abort(new Error('Gone')) })).rejects.toThrow('Gone');
  });
});

test('the page of browsers has a line for each export', async () => {
  const exports = Object.keys(await import('../src/client/index.ts'));
  const rows = sectionOf('Client library').match(/^\| `.*? \|/gm) ?? [];
  const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(exports.sort());
});

test.each(Object.entries(clientSchema()))('%s is as npm run schema writes it', async (path, text) => {
  expect(await readFile(join(import.meta.dirname, '..', path), 'utf8')).toBe(text);
});

test('the caches know what two clients generate from the schema', () => {
  expect(apolloCache.possibleTypes.ServiceError).toEqual(['CheckpointError', 'InvalidRequestError', 'RequestError']);
  expect(apolloCache.typePolicies.PageInfo).toEqual({ merge: true });
  expect(Object.keys(urqlCache.resolvers.Query ?? {})).toEqual(
    Object.keys(apolloCache.typePolicies.Query?.fields ?? {}),
  );
  expect(urqlCache.keys).not.toHaveProperty('PnetPost');
});

test('the pages of the gateway run on the same files without types, as npm run client:pages writes them', async () => {
  await using written = await temporaryDirectory();
  const root = join(import.meta.dirname, '..');
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const [compile = ''] = scripts['client:pages'].replace('src/http/browser/client', written.path).split(' && ');
  const [command = '', ...options] = compile.split(' ');
  await promisify(execFile)(join(root, 'node_modules/.bin', command), options, { cwd: root });
  const folder = join(root, 'src/http/browser/client');
  expect(readdirSync(folder)).toEqual(readdirSync(written.path));
  // As they are before they are formatted.
  const unformatted = async (path: string) => (await readFile(path, 'utf8')).replaceAll(/[\s,]+/g, '');
  for (const file of readdirSync(folder))
    expect(await unformatted(join(folder, file)), file).toBe(await unformatted(join(written.path, file)));
});

test('npm run client copies all of them into the folder, from where it was called', async () => {
  await using app = await temporaryDirectory();
  const root = join(import.meta.dirname, '..');
  const run = (...args: readonly string[]) =>
    promisify(execFile)('npm', ['run', '--silent', '--prefix', root, 'client', ...args], { cwd: app.path });
  const { stdout } = await run('--', '--out', 'src/postern');
  const copied = readdirSync(join(app.path, 'src/postern'));
  expect(copied).toEqual(readdirSync(join(root, 'src/client')).sort());
  for (const file of copied) expect(stdout).toContain(file);
  expect(await readFile(join(app.path, 'src/postern/retry.ts'), 'utf8')).toBe(
    await readFile(join(root, 'src/client/retry.ts'), 'utf8'),
  );
  await expect(run()).rejects.toThrow('Name a folder');
  await expect(run('--', '--folder')).rejects.toThrow('Name a folder');
  expect((await run('--', '--help')).stdout).toContain('Name a folder');
});
