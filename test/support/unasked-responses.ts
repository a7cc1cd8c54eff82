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

const withLength = (
  body: Uint8Array,
  head = 'HTTP/1.1 200 OK\r\n',
  length: number | string = body.length,
): Uint8Array => bytes(`${head}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`, body);
const bytes = (...parts: readonly Segment[]): Uint8Array => Buffer.concat(parts.map((part) => Buffer.from(part)));
const chunked = (body: Uint8Array, { head = 'HTTP/1.1 200 OK\r\n', extension = '', trailer = '' } = {}): Uint8Array => {
  const half = body.length >> 1;
  const chunk = (part: Uint8Array) => bytes(`${part.length.toString(16)}${extension}\r\n`, part, '\r\n');
  return bytes(
    `${head}transfer-encoding: chunked\r\n\r\n`,
    chunk(body.subarray(0, half)),
    chunk(body.subarray(half)),
    `0${extension}\r\n${trailer}\r\n`,
  );
};
const coded = (coding: string, encode: (body: Uint8Array) => Uint8Array) => (body: Uint8Array) => [
  withLength(encode(body), `HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\n`),
];
/** Of 40 MB of spaces. Made once: it takes longer than a response may. */
let made: Uint8Array | undefined;
const bomb = (): Uint8Array => {
  made ??= gzipSync(Buffer.alloc(40_000_000, 0x20), { level: 1 });
  return made;
};
const interim = (status: string, headers = '') => `HTTP/1.1 ${status}\r\n${headers}\r\n`;
const each = (text: Segment): readonly Uint8Array[] => [...Buffer.from(text)].map((byte) => Buffer.of(byte));

const good = { service: 'read', receiver: 'delivered' } as const;
const bad = { service: 'failed', receiver: 'repeated' } as const;
/** Its status is enough for a receiver. */
const statusAlone = { service: 'failed', receiver: 'delivered' } as const;

