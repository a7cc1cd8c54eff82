/** Reading the bytes of a response, and handing it over to whoever wants its value. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postEndpoints, postVocabularies } from '../../src/capabilities/posts/endpoints.ts';
import { webhookEndpoints, webhookVocabularies } from '../../src/capabilities/webhooks/endpoints.ts';
import { ReadMemo, type RequestContext } from '../../src/kernel/request-context.ts';
import { createBodyMemory } from '../../src/net/body-memory.ts';
import { createUpstream } from '../../src/upstream/client.ts';
import { serviceOf } from '../../src/upstream/service.ts';
import type { UpstreamSettings } from '../../src/upstream/settings.ts';
import { commonVocabularies } from '../../src/upstream/translation.ts';
import { breakOff, healthy, times } from '../support/faults.ts';
import { requestContext } from '../support/request-context.ts';
import { envelope, json, pnetPost, postList, type Respond, startStub } from '../support/stub.ts';

const longKey = 'a key that is long enough to be looked for';
const posts = (identifier = 'ACo1') => ({ account_id: 'a', identifier, limit: 10 });

/** A client as the gateway composes it, over a stub. */
async function setUp(respond: Respond = healthy, settings: Partial<UpstreamSettings> = {}) {
  const stub = await startStub(respond);
  const log: Record<string, unknown>[] = [];
  // Whoever used what is free again would read this.
  const memory = createBodyMemory((slab) => slab.fill(0x21));
  const client = createUpstream(
    {
      origin: stub.url,
      basePath: '',
      apiKey: 'our-key',
      names: {},
      actsOnce: false,
      headers: {},
      timeoutMs: 20_000,
      budgetMs: 40_000,
      maxCalls: 120,
      connections: 8,
      maxBytes: 100_000,
      ...settings,
    },
    { ...commonVocabularies, ...postVocabularies, ...webhookVocabularies },
    { logger: pino({}, { write: (line: string) => void log.push(JSON.parse(line)) }), now: () => new Date(), memory },
  );
  onTestFinished(() => client.close());
  const upstream = serviceOf(client, (asked, context) => asked.call(context, webhookEndpoints.list, { limit: 1 }));
  const read = (context: RequestContext, identifier?: string) =>
    upstream.read(context, postEndpoints.list, posts(identifier));
  const call = (context: RequestContext, identifier?: string) =>
    upstream.call(context, postEndpoints.list, posts(identifier));
  return { stub, log, memory, upstream, read, call };
}

/** A request, with what it hands over. */
const request = (signal?: AbortSignal): RequestContext => ({
  ...requestContext('w', signal),
  responses: new ReadMemo(),
});
/** A request that hands over nothing. */
const plain = (signal?: AbortSignal): RequestContext => requestContext('w', signal);

const text = (body: readonly Uint8Array[]): string => Buffer.concat(body).toString();
const page = JSON.stringify(postList([pnetPost('ACo1')]));

