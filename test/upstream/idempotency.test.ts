/** Requests with an `Idempotency-Key` in proxy mode with own keys, over a service that has none. */
import { expect, test } from 'vitest';
import { breakOff, healthy } from '../support/faults.ts';
import { rest } from '../support/rest.ts';
import { envelope, json, proxyTo, type Respond, startStub } from '../support/stub.ts';

async function setUp(respond: Respond) {
  const stub = await startStub(respond);
  const gateway = await proxyTo(stub, {
    environment: { UPSTREAM_TIMEOUT_MS: '1500', UPSTREAM_API_KEY: 'ours' },
  });
  const { key } = await gateway.workspace();
  const publish = () =>
    rest(gateway.address, key, 'POST', '/v1/pnet/jobs/7/publish', {
      body: { account_id: 'a', mode: 'FREE' },
      headers: { 'idempotency-key': 'once' },
    });
  return { stub, publish };
}

test.each<[string, Respond, string]>([
  ['does not respond', () => {}, 'errors/request_timeout'],
  ['breaks off', breakOff, 'errors/network_down'],
  [
    'responds with JSON that is cut',
    (_request, response) => json(response, 200, '{"object":'),
    'errors/provider_error',
  ],
  [
    'is behind a proxy that gave up',
    (_request, response) => void response.writeHead(504).end(),
    'errors/provider_error',
  ],
])('a publication is not repeated after a service that %s', async (_what, respond, type) => {
  const { stub, publish } = await setUp(respond);
  expect((await publish()).body.type).toBe(type);
  stub.respond = healthy;
  for (let time = 0; time < 2; time += 1) {
    expect((await publish()).body).toMatchObject({ type, detail: expect.stringContaining('outcome is unknown') });
  }
  expect(stub.received).toHaveLength(1);
});

test.each<[string, Respond]>([
  ['503', (_request, response) => json(response, 503, envelope('service_unavailable', 503))],
  ['422', (_request, response) => json(response, 422, envelope('insufficient_credits', 422))],
])('a publication is carried out after it was refused with %s', async (_what, refuse) => {
  const { stub, publish } = await setUp(refuse);
  expect((await publish()).status).toBeGreaterThanOrEqual(400);
  stub.respond = healthy;
  expect((await publish()).status).toBe(200);
  expect((await publish()).headers.get('idempotency-replayed')).toBe('true');
  expect(stub.received).toHaveLength(2);
});
