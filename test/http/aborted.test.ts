/** Clients that do not wait for their response: the log says so, once, and nothing of a failure. */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { proxyTo, startStub } from '../support/stub.ts';

const list = '{ posts(accountId: "a", identifier: "b") { nodes { __typename } } }';

test.each([
  ['compiled', { method: 'POST', path: '/graphql', body: JSON.stringify({ query: list }) }],
  [
    'executed',
    { method: 'POST', path: '/graphql', body: JSON.stringify({ query: `${list.slice(0, -1)} viewer { id } }` }) },
  ],
  ['REST', { method: 'GET', path: '/v1/webhooks', body: null }],
])('a request that is aborted has one log line: %s', async (_what, { method, path, body }) => {
  let asked = () => {};
  const arrived = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const stub = await startStub(() => asked());
  const { address, log } = await proxyTo(stub, {});
  const gone = new AbortController();
  const headers = { 'x-api-key': 'key', 'content-type': 'application/json' };
  const response = fetch(address + path, { method, headers, body, signal: gone.signal });
  await arrived;
  gone.abort();
  await expect(response).rejects.toThrow('aborted');
  const lines = () =>
    log.filter(({ level, msg }) => msg === 'request' || Number(level) > 30 || msg === 'upstream failure');
  await expect.poll(lines).toMatchObject([{ msg: 'request', path, aborted: true }]);
  // None was sent.
  expect(lines()[0]).not.toHaveProperty('status');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(lines()).toHaveLength(1);
});

/** Keys are looked up in the same thread, after it. */
const longRead = sql`select (with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 3000000) select max(n) from counted)`;

test('a wrong key counts for its address, although the client has gone before it is found wrong', async () => {
  const gateway = await startGateway({ environment: { KEYLESS_PER_MINUTE: '1' } });
  onTestFinished(() => gateway.close());
  const { app, address, log } = gateway;
  const ask = (signal: AbortSignal | null = null) =>
    fetch(`${address}/v1/webhooks`, { headers: { 'x-api-key': 'wrong-key' }, signal });
  const reading = longRead.execute(app.database);
  const gone = new AbortController();
  const response = ask(gone.signal);
  setTimeout(() => gone.abort(), 100);
  await expect(response).rejects.toThrow('aborted');
  await reading;
  const lines = () => log.filter(({ level, msg }) => msg === 'request' || Number(level) > 30);
  await expect.poll(lines).toMatchObject([{ msg: 'request', aborted: true }]);
  expect((await ask()).status).toBe(503);
  expect(lines()).toHaveLength(2);
});