describe('a read', () => {
  test('has the bytes as they came, and the value that a call has', async () => {
    const { read, call } = await setUp();
    const response = await read(plain());
    expect(text(response.body)).toBe(page);
    expect(response.value()).toEqual(JSON.parse(page));
    expect(response.value()).toBe(response.value());
    expect(await call(plain())).toEqual(response.value());
  });

  test.each(['', '1', '12', '123'])(
    'may come in many chunks, which may cut a character: behind "%s"',
    async (before) => {
      const long = `${before}${'👋'.repeat(20_000)}`;
      const bytes = Buffer.from(page.replace('Text ACo1', long));
      const { read } = await setUp(async (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        for (let at = 0; at < bytes.length; at += 9_701) {
          response.write(bytes.subarray(at, at + 9_701));
          await sleep(1);
        }
        response.end();
      });
      const response = await read(plain());
      expect(response.body.length).toBeGreaterThan(1);
      expect(Buffer.concat(response.body).equals(bytes)).toBe(true);
      expect(Reflect.get(response.value(), 'items')[0].text === long).toBe(true);
    },
  );

  test('is joined by calls of the same list', async () => {
    const { stub, read, call } = await setUp((asked, response) => void setTimeout(healthy, 20, asked, response));
    const [first, value, second] = await Promise.all([read(plain()), call(plain()), read(plain())]);
    expect(stub.received).toHaveLength(1);
    expect(second).toBe(first);
    expect(first.value()).toBe(value);
    await Promise.all([call(plain()), read(plain()), read(plain(), 'ACo2')]);
    expect(stub.received).toHaveLength(3);
  });

  test.each<[what: string, respond: Respond, failure: object, requests: number]>([
    ['that breaks off every time', breakOff, { type: 'errors/network_down', status: 503 }, 3],
    [
      'that is too large',
      (_request, response) => json(response, 200, 'x'.repeat(100_001)),
      { type: 'errors/provider_error' },
      1,
    ],
    [
      'that is an error',
      (_request, response) => json(response, 422, envelope('user_unreachable', 422)),
      { type: 'errors/user_unreachable' },
      1,
    ],
    [
      'that is an unreadable error',
      (_request, response) => json(response, 502, '<html>'),
      { type: 'errors/provider_error', status: 500 },
      3,
    ],
    ['that does not come', () => {}, { type: 'errors/request_timeout', status: 504 }, 1],
  ])(
    '%s fails as a call does, and fails a call that it is handed over to',
    async (_what, respond, failure, requests) => {
      const { stub, log, read, call } = await setUp(respond, { timeoutMs: 1_000 });
      const context = request();
      const error = await read(context).catch((reason: unknown) => reason);
      expect(error).toMatchObject(failure);
      await expect(call(context)).rejects.toBe(error);
      await expect(read(context)).rejects.toBe(error);
      expect(stub.received).toHaveLength(requests);
      expect(log).toHaveLength(requests);
      await expect(call(plain())).rejects.toMatchObject(failure);
    },
  );

  test.each([
    ['no JSON', '{"object":"PostList","items":['],
    ['no object', '[]'],
    ['empty', ''],
    ['of another kind', '{"object":"WebhookList","items":[]}'],
  ])('may be %s: whoever reads its value fails as a call does, and it is logged once', async (_what, body) => {
    const { stub, log, read, call } = await setUp((_request, response) => json(response, 200, body));
    const context = request();
    const response = await read(context);
    expect(text(response.body)).toBe(body);
    expect(log).toEqual([]);
    const error = await call(context).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type: 'errors/provider_error', status: 500 });
    expect(() => response.value()).toThrow(error as Error);
    expect(log).toMatchObject([
      { msg: 'upstream failure', level: 30, reqId: 'test-request', upstream: { status: 200, attempt: 1 } },
    ]);
    expect(stub.received).toHaveLength(1);
    await expect(call(plain())).rejects.toMatchObject({ message: (error as Error).message });
    expect(log).toHaveLength(2);
  });

  test('that starts with a byte order mark, or is no UTF-8, has the value that it always had', async () => {
    const odd = Buffer.concat([Buffer.from('\ufeff'), Buffer.from(page.replace('Text ACo1', '\xff'), 'latin1')]);
    const { read } = await setUp((_request, response) => void response.writeHead(200).end(odd));
    const response = await read(plain());
    expect(Buffer.concat(response.body)).toEqual(odd);
    expect(response.value()).toMatchObject({ items: [{ text: '\ufffd' }] });
  });
});

describe('handing over', () => {
  test('a call takes what was read for its request, whatever the order of its fields, and nothing else', async () => {
    const { stub, upstream, read, call } = await setUp();
    const context = request();
    const response = await read(context);
    const { limit, identifier, account_id } = posts();
    expect(await upstream.call(context, postEndpoints.list, { limit, identifier, account_id })).toBe(response.value());
    expect(stub.received).toHaveLength(1);
    await upstream.call(context, postEndpoints.list, { ...posts(), limit: 11 });
    await upstream.call(context, postEndpoints.list, { ...posts(), cursor: 'next' });
    await upstream.call(context, postEndpoints.list, { ...posts(), is_company: false });
    await call(context, 'ACo2');
    await call(request());
    expect(stub.received).toHaveLength(6);
  });

  test('a call waits for a read in progress, and a second read joins the first', async () => {
    const { stub, read, call } = await setUp((asked, response) => void setTimeout(healthy, 20, asked, response));
    const context = request();
    const [response, again, value] = await Promise.all([read(context), read(context), call(context)]);
    expect(again).toBe(response);
    expect(value).toBe(response.value());
    expect(stub.received).toHaveLength(1);
  });

  test('takes nothing from the budget of calls', async () => {
    const { read, call } = await setUp(healthy, { maxCalls: 2 });
    const context = request();
    await read(context);
    await call(context);
    await call(context);
    await call(context, 'ACo2');
    await expect(read(context, 'ACo3')).rejects.toMatchObject({ type: 'errors/limit_too_high' });
    await expect(call(context, 'ACo3')).rejects.toMatchObject({ type: 'errors/limit_too_high' });
  });

  test('a refusal is attributed to the key or the account once', async () => {
    const { stub, read, call } = await setUp(({ path }, response) =>
      path.includes('webhooks')
        ? json(response, 200, { object: 'WebhookList', items: [], cursor: null })
        : json(response, 401, envelope('expired_credentials', 401)),
    );
    const context = request();
    const error = await read(context).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type: 'errors/expired_credentials', family: 'account' });
    await expect(call(context)).rejects.toBe(error);
    expect(stub.received.map(({ path }) => path)).toEqual([
      '/v1/users/ACo1/posts?account_id=a&limit=10',
      '/v1/webhooks?limit=1',
    ]);
  });

  test('an id that cannot be in a path fails both', async () => {
    const { stub, read, call } = await setUp();
    const context = request();
    await expect(read(context, 'a/b')).rejects.toMatchObject({ type: 'errors/invalid_recipient' });
    await expect(call(context, 'a/b')).rejects.toMatchObject({ type: 'errors/invalid_recipient' });
    expect(stub.received).toEqual([]);
  });
});

