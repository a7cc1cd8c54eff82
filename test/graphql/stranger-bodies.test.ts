/** Without an API key there is the schema alone: nothing is read for long, nor held, of what nobody may send. */
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxStrangerBytes } from '../../src/http/request-bodies.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/raw-http.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const head = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const chunk = `${(4_096).toString(16)}\r\n${' '.repeat(4_096)}\r\n`;

test.each([
  ['of a known length', `${head}content-length: ${maxStrangerBytes + 1}\r\n\r\n{`],
  ['in chunks', `${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(maxStrangerBytes / 4_096 + 1)}`],
])('a large body is refused before it has arrived: %s', async (_what, bytes) => {
  const response = await sendBytes(gateway.address, bytes);
  expect(response).toMatch(/^HTTP\/1\.1 401 /);
  expect(response).toContain('Without an API key a request has at most 16384 bytes.');
});

const ask = (headers: Readonly<Record<string, string>>, ballast: number) =>
  fetch(`${gateway.address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: getIntrospectionQuery(), extensions: { ballast: 'x'.repeat(ballast) } }),
  });

test('the schema needs no key', async () => {
  expect((await ask({}, 0)).status).toBe(200);
});

test('a key, or a token of one, may send a large body', async () => {
  const { key } = await gateway.workspace();
  const created = await fetch(`${gateway.address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      query:
        'mutation { createAccessToken(input: { scopes: [WEBHOOKS_READ] }) { __typename ... on AccessTokenCreated { token } } }',
    }),
  });
  const { data } = (await created.json()) as { data?: { createAccessToken: { token: string } } };
  const keys: Record<string, string>[] = [
    { 'x-api-key': key },
    { authorization: `Bearer ${data?.createAccessToken.token}` },
  ];
  for (const headers of keys) expect((await ask(headers, maxStrangerBytes)).status).toBe(200);
});
