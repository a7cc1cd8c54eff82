/**
 * What HTTP lets the other side send although nobody asked for it (RFC 9110 and 9112), with what becomes of it. Suites of the
 * service and of receivers derive from this table.
 */
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

type Segment = string | Uint8Array;

export interface UnaskedResponse {
  /** Section of an RFC. */
  readonly by: string;
  /** What the body is in, sent in turn, each on its way before the next. */
  readonly segments: (body: Uint8Array) => readonly Segment[];
  /**
   * `read`: the body is what was sent. `failed`: no response of the contract: a read fails, a command's outcome is unknown.
   */
  readonly service: 'read' | 'failed';
  readonly receiver: 'delivered' | 'repeated';
  /** Whether the other side closes the connection after it. */
  readonly closes?: true;
  /** Whether it comes before the body of the request was read. */
  readonly early?: true;
}

const bytes = (...parts: readonly Segment[]): Uint8Array => Buffer.concat(parts.map((part) => Buffer.from(part)));
const withLength = (body: Uint8Array, head = '200 OK\r\n', length: number | string = body.length): Uint8Array =>
  bytes(`HTTP/1.1 ${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`, body);
const chunked = (body: Uint8Array, { head = '200 OK\r\n', extension = '', trailer = '' } = {}): Uint8Array => {
  const half = body.length >> 1;
  const chunk = (part: Uint8Array) => bytes(`${part.length.toString(16)}${extension}\r\n`, part, '\r\n');
  return bytes(
    `HTTP/1.1 ${head}transfer-encoding: chunked\r\n\r\n`,
    chunk(body.subarray(0, half)),
    chunk(body.subarray(half)),
    `0${extension}\r\n${trailer}\r\n`,
  );
};
const coded = (coding: string, body: Uint8Array) => withLength(body, `200 OK\r\ncontent-encoding: ${coding}\r\n`);
/** Of 40 MB of spaces. */
const bomb = gzipSync(Buffer.alloc(40_000_000, 0x20), { level: 1 });
const interim = (status: string, headers = '') => `HTTP/1.1 ${status}\r\n${headers}\r\n`;
const go = interim('100 Continue');
const each = (text: Segment): readonly Uint8Array[] => [...Buffer.from(text)].map((byte) => Buffer.of(byte));
const twice = ['set-cookie: a=1', 'retry-after: 1', 'ratelimit: "a";r=0', 'content-type: text/html', 'x-a: 1'];

const good = { service: 'read', receiver: 'delivered' } as const;
const bad = { service: 'failed', receiver: 'repeated' } as const;
/** Its status is enough for a receiver. */
const statusAlone = { service: 'failed', receiver: 'delivered' } as const;
const closes = true;
const early = true;

type Row = readonly [by: string, segments: readonly Segment[], becomes: Omit<UnaskedResponse, 'by' | 'segments'>];

