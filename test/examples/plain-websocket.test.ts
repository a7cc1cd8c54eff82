/** A plain client of graphql-ws comes back after a restart with the options that docs/use/subscriptions.md names, and only with them. */
import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { sectionOf } from '../support/docs.ts';
import { startPostern } from './postern.ts';

const documented = { shouldRetry: () => true, retryAttempts: Number.POSITIVE_INFINITY };

test.each([
  ['comes back', documented],
  ['gives up without them', {}],
] as const)('a plain client %s', async (does, options) => {
  const postern = await startPostern();
  let failed: unknown = null;
  const client = createClient({
    url: `${postern.address.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${postern.key}` },
    ...options,
  });
  onTestFinished(async () => {
    await client.dispose();
    await postern.close();
  });
  const states: unknown[] = [];
  const query = 'subscription { accountUpdated(accountIds: ["pnet-----------------A"]) { status } }';
  const error = (reason: unknown) => {
    failed = reason;
  };
  client.subscribe({ query }, { next: (result) => void states.push(result), error, complete: () => undefined });
  await expect.poll(() => states).toHaveLength(1);
  await postern.restart(2_000);
  if (options === documented) await expect.poll(() => states).toHaveLength(2);
  else await expect.poll(() => failed).not.toBeNull();
  expect({ does, failed: failed !== null }).toEqual({ does, failed: options !== documented });
});

test('the documentation names the options', () => {
  expect(sectionOf('WebSocket')).toContain('`shouldRetry: () => true` and `retryAttempts: Infinity`');
});
