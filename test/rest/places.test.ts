import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { placeLimits } from '../../src/kernel/places.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test('bodies that arrive slowly take no place from the other commands of their key', async () => {
  const { key } = await gateway.workspace();
  const { hostname, port } = new URL(gateway.address);
  const slow = Array.from({ length: placeLimits.embedded.mutation }, () => connect(Number(port), hostname));
  try {
    for (const socket of slow)
      socket.write(
        `POST /v1/webhooks HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
      );
    await expect.poll(() => slow.every(({ bytesWritten }) => bytesWritten > 0)).toBe(true);
    const response = await fetch(`${gateway.address}/v1/webhooks`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ source: 'users', request_url: 'https://hooks.example/' }),
    });
    expect(response.status).toBe(201);
  } finally {
    for (const socket of slow) socket.destroy();
  }
});
