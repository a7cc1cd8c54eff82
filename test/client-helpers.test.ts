/** The helpers of `examples/shared`, which pages in a browser copy. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAccessTokens } from '../examples/shared/access-token.ts';
import { devProxy } from '../examples/shared/dev-proxy.ts';
import { mergePages } from '../examples/shared/merge-pages.ts';
import { createNotes } from '../examples/shared/notes.ts';
import { repeatUpdates } from '../examples/shared/repeat-updates.ts';
import { createRetry } from '../examples/shared/retry.ts';
import { readResult, sendOperation } from '../examples/shared/send-operation.ts';
import { skipFailed } from '../examples/shared/skip-failed.ts';
import { steadyFetch } from '../examples/shared/steady-fetch.ts';
import { createStreams } from '../examples/shared/streams.ts';
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

  test('keeps items that have no id', () => {
    expect(mergePages(page([1], null), page([2], null), () => undefined).edges).toHaveLength(2);
  });
});

describe('createRetry', () => {
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

  test('a request that is aborted waits no more', async () => {
    const { states, steady } = outage();
    const gone = new AbortController();
    const sent = steady('http://gateway', { signal: gone.signal });
    await expect.poll(() => states).toEqual([true]);
    gone.abort(new Error('Gone'));
    await expect(sent).rejects.toThrow('Gone');
    expect(states).toEqual([true, false]);
  });

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

  test('a response whose connection breaks off is no reason to give up', async () => {
    const broken = () => new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) });
    const responses = [new Response(broken(), { status: 502 }), Response.json({})];
    const steady = steadyFetch({ fetch: async () => responses.shift() ?? Response.error(), retry: soon });
    expect((await steady('http://gateway')).status).toBe(200);
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

  test('gives its headers to a wrapper of fetch that spreads them', async () => {
    const stub = await startStub((_request, response) => json(response, 200, { data: null }));
    const wrapper: typeof fetch = (input, init) =>
      fetch(input, { ...init, headers: { ...init?.headers, 'x-user': '1' } });
    const headers = new Headers({ Accept: 'text/event-stream' });
    await sendOperation(`${stub.url}/graphql`, { query: '{ a }' }, { headers, fetch: wrapper });
    const sent = { 'content-type': 'application/json', accept: 'text/event-stream', 'x-user': '1' };
    expect(stub.received[0]?.headers).toMatchObject(sent);
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

describe('createNotes', () => {
  test('tells of changes only, and has the same array until then', () => {
    const notes = createNotes<string>();
    const tell = vi.fn();
    const stop = notes.subscribe(tell);
    const none = notes.all();
    notes.set('a', []);
    expect(notes.all()).toBe(none);
    notes.set('a', ['one']);
    notes.set('b', ['two', 'three']);
    expect(notes.all()).toEqual(['one', 'two', 'three']);
    notes.set('a', []);
    expect(notes.all()).toEqual(['two', 'three']);
    expect(tell).toHaveBeenCalledTimes(3);
    stop();
    notes.set('b', []);
    expect(tell).toHaveBeenCalledTimes(3);
  });
});

describe('devProxy', () => {
  const passed = async (key: () => string, sent: Record<string, string>) => {
    const { bypass } = devProxy({ url: 'http://127.0.0.1:4000', key })['/graphql'] ?? {};
    const headers: IncomingHttpHeaders = { host: '127.0.0.1:5173', ...sent };
    return { isRefused: (await bypass?.({ headers } as IncomingMessage, undefined, {})) === false, headers };
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

  /** Two subscriptions over connections that the test holds, at times that the test decides. */
  function held() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const told: (string | null)[] = [];
    const sockets: Socket[] = [];
    class Socket {
      static readonly CONNECTING = 0;
      static readonly OPEN = 1;
      static readonly CLOSING = 2;
      static readonly CLOSED = 3;
      readonly readyState = 1;
      /** The ids of subscriptions, in the order in which they were sent. */
      readonly sent: string[] = [];
      onopen = () => {};
      onmessage = (_event: { data: string }) => {};
      constructor() {
        sockets.push(this);
      }
      send(text: string) {
        const { type, id } = JSON.parse(text);
        if (type === 'subscribe') this.sent.push(id);
      }
      close() {}
      async receive(message: object) {
        this.onmessage({ data: JSON.stringify(message) });
        await vi.advanceTimersByTimeAsync(0);
      }
      async accept() {
        this.onopen();
        await vi.advanceTimersByTimeAsync(0);
        await this.receive({ type: 'connection_ack' });
      }
      refuse(index: number, code: string) {
        const error = { message: `No ${index}.`, extensions: { code } };
        return this.receive({ type: 'error', id: this.sent[index], payload: [error] });
      }
    }
    const streams = createStreams({
      url: 'ws://gateway',
      webSocketImpl: Socket,
      retry: soon,
      onRefused: (reason) => told.push(reason),
    });
    for (const query of ['subscription { a }', 'subscription { b }'])
      streams.subscribe({ query }, { next: () => {}, error: () => {}, complete: () => {} });
    const last = async () => {
      await vi.advanceTimersByTimeAsync(10);
      const socket = sockets.at(-1);
      if (socket === undefined) throw new Error('There is no connection');
      return socket;
    };
    return { told, last };
  }

  test('a subscription is not taken for accepted before it has a connection', async () => {
    const { told, last } = held();
    const first = await last();
    await first.accept();
    await first.refuse(0, 'EXPIRED_CREDENTIALS');
    const next = await last();
    expect(next).not.toBe(first);
    // This connection takes its time.
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual(['No 0.']);
    await next.accept();
    expect(next.sent).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(told).toEqual(['No 0.']);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual(['No 0.', null]);
  });

  test('a refusal is said until no subscription is refused', async () => {
    const { told, last } = held();
    const socket = await last();
    await socket.accept();
    for (const index of [0, 1]) await socket.refuse(index, 'SERVICE_UNAVAILABLE');
    expect(told).toEqual(['No 0.', 'No 1.']);
    await last();
    const [, , again, other] = socket.sent;
    await socket.receive({ type: 'next', id: again, payload: { data: {} } });
    expect(told.at(-1)).not.toBeNull();
    await socket.receive({ type: 'next', id: other, payload: { data: {} } });
    expect(told.at(-1)).toBeNull();
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
  expect(copied).toEqual([...readdirSync(join(root, 'examples/shared')), 'merge.ts'].sort());
  for (const file of copied) expect(stdout).toContain(file);
  expect(await readFile(join(app.path, 'src/postern/retry.ts'), 'utf8')).toBe(
    await readFile(join(root, 'examples/shared/retry.ts'), 'utf8'),
  );
  await expect(run()).rejects.toThrow('Name a folder');
  await expect(run('--', '--folder')).rejects.toThrow('Name a folder');
  expect((await run('--', '--help')).stdout).toContain('Name a folder');
});
