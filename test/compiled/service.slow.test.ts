/** Whatever the service responds, well or badly: with and without compiled operations it is asked the same, and so is the response. */
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { errorTable } from '../../src/kernel/errors.ts';
import { breakOff } from '../support/faults.ts';
import { envelope, json, pnetPost, postList, type Respond } from '../support/stub.ts';
import { type BothWays, pages, type Served, seen, shareBothWays, startBothWays } from './both-ways.ts';

const selection = `{ nodes { __typename ... on PnetPost { id text reactionCount userReacted publishedAt author { id name }
  attachments { type providerId } } } edges { cursor } pageInfo { hasNextPage endCursor } }`;
const list = (args = '') => `posts(accountId: "a1", identifier: "ACo1"${args}) ${selection}`;
const query = `{ ${list()} }`;

const begin = shareBothWays();

async function askBoth(both: BothWays, document = query): Promise<Served> {
  const { on, off } = await both.ask({ body: { query: document } });
  expect(seen(on)).toEqual(seen(off));
  return on;
}

/** The gateways wait no longer than this for the service. */
const hurried = { UPSTREAM_TIMEOUT_MS: '700' };

describe('errors of the service', () => {
  const errors = Object.entries(errorTable).map(([name, { status }]): [string, number] => [name, status]);

  test.each(errors)('%s', async (name, status) => {
    const both = begin((_request, response) => json(response, status, envelope(name, status)));
    const served = await askBoth(both);
    expect(served.compiled).toMatch(/^errors\//);
    expect(served.calls.length).toBeLessThanOrEqual(4);
  });

  test.each([500, 502, 503, 504])('%i is retried as often as without compiling', async (status) => {
    let calls = 0;
    const both = begin((request, response) => {
      calls += 1;
      if (calls % 3 === 0) pages(request, response);
      else json(response, status, envelope('service_unavailable', status), { 'retry-after': '0' });
    });
    await askBoth(both);
  });
});

test('a service that keeps failing is not called any more, as soon as without compiling', async () => {
  const both = begin((_request, response) => json(response, 500, 'The page of a proxy'));
  const calls: number[] = [];
  for (let at = 0; at < 30; at += 1) calls.push((await askBoth(both)).calls.length);
  expect(calls.at(-1)).toBe(0);
});

/** Responses with these bytes. */
const bytes =
  (body: string | Buffer, headers: Record<string, string | number> = {}): Respond =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);

const page = JSON.stringify(postList([pnetPost('1'), pnetPost('2')]));
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const withPost = (more: object) => JSON.stringify(postList([pnetPost('1'), pnetPost('2', more)]));

const anyWay = /./;

/** What a service may send, and what the log line says of it. */
const sent: Readonly<Record<string, readonly [compiled: string | RegExp, respond: Respond]>> = {
  'a page': ['yes', bytes(page)],
  'a page in many chunks': ['yes', (_request, response) => void inChunks(response, Buffer.from(page))],
  'a page of another content type': ['yes', bytes(page, { 'content-type': 'text/html' })],
  'a page with a byte order mark': [anyWay, bytes(`\ufeff${page}`)],
  'a page that breaks off': ['errors/network_down', breakOff],
  'a page that is shorter than it says': [
    /^errors/,
    bytes(page, { 'content-length': page.length + 10, connection: 'close' }),
  ],
  'a compressed page': ['yes', bytes(gzipSync(page), { 'content-encoding': 'gzip' })],
  'a page that is compressed twice': [
    'yes',
    bytes(brotliCompressSync(gzipSync(page)), { 'content-encoding': 'gzip, br' }),
  ],
  nothing: ['not_json', bytes('')],
  'no content': [anyWay, (_request, response) => void response.writeHead(204).end()],
  'items that are no list': ['no list', bytes(JSON.stringify({ ...postList([]), items: {} }))],
  'no items': ['no list', bytes('{"object":"PostList"}')],
  'a cursor of many kilobytes': [
    /./,
    bytes(JSON.stringify({ ...postList([pnetPost('1')]), cursor: 'ü'.repeat(20_000) })),
  ],
  'bytes that are no UTF-8': [anyWay, bytes(Buffer.from(withPost({ text: '\xff\xfe' }), 'latin1'))],
  'half of a surrogate pair': ['yes', bytes(withPost({ text: 'X' }).replace('"X"', '"\\ud800"'))],
  'a post of another network': [anyWay, bytes(withPost({ provider: 'FACEPLACE' }))],
  'a number that no double holds': [anyWay, bytes(page.replace('5000000000', '1e999'))],
  'a number of many digits': [anyWay, bytes(page.replace('5000000000', '0.1000000000000000055511151231257827'))],
  'a key of the prototype': ['yes', bytes(page.replace('"text"', '"__proto__":{"text":"x"},"constructor":1,"text"'))],
  'a value that is nested deeply': [anyWay, bytes(page.replace('"text"', `"more":${deep(5_000)},"text"`))],
  'a value that is nested far too deeply': [anyWay, bytes(page.replace('"text"', `"more":${deep(1_000_000)},"text"`))],
  'a page of ten megabytes': ['yes', bytes(withPost({ more: 'm'.repeat(10_000_000) }))],
  'a text of three megabytes': ['too_large', bytes(withPost({ text: 't'.repeat(3_000_000) }))],
  'a page beyond the largest response': [/^errors/, bytes(withPost({ more: 'm'.repeat(17_000_000) }))],
  'a compressed page beyond the largest response': [
    /^errors/,
    bytes(gzipSync(withPost({ more: 'm'.repeat(17_000_000) })), { 'content-encoding': 'gzip' }),
  ],
  'a hundred megabytes': [/^errors/, (_request, response) => void endless(response, 100_000_000)],
  'more posts than were asked for': [
    'yes',
    bytes(JSON.stringify(postList(Array.from({ length: 300 }, (_, at) => pnetPost(`p${at}`))))),
  ],
  'a hundred thousand posts that are empty': [
    /./,
    bytes(JSON.stringify(postList(Array.from({ length: 100_000 }, () => ({}))))),
  ],
};

