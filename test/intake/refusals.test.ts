/** A service that refuses webhooks, and repeats what it was sent: the gateway serves on, and tells no secret. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { secretOf } from '../../src/app/intake/open.ts';
import { webhookEvents } from '../../src/events/sources.ts';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import { startGateway } from '../support/gateway.ts';
import { testSecret } from '../support/webhooks.ts';

/** @returns its address */
async function startRefusing(): Promise<string> {
  const service = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const refusal = { title: body, detail: body, instance: body, type: 'errors/invalid_parameters', status: 400 };
    const isList = request.method === 'GET';
    response
      .writeHead(isList ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify(isList ? { object: 'WebhookList', items: [], cursor: null } : refusal));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    service.closeAllConnections();
    await promisify(service.close.bind(service))();
  });
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
}

test('a refusal is told without the secret of the intake', async () => {
  const front = await startGateway({
    environment: {
      UPSTREAM_URL: await startRefusing(),
      UPSTREAM_API_KEY: 'key-of-the-service',
      WEBHOOKS: 'own',
      PUBLIC_URL: 'https://gateway.example',
    },
  });
  onTestFinished(() => front.close());
  await expect.poll(() => front.log.map(({ msg }) => msg)).toContain('the service does not send all of its events');
  const log = JSON.stringify(front.log);
  expect(log).toContain('[redacted]');
  expect(log).not.toContain(secretOf(deriveKeys(testSecret)('intake')));
  const ready = (await (await fetch(`${front.address}/readyz`)).json()) as object;
  expect(ready).toMatchObject({ events_not_sent_by_service: webhookEvents });
});