const table = (body: Uint8Array, whole = withLength(body), zipped = gzipSync(body)): Readonly<Record<string, Row>> => ({
  'nothing unasked': ['9110 15.3.1', [whole], good],

  '100 in one segment with the response': ['9110 15.2', [bytes(go, whole)], good],
  '100 in a segment of its own': ['9110 15.2', [go, whole], good],
  '100 byte by byte': [
    '9110 15.2',
    [...each(`${interim('100 Continue', 'server: x\r\n')}HTTP/1.1 2`), whole.slice(10)],
    good,
  ],
  '100 with headers, a length among them': [
    '9112 6.3',
    [interim('100 Continue', 'content-length: 5\r\nx-a: 1\r\n'), whole],
    good,
  ],
  '100 that is chunked': ['9112 6.3', [bytes(interim('100 Continue', 'transfer-encoding: chunked\r\n'), whole)], good],
  '100 without a reason': ['9112 4', [interim('100 '), whole], good],
  '100 before a chunked response': ['9110 15.2', [go, chunked(body)], good],
  '100 before a response that the end of the connection ends': [
    '9110 15.2',
    [bytes(go, 'HTTP/1.1 200 OK\r\n\r\n', body)],
    { ...good, closes },
  ],
  '100 before an error': ['9110 15.2', [go, withLength(body, '500 No\r\n')], bad],
  '102 many times': [
    '9110 15.2',
    [interim('102 Processing').repeat(5), interim('102 Processing').repeat(5), whole],
    good,
  ],
  '103 with links': ['9110 15.2', [interim('103 Early Hints', 'link: </a>; rel=preload\r\n'), whole], good],
  '100, 103, 102 and an unknown one in one segment': [
    '9110 15.2',
    [bytes(go, ...['103 Early Hints', '102 Processing', '199 New'].map((status) => interim(status)), whole)],
    good,
  ],
  '104 and 100, cut inside the status': [
    '9110 15.2',
    [`${interim('104 Upload Resumption')}HTTP/1.1 1`, `00 Continue\r\n\r\n`, whole],
    good,
  ],
  '100 after the response': ['9110 15.2', [bytes(whole, go)], good],
  'no final response': ['9110 15.2', [go], { ...bad, closes }],
  '101 that nobody asked for': [
    '9110 15.2.2',
    [bytes(interim('101 Switching Protocols', 'connection: upgrade\r\nupgrade: x\r\n'), whole)],
    bad,
  ],

  gzip: ['9110 12.5.3', [coded('gzip', zipped)], good],
  'x-gzip in capitals': ['9110 8.4.1.3', [coded('X-GZIP', zipped)], good],
  deflate: ['9110 8.4.1.2', [coded('deflate', deflateSync(body))], good],
  'deflate without its envelope': ['9110 8.4.1.2', [coded('deflate', deflateRawSync(body))], good],
  br: ['9110 12.5.3', [coded('br', brotliCompressSync(body))], good],
  zstd: ['9110 12.5.3', [coded('zstd', zstdCompressSync(body))], good],
  identity: ['9110 12.5.3', [coded('identity', body)], good],
  'two codings': ['9110 8.4', [coded('deflate, gzip', gzipSync(deflateSync(body)))], good],
  'gzip in chunks': ['9110 8.4', [chunked(zipped, { head: '200 OK\r\ncontent-encoding: gzip\r\n' })], good],
  'gzip that is cut off': ['9110 8.4', [coded('gzip', zipped.subarray(0, -9))], statusAlone],
  'gzip that is none': ['9110 8.4', [coded('gzip', body)], good],
  'gzip of more than is read': ['9110 8.4', [coded('gzip', bomb)], statusAlone],
  'an unknown coding': ['9110 8.4.1', [coded('reversed', Buffer.from(body).reverse())], statusAlone],
  'a coding by the name of none': ['9110 8.4.1', [coded('none', body)], good],

  'fields that come twice': [
    '9110 5.3',
    [withLength(body, `200 OK\r\n${twice.map((line) => `${line}\r\n${line}2\r\n`).join('')}`)],
    good,
  ],
  'a field on several lines': ['9112 5.2', [withLength(body, '200 OK\r\nx-a: 1\r\n  2\r\n\t3\r\n')], good],
  'no reason': ['9112 4', [withLength(body, '200 \r\n')], good],
  'no type of content': ['9110 8.3', [bytes(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`, body)], good],
  'lines that end with LF alone': [
    '9112 2.2',
    [bytes(`HTTP/1.1 200 OK\ncontent-length: ${body.length}\n\n`, body)],
    good,
  ],
  'another status of success': ['9110 15', [withLength(body, '299 Fine\r\n')], good],
  'something that is not HTTP': ['9112 2.3', ['SSH-2.0-x\r\n\r\n'], { ...bad, closes }],

  '204 with a body': ['9112 6.3', [withLength(body, '204 No Content\r\n')], statusAlone],
  '204 with a chunked body': ['9112 6.3', [chunked(body, { head: '204 No Content\r\n' })], statusAlone],
  '304 with a body': ['9112 6.3', [withLength(body, '304 Same\r\n')], bad],
  '205 with a body': ['9110 15.3.6', [withLength(body, '205 Reset\r\n')], good],
  'no body': ['9110 8.6', [withLength(Buffer.of())], statusAlone],

  'a length that comes twice': ['9112 6.3', [withLength(body, `200 OK\r\ncontent-length: ${body.length}\r\n`)], bad],
  'two lengths': ['9112 6.3', [withLength(body, `200 OK\r\ncontent-length: ${body.length + 1}\r\n`)], bad],
  'a length that is too small': ['9112 6.3', [withLength(body, undefined, body.length - 1)], statusAlone],
  'a length that is too large': ['9112 8', [withLength(body, undefined, body.length + 1)], { ...bad, closes }],
  'a length that is none': ['9112 6.3', [withLength(body, undefined, 'many')], bad],
  'length and chunks': ['9112 6.3', [chunked(body, { head: `200 OK\r\ncontent-length: ${body.length}\r\n` })], bad],
  'chunks with extensions and trailers': [
    '9112 7.1',
    [chunked(body, { extension: ';a=1;b="2"', trailer: 'x-sum: 1\r\nserver-timing: a\r\n' })],
    good,
  ],
  'chunks that break off': ['9112 8', [chunked(body).subarray(0, -7)], { ...bad, closes }],

  'HTTP/1.0 until the connection ends': ['9112 6.3', [bytes('HTTP/1.0 200 OK\r\n\r\n', body)], { ...good, closes }],
  'HTTP/1.0 that keeps the connection': [
    '9112 9.3',
    [bytes('HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n', whole.subarray('HTTP/1.1 200 OK\r\n'.length))],
    good,
  ],
  'HTTP/1.1 until the connection ends': [
    '9112 6.3',
    [bytes('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', body)],
    { ...good, closes },
  ],
  'connection: close with a length': [
    '9112 9.6',
    [withLength(body, '200 OK\r\nconnection: close\r\n')],
    { ...good, closes },
  ],
  'a close that nobody announced': ['9112 9.5', [whole], { ...good, closes }],
  'a response before the request was read': ['9112 9.3', [whole], { ...good, early }],
  'a response and a close before the request was read': [
    '9112 9.6',
    [withLength(body, '200 OK\r\nconnection: close\r\n')],
    { ...good, early, closes },
  ],
  'an offer of other protocols': [
    '9110 7.8',
    [withLength(body, '200 OK\r\nconnection: upgrade\r\nupgrade: h2c, websocket\r\n')],
    good,
  ],
  'a time that connections live': [
    '9112 9.3',
    [withLength(body, '200 OK\r\nconnection: keep-alive\r\nkeep-alive: timeout=1, max=1\r\n')],
    good,
  ],

  ...Object.fromEntries(
    [300, 301, 302, 303, 307, 308].map((status): [string, Row] => [
      `${status} with a body`,
      ['9110 15.4', [withLength(body, `${status} There\r\nlocation: /elsewhere\r\n`)], bad],
    ]),
  ),
});

export const unaskedResponses: Readonly<Record<string, UnaskedResponse>> = Object.fromEntries(
  Object.entries(table(Buffer.of())).map(([what, [by, , becomes]]) => [
    what,
    { by, ...becomes, segments: (body) => table(body)[what]?.[1] ?? [] },
  ]),
);

interface RawResponse extends Pick<UnaskedResponse, 'closes' | 'early'> {
  readonly segments: readonly Segment[];
}

/** A server of raw connections, told what to send for the head of each request. */
export async function startRawServer(respond: (head: string) => RawResponse) {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  // Segments are sent at once, or they would wait for each other and arrive together.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    const answer = async ({ segments, closes }: RawResponse) => {
      for (const [place, segment] of segments.entries()) {
        if (place > 0) await sleep(2);
        socket.write(segment);
      }
      if (closes) socket.end();
    };
    let text = '';
    let begun: RawResponse | null = null;
    socket.on('data', (arrived) => {
      text += arrived.toString('latin1');
      const end = text.indexOf('\r\n\r\n') + 4;
      if (end < 4) return;
      const head = text.slice(0, end);
      if (begun === null) {
        received.push(head);
        begun = respond(head);
        if (begun.early) answer(begun);
      }
      if (text.length < end + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)) return;
      if (!begun.early) answer(begun);
      [text, begun] = ['', null];
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, received };
}