export const unaskedResponses: Readonly<Record<string, UnaskedResponse>> = {
  'nothing unasked': { by: '9110 15.3.1', segments: (body) => [withLength(body)], ...good },

  '100 in one segment with the response': {
    by: '9110 15.2',
    segments: (body) => [bytes(interim('100 Continue'), withLength(body))],
    ...good,
  },
  '100 in a segment of its own': {
    by: '9110 15.2',
    segments: (body) => [interim('100 Continue'), withLength(body)],
    ...good,
  },
  '100 byte by byte': {
    by: '9110 15.2',
    segments: (body) => [...each(`${interim('100 Continue', 'server: x\r\n')}HTTP/1.1 2`), withLength(body).slice(10)],
    ...good,
  },
  '100 with headers, a length among them': {
    by: '9112 6.3',
    segments: (body) => [interim('100 Continue', 'content-length: 5\r\nx-a: 1\r\n'), withLength(body)],
    ...good,
  },
  '100 that is chunked': {
    by: '9112 6.3',
    segments: (body) => [bytes(interim('100 Continue', 'transfer-encoding: chunked\r\n'), withLength(body))],
    ...good,
  },
  '100 without a reason': { by: '9112 4', segments: (body) => [interim('100 '), withLength(body)], ...good },
  '100 before a chunked response': {
    by: '9110 15.2',
    segments: (body) => [interim('100 Continue'), chunked(body)],
    ...good,
  },
  '100 before a response that the end of the connection ends': {
    by: '9110 15.2',
    segments: (body) => [bytes(interim('100 Continue'), 'HTTP/1.1 200 OK\r\n\r\n', body)],
    ...good,
    closes: true,
  },
  '100 before an error': {
    by: '9110 15.2',
    segments: (body) => [interim('100 Continue'), withLength(body, 'HTTP/1.1 500 No\r\n')],
    ...bad,
  },
  '102 many times': {
    by: '9110 15.2',
    segments: (body) => [interim('102 Processing').repeat(5), interim('102 Processing').repeat(5), withLength(body)],
    ...good,
  },
  '103 with links': {
    by: '9110 15.2',
    segments: (body) => [interim('103 Early Hints', 'link: </a>; rel=preload\r\n'), withLength(body)],
    ...good,
  },
  '100, 103, 102 and an unknown one in one segment': {
    by: '9110 15.2',
    segments: (body) => [
      bytes(
        ...['100 Continue', '103 Early Hints', '102 Processing', '199 New'].map((each) => interim(each)),
        withLength(body),
      ),
    ],
    ...good,
  },
  '104 and 100, cut inside the status': {
    by: '9110 15.2',
    segments: (body) => [`${interim('104 Upload Resumption')}HTTP/1.1 1`, `00 Continue\r\n\r\n`, withLength(body)],
    ...good,
  },
  '100 after the response': {
    by: '9110 15.2',
    segments: (body) => [bytes(withLength(body), interim('100 Continue'))],
    ...good,
  },
  'no final response': { by: '9110 15.2', segments: () => [interim('100 Continue')], ...bad, closes: true },
  '101 that nobody asked for': {
    by: '9110 15.2.2',
    segments: (body) => [
      bytes(interim('101 Switching Protocols', 'connection: upgrade\r\nupgrade: x\r\n'), withLength(body)),
    ],
    ...bad,
  },

  gzip: { by: '9110 12.5.3', segments: coded('gzip', gzipSync), ...good },
  'x-gzip in capitals': { by: '9110 8.4.1.3', segments: coded('X-GZIP', gzipSync), ...good },
  deflate: { by: '9110 8.4.1.2', segments: coded('deflate', deflateSync), ...good },
  'deflate without its envelope': { by: '9110 8.4.1.2', segments: coded('deflate', deflateRawSync), ...good },
  br: { by: '9110 12.5.3', segments: coded('br', brotliCompressSync), ...good },
  zstd: { by: '9110 12.5.3', segments: coded('zstd', zstdCompressSync), ...good },
  identity: { by: '9110 12.5.3', segments: coded('identity', (body) => body), ...good },
  'two codings': { by: '9110 8.4', segments: coded('deflate, gzip', (body) => gzipSync(deflateSync(body))), ...good },
  'gzip in chunks': {
    by: '9110 8.4',
    segments: (body) => [chunked(gzipSync(body), { head: 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n' })],
    ...good,
  },
  'gzip that is cut off': {
    by: '9110 8.4',
    segments: coded('gzip', (body) => gzipSync(body).subarray(0, -9)),
    ...statusAlone,
  },
  'gzip that is none': { by: '9110 8.4', segments: coded('gzip', (body) => body), ...good },
  'gzip of more than is read': {
    by: '9110 8.4',
    segments: coded('gzip', bomb),
    ...statusAlone,
  },
  'an unknown coding': {
    by: '9110 8.4.1',
    segments: coded('reversed', (body) => Buffer.from(body).reverse()),
    ...statusAlone,
  },
  'a coding by the name of none': { by: '9110 8.4.1', segments: coded('none', (body) => body), ...good },

  'fields that come twice': {
    by: '9110 5.3',
    segments: (body) => [
      withLength(
        body,
        `HTTP/1.1 200 OK\r\n${[
          'set-cookie: a=1',
          'retry-after: 1',
          'ratelimit: "a";r=0',
          'content-type: text/html',
          'x-a: 1',
        ]
          .map((line) => `${line}\r\n${line}2\r\n`)
          .join('')}`,
      ),
    ],
    ...good,
  },
  'a field on several lines': {
    by: '9112 5.2',
    segments: (body) => [withLength(body, 'HTTP/1.1 200 OK\r\nx-a: 1\r\n  2\r\n\t3\r\n')],
    ...good,
  },
  'no reason': { by: '9112 4', segments: (body) => [withLength(body, 'HTTP/1.1 200 \r\n')], ...good },
  'no type of content': {
    by: '9110 8.3',
    segments: (body) => [bytes(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`, body)],
    ...good,
  },
  'lines that end with LF alone': {
    by: '9112 2.2',
    segments: (body) => [bytes(`HTTP/1.1 200 OK\ncontent-length: ${body.length}\n\n`, body)],
    ...good,
  },
  'another status of success': {
    by: '9110 15',
    segments: (body) => [withLength(body, 'HTTP/1.1 299 Fine\r\n')],
    ...good,
  },
  'something that is not HTTP': { by: '9112 2.3', segments: () => ['SSH-2.0-x\r\n\r\n'], ...bad, closes: true },

  '204 with a body': {
    by: '9112 6.3',
    segments: (body) => [withLength(body, 'HTTP/1.1 204 No Content\r\n')],
    ...statusAlone,
  },
  '204 with a chunked body': {
    by: '9112 6.3',
    segments: (body) => [chunked(body, { head: 'HTTP/1.1 204 No Content\r\n' })],
    ...statusAlone,
  },
  '304 with a body': { by: '9112 6.3', segments: (body) => [withLength(body, 'HTTP/1.1 304 Same\r\n')], ...bad },
  '205 with a body': { by: '9110 15.3.6', segments: (body) => [withLength(body, 'HTTP/1.1 205 Reset\r\n')], ...good },
  'no body': { by: '9110 8.6', segments: () => [withLength(Buffer.of())], ...statusAlone },

  'a length that comes twice': {
    by: '9112 6.3',
    segments: (body) => [withLength(body, `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n`)],
    ...bad,
  },
  'two lengths': {
    by: '9112 6.3',
    segments: (body) => [withLength(body, `HTTP/1.1 200 OK\r\ncontent-length: ${body.length + 1}\r\n`)],
    ...bad,
  },
  'a length that is too small': {
    by: '9112 6.3',
    segments: (body) => [withLength(body, undefined, body.length - 1)],
    ...statusAlone,
  },
  'a length that is too large': {
    by: '9112 8',
    segments: (body) => [withLength(body, undefined, body.length + 1)],
    ...bad,
    closes: true,
  },
  'a length that is none': { by: '9112 6.3', segments: (body) => [withLength(body, undefined, 'many')], ...bad },
  'length and chunks': {
    by: '9112 6.3',
    segments: (body) => [chunked(body, { head: `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n` })],
    ...bad,
  },
  'chunks with extensions and trailers': {
    by: '9112 7.1',
    segments: (body) => [chunked(body, { extension: ';a=1;b="2"', trailer: 'x-sum: 1\r\nserver-timing: a\r\n' })],
    ...good,
  },
  'chunks that break off': {
    by: '9112 8',
    segments: (body) => [chunked(body).subarray(0, -7)],
    ...bad,
    closes: true,
  },

  'HTTP/1.0 until the connection ends': {
    by: '9112 6.3',
    segments: (body) => [bytes('HTTP/1.0 200 OK\r\n\r\n', body)],
    ...good,
    closes: true,
  },
  'HTTP/1.0 that keeps the connection': {
    by: '9112 9.3',
    segments: (body) => [withLength(body, 'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n')],
    ...good,
  },
  'HTTP/1.1 until the connection ends': {
    by: '9112 6.3',
    segments: (body) => [bytes('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', body)],
    ...good,
    closes: true,
  },
  'connection: close with a length': {
    by: '9112 9.6',
    segments: (body) => [withLength(body, 'HTTP/1.1 200 OK\r\nconnection: close\r\n')],
    ...good,
    closes: true,
  },
  'a close that nobody announced': { by: '9112 9.5', segments: (body) => [withLength(body)], ...good, closes: true },
  'a response before the request was read': {
    by: '9112 9.3',
    segments: (body) => [withLength(body)],
    ...good,
    early: true,
  },
  'a response and a close before the request was read': {
    by: '9112 9.6',
    segments: (body) => [withLength(body, 'HTTP/1.1 200 OK\r\nconnection: close\r\n')],
    ...good,
    early: true,
    closes: true,
  },
  'an offer of other protocols': {
    by: '9110 7.8',
    segments: (body) => [withLength(body, 'HTTP/1.1 200 OK\r\nconnection: upgrade\r\nupgrade: h2c, websocket\r\n')],
    ...good,
  },
  'a time that connections live': {
    by: '9112 9.3',
    segments: (body) => [
      withLength(body, 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nkeep-alive: timeout=1, max=1\r\n'),
    ],
    ...good,
  },

  ...Object.fromEntries(
    [300, 301, 302, 303, 307, 308].map((status): [string, UnaskedResponse] => [
      `${status} with a body`,
      {
        by: '9110 15.4',
        segments: (body) => [withLength(body, `HTTP/1.1 ${status} There\r\nlocation: /elsewhere\r\n`)],
        ...bad,
      },
    ]),
  ),
};

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
