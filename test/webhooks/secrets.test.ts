/** Signing secrets over GraphQL, on every database. */
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startDeliveriesOverGraphQL } from '../support/deliveries-graphql.ts';
import type { Receiver } from '../support/receiver.ts';

const secret = (name: string) =>
  `mutation Secret($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { __typename
  ... on WebhookSecret { secret } ... on ServiceError { code } } }`;

describe.each(databases)('signing secrets on $name', (dialect) => {
  it('are shown once, and both sign while one replaces the other', async () => {
    const { gateway, receiver, ask, createWebhook } = await startDeliveriesOverGraphQL(dialect);
    gateway.clock.now = new Date();
    const webhookId = await createWebhook({ format: 'FORM' });
    const input = { webhookId };
    const shown = await ask(secret('revealWebhookSecret'), { input });
    const again = await ask(secret('revealWebhookSecret'), { input });
    expect(again.data.revealWebhookSecret).toEqual({
      __typename: 'RequestError',
      code: 'ACTION_ALREADY_PERFORMED',
    });
    const rotated = await ask(secret('rotateWebhookSecret'), { input });
    await gateway.emit('a');
    await gateway.delivery.worker.idle();
    const [{ body, headers }] = receiver.received as [Receiver['received'][number]];
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    for (const text of [shown.data.revealWebhookSecret.secret, rotated.data.rotateWebhookSecret.secret]) {
      expect(text).toMatch(/^whsec_/);
      new Verifier(text).verify(body, headers as Record<string, string>, { jsonParse: false });
    }
    const stored = await gateway.app.database.selectFrom('webhook_destinations').selectAll().executeTakeFirstOrThrow();
    expect(stored.secrets).toMatch(/^sealed1:/);
    expect(JSON.stringify(gateway.log)).not.toContain('whsec_');
    const reader = await gateway.space.newKey({ scopes: ['webhooks:read'] });
    expect((await ask(secret('rotateWebhookSecret'), { input }, reader)).errors).toHaveLength(1);
  });
});
