/** A service repeats what it posts: each event is stored once, and delivered once, whichever gateway hears it. */
import { describe, expect, test } from 'vitest';
import { secretOf } from '../../src/app/intake/open.ts';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import { databases } from '../support/databases.ts';
import { startFronting } from '../support/fronting.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { testSecret } from '../support/webhooks.ts';

const events = Number(process.env.EVENTS ?? 300);
const senders = 16;
const headers = {
  'x-postern-intake': secretOf(deriveKeys(testSecret)('intake')),
  'content-type': 'application/json',
};

describe.each(databases)('on $name', (dialect) => {
  test('events that are sent three times to two gateways are stored and delivered once', {
    timeout: 120_000 + events * 60,
  }, async () => {
    const place = await dialect.withSchema();
    const own = {
      DATABASE_URL: place.url,
      EVENTS_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
    };
    const fronting = await startFronting({ ...own, LOG_LEVEL: 'info' });
    const other = await startGateway({
      environment: {
        ...own,
        UPSTREAM_URL: fronting.service.address,
        UPSTREAM_API_KEY: fronting.space.key,
        WEBHOOKS: 'own',
        PUBLIC_URL: fronting.publicUrl,
        OUTBOUND_ALLOW: '127.0.0.0/8',
      },
    });
    const receiver = await startReceiver();
    try {
      const { key } = await fronting.front.workspace();
      const webhook = `requestUrl: "${receiver.address}", source: MESSAGING, events: [MESSAGE_RECEIVED]`;
      const { errors } = await graphql(
        fronting.publicUrl,
        key,
        `mutation { createWebhook(input: { ${webhook} }) { __typename } }`,
      );
      expect(errors).toEqual([]);
      const addresses = [fronting.publicUrl, other.address];
      // The repetitions of an event are on their way together, to both.
      const sendings = Array.from({ length: events }, (_, event) => {
        const body = JSON.stringify({ account_id: `account ${event % 7}`, message: `message ${event}` });
        return [0, 1, 2].map((at) => ({ address: addresses[(event + at) % 2], body }));
      })
        .flat()
        .values();
      const began = performance.now();
      const send = async () => {
        for (const { address, body } of sendings) {
          const response = await fetch(`${address}/intake/message_received`, { method: 'POST', headers, body });
          expect(response.status, await response.text()).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: senders }, send));
      if (process.env.EVENTS !== undefined) {
        const seconds = (performance.now() - began) / 1_000;
        process.stdout.write(`${events * 3} requests in ${seconds.toFixed(1)} s\n`);
      }
      const stored = await fronting.front.app.database.selectFrom('events').select('data').execute();
      expect(new Set(stored.map(({ data }) => data)).size).toBe(events);
      expect(stored).toHaveLength(events);
      await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(events);
    } finally {
      await other.close();
      await fronting.close();
      await receiver.close();
      await place.drop();
    }
  });
});
