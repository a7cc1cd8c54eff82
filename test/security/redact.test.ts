/** What the gateway has sent as a secret is shown and stored nowhere when it comes back. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { redactor } from '../../src/security/redact.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startReceiver } from '../support/receiver.ts';
import { envelope, gatewayInFrontOf, json, type Respond, startStub } from '../support/stub.ts';

describe('a redactor', () => {
  const redact = redactor(['a "secret" key', 'short']);

  test.each([
    ['x a "secret" key y', 'x [redacted] y'],
    [JSON.stringify({ echo: 'a "secret" key' }), '{"echo":"[redacted]"}'],
    [`?key=${encodeURIComponent('a "secret" key')}`, '?key=[redacted]'],
    ['cut off in a "secret"', 'cut off in [redacted]'],
    ['short a "sec', 'short a "sec'],
  ])('makes %s %s', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });
});

const secrets = { key: 'secret-key-of-the-gateway', header: 'secret-"header"-of-the-operator' };

const echoes: readonly (readonly [string, Respond])[] = [
  ...[400, 401, 500, 503].map((status): readonly [string, Respond] => [
    `an error with ${status}`,
    ({ headers }, response) => {
      const type = { 400: 'malformed_request', 401: 'invalid_credentials', 500: 'provider_error' }[status];
      const text = JSON.stringify(headers);
      const told = { title: text, detail: `${headers['x-api-key']} ${headers['x-internal']}`, instance: text };
      json(response, status, envelope(type ?? 'service_unavailable', status, told));
    },
  ]),
  ['a status text', ({ headers }, response) => void response.writeHead(500, `${headers['x-api-key']}`).end('{}')],
  ['JSON that is broken', ({ headers }, response) => json(response, 500, JSON.stringify(headers).slice(0, -1))],
  [
    'bytes that are no HTTP',
    ({ headers }, response) => void response.socket?.end(`${headers['x-api-key']} ${headers['x-internal']}\r\n\r\n`),
  ],
  ['a reset', (_request, response) => void response.socket?.resetAndDestroy()],
];

test.each(echoes)('a service that echoes what it was sent in %s', async (_what, respond) => {
  const collector = await startOtlpReceiver();
  const stub = await startStub(respond);
  const gateway = await gatewayInFrontOf(stub, {
    environment: {
      UPSTREAM_API_KEY: secrets.key,
      UPSTREAM_HEADERS: JSON.stringify({ 'x-internal': secrets.header }),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      METRICS_PORT: '0',
      LOG_LEVEL: 'trace',
    },
  });
  const key = (await gateway.workspace()).key;
  const shown: string[] = [];
  for (const path of ['/v1/users/ACo1/posts?account_id=a', '/v1/webhooks']) {
    const response = await fetch(gateway.address + path, { headers: { 'x-api-key': key, baggage: 'of-a=caller-42' } });
    shown.push(JSON.stringify([...response.headers]), await response.text());
  }
  const query = '{ posts(accountId: "a", identifier: "ACo1", first: 1) { nodes { __typename } } }';
  shown.push(JSON.stringify(await gateway.ask(query, {}, key)));
  await fetch(`${gateway.address}/readyz`);
  shown.push(await (await fetch(gateway.app.metricsAddress ?? '')).text());
  expect(stub.received[0]?.headers).toMatchObject({ 'x-api-key': secrets.key, 'x-internal': secrets.header });
  expect(stub.received[0]?.headers).not.toHaveProperty('baggage');
  await gateway.close();
  const told = [...shown, JSON.stringify(gateway.log), collector.text].join('\n');
  expect(told).not.toMatch(/secret-key-of|of-the-operator|caller-42/);
});

test('a destination that echoes the headers of its owner', async () => {
  const [dialect] = databases;
  if (dialect === undefined) throw new Error('there is no database');
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.answer = ({ headers }, response) => void response.writeHead(500).end(JSON.stringify(headers));
  const gateway = await startDelivering({ dialect });
  onTestFinished(() => gateway.close());
  const created = await fetch(`${gateway.address}/v1/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.space.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      source: 'users',
      request_url: receiver.address,
      headers: [{ key: 'authorization', value: 'Bearer secret-of-the-owner' }],
    }),
  });
  expect(created.status).toBe(201);
  await gateway.emit('one');
  await gateway.delivery.worker.idle();
  expect(receiver.received[0]?.headers.authorization).toBe('Bearer secret-of-the-owner');
  const attempts = await gateway.app.database.selectFrom('delivery_attempts').selectAll().execute();
  expect(attempts).toMatchObject([
    { status: 500, response_body: expect.stringContaining('"authorization":"[redacted]"') },
  ]);
  expect(JSON.stringify([attempts, gateway.log])).not.toContain('secret-of-the-owner');
});
