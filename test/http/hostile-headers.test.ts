/** No header costs more for what stands in it: each that is read, at every length that is let through, and beyond. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxHeaderLength, maxHeadersLength, requestHeaders } from '../../src/http/request-head.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/raw-http.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    environment: {
      TRUST_PROXY: '127.0.0.1',
      CORS_ORIGINS: 'https://app.example',
      KEYLESS_PER_MINUTE: '0',
    },
  });
});
afterAll(() => gateway.close());

/** What patterns stumble over: what two of their parts accept, many times, and in the end something that none does. */
const repeated = ['\u00a0', ' \t', 'a', ',', ', ', ';', 'a;', 'a;q=0,', 'a/', '"', 'W/"a",', '0.', '*', 'Bearer ', '%'];
const hostile = (unit: string, length: number): string => `${unit.repeat(length).slice(0, length - 1)}!`;

const requestLines = [
  'GET /nowhere',
  'OPTIONS /graphql',
  'GET /graphql?query=%7B__typename%7D',
  'POST /graphql',
  'GET /schema.graphql',
  'GET /v1/webhooks',
  'PATCH /v1/pnet/jobs/1',
  'GET /v1/openapi.json',
];

const request = (line: string, headers: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(
    `${line} HTTP/1.1\r\n${Object.entries({ host: 'localhost', connection: 'close', ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
    'latin1',
  );

/** Microseconds that the process works for a request. The least of a few: other work of the process and the processor counts too. */
async function workOf(bytes: Buffer): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10 && least > 20_000; round += 1) {
    const before = process.cpuUsage();
    expect(await sendBytes(gateway.address, bytes)).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

test.each(requestHeaders)('%s', { timeout: 120_000 }, async (name) => {
  const needed: Record<string, string> = name.startsWith('access-control') ? { origin: 'https://app.example' } : {};
  for (const line of requestLines) {
    for (const length of [maxHeaderLength, maxHeadersLength - 1_000]) {
      const harmless = await workOf(request(line, { ...needed, [name]: 'a'.repeat(10) }));
      for (const unit of repeated) {
        const work = await workOf(request(line, { ...needed, [name]: hostile(unit, length) }));
        expect(work, `${line} with ${length} × ${JSON.stringify(unit)}`).toBeLessThan(harmless + 25_000);
      }
    }
  }
});

test('a header that is too long is refused, in the way of each face', async () => {
  const headers = { 'content-encoding': 'a'.repeat(maxHeaderLength + 1), 'x-api-key': 'any' };
  const textOf = (line: string) => sendBytes(gateway.address, request(line, headers));
  expect(await textOf('GET /v1/webhooks')).toMatch(/^HTTP\/1\.1 4.*content-encoding.*errors\//s);
  expect(await textOf('POST /graphql')).toMatch(/^HTTP\/1\.1 400 .*"errors":.*content-encoding/s);
});

test.each([' ', 'a b', 'a/b', 'me@a', 'a?b', 'a:b', 'a:99999', '[::1', 'a\\b', ',\u00a0'])(
  'a host %j',
  async (host) => {
    for (const line of requestLines) {
      const text = await sendBytes(gateway.address, request(line, { host, 'x-api-key': 'any' }));
      expect(text).toMatch(
        host === ' '
          ? /^HTTP\/1\.1 [24]/
          : /^HTTP\/1\.1 4.*Host.*(?:errors\/|"code":")(?:malformed_request|unprocessable_entity)/is,
      );
    }
  },
);

test.each(requestLines)('%s with two hosts is refused: a proxy may have read the other', async (line) => {
  const bytes = Buffer.from(
    `${line} HTTP/1.1\r\nHost: localhost\r\nhOST: other\r\nConnection: close\r\n\r\n`,
    'latin1',
  );
  expect(await sendBytes(gateway.address, bytes)).toMatch(/^HTTP\/1\.1 4(00|22) .*more than one Host/s);
});