function inChunks(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const write = (at: number): void => {
    if (at >= body.length) return void response.end();
    response.write(body.subarray(at, at + 100), () => write(at + 100));
  };
  write(0);
}

function endless(response: ServerResponse, length: number): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1_000_000, ' ');
  const write = (left: number): void => {
    if (left <= 0) return void response.end();
    if (!response.destroyed) response.write(chunk, () => write(left - chunk.length));
  };
  write(length);
}

test.each(Object.entries(sent))('%s', { timeout: 60_000 }, async (_what, [compiled, respond]) => {
  const both = begin(respond);
  const served = await askBoth(both);
  expect(served.compiled).toMatch(compiled === 'yes' ? /^yes$/ : compiled);
  // A page that is left is not fetched a second time.
  if (served.compiled !== 'errors/network_down') expect(served.calls).toHaveLength(1);
});

test('a service that does not respond', async () => {
  const both = await startBothWays(() => {}, hurried);
  expect((await askBoth(both)).compiled).toBe('errors/request_timeout');
});

test('a service that responds slowly', { timeout: 60_000 }, async () => {
  const both = await startBothWays((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(timer));
  }, hurried);
  expect((await askBoth(both)).compiled).toBe('errors/request_timeout');
  await expect.poll(() => both.stub.received.length).toBe(2);
});

describe('calls', () => {
  const written = (by: string, id: string, more: object = {}) =>
    pnetPost(id, { author: { ...pnetPost(id).author, id: by, is_company: by === 'company' }, ...more });
  /** Posts of ACo1 by three authors, of whom each has written two. */
  const authored =
    (odd: Readonly<Record<string, Respond>> = {}): Respond =>
    (request, response) => {
      const of = decodeURIComponent(/users\/([^/]+)/.exec(request.path)?.[1] ?? '');
      const respond = odd[of];
      if (respond !== undefined) return respond(request, response);
      const authors = of === 'ACo1' ? ['ada', 'bo', 'ada', 'company'] : [of, `friend of ${of}`];
      json(response, 200, postList(authors.map((by, at) => written(by, `${of}-${at}`))));
    };
  const ofAuthors = (first: number, inner = 'id') =>
    `posts(accountId: "a1", identifier: "ACo1", first: 4) { nodes { ... on PnetPost { id author { name posts(first: ${first}) {
      nodes { ... on PnetPost { ${inner} } } edges { cursor } pageInfo { endCursor } } } } } }`;
  const pageOf = (of: string, limit: number, rest = '') =>
    `/v1/users/${encodeURIComponent(of)}/posts?account_id=a1&limit=${limit}${rest}`;

  test('lists within a list are read once for each author, at the same time', async () => {
    const both = begin(authored());
    const served = await askBoth(both, `{ ${ofAuthors(2)} }`);
    expect(served.compiled).toBe('yes');
    expect(served.calls.toSorted()).toEqual(
      [pageOf('ACo1', 4), pageOf('ada', 2), pageOf('bo', 2), pageOf('company', 2, '&is_company=true')].toSorted(),
    );
  });

  test.each<readonly [string, string, string, Respond]>([
    ['fails', 'bo', 'errors/user_unreachable', (_, response) => json(response, 422, envelope('user_unreachable', 422))],
    ['is odd', 'bo', 'not_expected', (_, response) => json(response, 200, postList([written('bo', 'x', { id: 7 })]))],
    ['is no page', 'bo', 'not_json', bytes('{')],
    ['goes on', 'bo', 'the window needs another page', (_, response) => json(response, 200, postList([], 'next'))],
    ['is of nobody', 'ACo1', 'missing', (_, response) => json(response, 200, postList([written(null as never, 'x')]))],
    [
      'is of a number',
      'ACo1',
      'not_expected',
      (_, response) => json(response, 200, postList([written(7 as never, '')])),
    ],
    [
      'is refused',
      'ACo1',
      'errors/invalid_recipient',
      (_, response) => json(response, 200, postList([written('', 'x')])),
    ],
  ])('of the lists within a list one %s', async (_what, of, compiled, respond) => {
    const both = begin(authored({ [of]: respond }));
    expect((await askBoth(both, `{ ${ofAuthors(2)} }`)).compiled).toBe(compiled);
  });

  test('no more than an operation may make', async () => {
    const both = await startBothWays(pages, {}, { upstream: { maxCalls: 2 } });
    const three = ['ACo1', 'ACo2', 'ACo3'].map((of, at) => `name${at}: ${list().replace('ACo1', of)}`);
    const served = await askBoth(both, `{ ${three.join(' ')} }`);
    expect(served.calls).toHaveLength(2);
  });
});