describe('whoever waits for a read', () => {
  test('can leave, which ends it when it was the last', async () => {
    const { stub, log, read, call } = await setUp(() => {});
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = [read(plain(first.signal)), call(plain(second.signal))];
    await expect.poll(() => stub.received).toHaveLength(1);
    first.abort(new DOMException('The client disconnected', 'AbortError'));
    await expect(waits[0]).rejects.toMatchObject({ type: 'errors/request_timeout' });
    expect(stub.sockets.size).toBe(1);
    second.abort(new DOMException('The client disconnected', 'AbortError'));
    await expect(waits[1]).rejects.toMatchObject({ type: 'errors/request_timeout' });
    await expect.poll(() => stub.sockets.size).toBe(0);
    expect(log).toEqual([]);
  });

  test('has a deadline of its own, which does not end it for others', async () => {
    const { stub, read, call } = await setUp(
      (asked, response) => void setTimeout(healthy, asked.path.includes('slow') ? 700 : 600, asked, response),
      { budgetMs: 1_000 },
    );
    const context = plain();
    // Uses up most of the time that the operation has.
    await call(context);
    const late = read(context, 'slow');
    const other = read(plain(), 'slow');
    await expect(late).rejects.toMatchObject({ type: 'errors/request_timeout' });
    expect((await other).value()).toMatchObject({ object: 'PostList' });
    expect(stub.received).toHaveLength(2);
  });

  test('can leave while it waits for a connection, and is never sent', async () => {
    const { stub, read } = await setUp((asked, response) => void setTimeout(healthy, 100, asked, response), {
      connections: 1,
    });
    const first = read(plain(), 'ACo1');
    await expect.poll(() => stub.received).toHaveLength(1);
    const gone = new AbortController();
    const second = read(plain(gone.signal), 'ACo2');
    gone.abort(new DOMException('The client disconnected', 'AbortError'));
    await expect(second).rejects.toMatchObject({ type: 'errors/request_timeout' });
    expect((await first).value()).toMatchObject({ object: 'PostList' });
    expect((await read(plain(), 'ACo3')).value()).toMatchObject({ object: 'PostList' });
    expect(stub.received.map(({ path }) => path.split('/')[3])).toEqual(['ACo1', 'ACo3']);
  });
});

describe('the memory of a body', () => {
  test('is used until the last who shares it has released it', async () => {
    const { memory, read } = await setUp((asked, response) => void setTimeout(healthy, 20, asked, response));
    const contexts = [request(), request(), request()];
    const gone = new AbortController();
    const left = read(plain(gone.signal));
    const reads = contexts.map((context) => read(context));
    gone.abort(new DOMException('The client disconnected', 'AbortError'));
    await expect(left).rejects.toMatchObject({ type: 'errors/request_timeout' });
    const [response, ...others] = await Promise.all(reads);
    expect(others).toEqual([response, response]);
    for (const { responses } of contexts) {
      expect(memory.taken).toBe(1);
      expect(text(response?.body ?? [])).toBe(page);
      responses?.release();
      await sleep(0);
    }
    expect(memory.taken).toBe(0);
    expect(() => response?.body).toThrow('The body has been released');
  });

  test.each<[what: string, respond: Respond]>([
    ['a page', healthy],
    ['retries', times(1, breakOff)],
    ['an error', (_request, response) => json(response, 422, envelope('user_unreachable', 422))],
    ['no JSON', (_request, response) => json(response, 200, '{"object":"PostList","items":[')],
    ['an echo of the key', (_request, response) => json(response, 200, { ...postList([]), echo: longKey })],
    ['nothing', () => {}],
    ['a part', (_request, response) => void response.writeHead(200, { 'content-length': 9 }).write('{')],
    ['too much', (_request, response) => json(response, 200, 'x'.repeat(100_001))],
  ])('is free once whoever asked for it has what came of it, or has gone: %s', async (_what, respond) => {
    const { memory, upstream, read, call } = await setUp(respond, { timeoutMs: 300, apiKey: longKey });
    const context = request();
    const gone = new AbortController();
    const leaving = request(gone.signal);
    const outcomes = [
      ...[read(context), call(context), read(context), call(plain()), call(plain(), 'ACo2')],
      ...[read(leaving, 'ACo3'), call(plain(gone.signal), 'ACo3'), upstream.ready()],
    ];
    setTimeout(() => gone.abort(new DOMException('The client disconnected', 'AbortError')), 5);
    await Promise.allSettled(outcomes);
    for (const { responses } of [context, leaving]) responses?.release();
    await expect.poll(() => memory.taken).toBe(0);
  });
});

test.each([
  [{}, false],
  [{ providers: { PNET: 'ACME' } }, true],
  [{ reactions: { LIKE: 'UP' } }, true],
  [{ providers: {} }, false],
  [{ errors: { resource_not_found: 'gone' }, path_segments: { pnet: 'acme' } }, false],
])('with the names %j, the posts of the service are translated: %s', async (names, translated) => {
  const { upstream } = await setUp(healthy, { names });
  expect(upstream.isTranslated(postEndpoints.list)).toBe(translated);
});
