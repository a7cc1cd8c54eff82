/** A service that refuses webhooks, and repeats what it was sent: the gateway serves on, and tells no secret. */
import { expect, onTestFinished, test } from 'vitest';
import { secretOf } from '../../src/app/intake/open.ts';
import { webhookEvents } from '../../src/events/sources.ts';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import { startRefusing } from '../support/fronting.ts';
import { startGateway } from '../support/gateway.ts';
import { testSecret } from '../support/webhooks.ts';

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
