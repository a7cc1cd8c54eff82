/** A server at a host name with several addresses. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listenAt } from '../../src/http/listening.ts';

const addresses = ['127.0.0.1', '127.0.0.2'];

test.each(addresses)('waits at its end for the request that %s has accepted', async (host) => {
  const order: string[] = [];
  const server = createServer((_request, response) => {
    setTimeout(() => {
      order.push('response');
      response.setHeader('connection', 'close').end();
    }, 200);
  });
  const { address, close } = await listenAt(server, { host: 'localhost', port: 0 }, async () => addresses);
  const arrived = once(server, 'request');
  const response = fetch(`http://${host}:${new URL(address).port}`);
  await arrived;
  await close();
  order.push('closed');
  expect((await response).status).toBe(200);
  expect(order).toEqual(['response', 'closed']);
});
