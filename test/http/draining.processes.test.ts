import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { demoId } from '../../src/app/demo.ts';
import { posts } from '../support/faults.ts';
import { startGateway } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';
import { json, postList, proxyTo, startStub } from '../support/stub.ts';

test('a stopping gateway is not ready, still serves requests, and asks clients to close connections', async () => {
  const gateway = await startGateway({ environment: { SHUTDOWN_DELAY_MS: '5000' } });
  const { address } = gateway;
  const { key, account } = await gateway.workspace();
  const get = async (path: string) => {
    const { status, headers, body } = await rest(address, key, 'GET', path);
    return { status, connection: headers.get('connection'), body };
  };
  expect(await get('/readyz')).toMatchObject({ status: 200, connection: 'keep-alive' });
  const slow = get(`/v1/users/ACoSandboxSlow/posts?limit=1&account_id=${await account()}`);
  await sleep(50);
  const closed = gateway.close();
  const started = performance.now();
  expect(await get('/readyz')).toEqual({
    status: 503,
    connection: 'close',
    body: expect.objectContaining({ type: 'errors/service_unavailable', detail: 'The gateway is stopping.' }),
  });
  for (let n = 0; n < 5; n += 1) {
    expect(await get('/livez')).toMatchObject({ status: 200, connection: 'close' });
    expect(await get('/v1/webhooks')).toMatchObject({ status: 200, connection: 'close' });
    expect(await get(`/v1/users/ACoSandbox250/posts?account_id=${demoId('pnet')}`)).toMatchObject({
      connection: 'close',
    });
  }
  // What was in flight says so too.
  expect(await slow).toMatchObject({ status: 200, connection: 'close' });
  await closed;
  expect(performance.now() - started).toBeGreaterThanOrEqual(4_950);
  await expect(get('/livez')).rejects.toThrow('ECONNREFUSED');
});

test('a compiled operation asks to close the connection too, whether it began before or after the stop', async () => {
  const stub = await startStub((_request, response) => void setTimeout(json, 200, response, 200, postList([])));
  const gateway = await proxyTo(stub, { environment: { SHUTDOWN_DELAY_MS: '5000' } });
  const ask = () => gateway.ask(posts);
  const before = ask();
  await expect.poll(() => stub.received.length).toBe(1);
  const closed = gateway.close();
  for (const { status, headers } of [await before, await ask()]) {
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
  }
  expect(gateway.log.filter(({ compiled }) => compiled !== undefined)).toMatchObject([
    { compiled: 'yes' },
    { compiled: 'yes' },
  ]);
  await closed;
});

test('a connection on which nothing was sent so far does not hold up the stop', async () => {
  const gateway = await startGateway();
  const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1');
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  await expect.poll(() => socket.readyState).toBe('open');
  // It is a connection of the gateway too.
  expect((await rest(gateway.address, '', 'GET', '/livez')).status).toBe(200);
  const started = performance.now();
  await gateway.close();
  await ended;
  expect(performance.now() - started).toBeLessThan(10_000);
});
