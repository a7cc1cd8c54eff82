/** Nothing secret is in what the gateway tells of itself: not in a span, a metric, or a line of the log. */
import { expect, test } from 'vitest';
import { databases } from '../support/databases.ts';
import { graphql } from '../support/gateway.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { embeddedRun, secrets, upstreamRun } from './busy-run.ts';

test('the telemetry of a busy run has no key, no secret, no cursor and no value that was sent', {
  timeout: 60_000,
}, async () => {
  const [dialect] = databases;
  if (dialect === undefined) throw new Error('there is no database');
  const collector = await startOtlpReceiver();
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, LOG_LEVEL: 'trace' };
  const { gateway, receiver, scrape } = await embeddedRun(dialect, environment);
  const upstream = await upstreamRun(environment);
  const { delivery, address, space, app } = gateway;
  const ask = async (query: string, variables: Record<string, unknown> = {}) =>
    (await graphql(address, space.key, query, variables)).data;
  const hook = await app.database
    .selectFrom('webhooks')
    .select('id')
    .where('enabled', '=', 1)
    .executeTakeFirstOrThrow();
  const shown = await ask(
    'mutation Show($id: ID!) { revealWebhookSecret(input: { webhookId: $id }) { ... on WebhookSecret { secret } } }',
    { id: hook.id },
  );
  const page = await ask(
    'query Page($id: ID!) { posts(accountId: $id, identifier: "ACoSandbox250", first: 1) { pageInfo { endCursor } } }',
    { id: gateway.accountId },
  );
  const secret: string = shown.revealWebhookSecret.secret;
  const cursor: string = page.posts.pageInfo.endCursor;
  const path = `/graphql?query=${encodeURIComponent(`{ posts(accountId: "${gateway.accountId}", identifier: "ACoSandbox250", first: 1, after: "${cursor}") { nodes { __typename } } }`)}`;
  expect((await fetch(`${address}${path}`, { headers: { 'x-api-key': space.key } })).status).toBe(200);
  // The key in the place of a bearer token, and a wrong one.
  for (const authorization of [`Bearer ${space.key}`, 'Bearer secret-key-that-is-wrong']) {
    await fetch(`${address}/v1/webhooks`, { headers: { authorization } });
    await fetch(`${address}/graphql?query={viewer{name}}`, { headers: { authorization } });
  }
  await delivery.worker.idle();
  const signatures = receiver.received.flatMap(({ headers }) => String(headers['webhook-signature']));
  const metrics = (await scrape()) + (await upstream.scrape());
  const sealed = await app.database.selectFrom('webhook_destinations').select('secrets').execute();
  await upstream.gateway.close();
  await gateway.close();
  await receiver.close();
  const told = [metrics, JSON.stringify(gateway.log), JSON.stringify(upstream.gateway.log), collector.text].join('\n');
  // Enough has been told that the secrets had a chance.
  expect(collector.spans.length).toBeGreaterThan(100);
  expect(gateway.log.length).toBeGreaterThan(10);
  const hidden = {
    ...secrets,
    key: space.key,
    wrongKey: 'secret-key-that-is-wrong',
    cursor,
    secret,
    signature: signatures[0]?.split(',')[1] ?? '?',
    sealed: sealed[0]?.secrets ?? '?',
  };
  expect(Object.entries(hidden).flatMap(([name, secret]) => (told.includes(secret) ? name : []))).toEqual([]);
  // What is told of a key is its id.
  expect(JSON.stringify(gateway.log)).toContain('"keyId"');
});
