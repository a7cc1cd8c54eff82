/** A run in which everything happens that a metric, a span or a line of the log tells of. */

import { breakerRules } from '../../src/upstream/circuits.ts';
import type { TestDialect } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { redisUrl } from '../support/servers.ts';
import { envelope, json, pnetPost, postList, proxyTo, startStub } from '../support/stub.ts';

const day = 24 * 3_600_000;

export const secrets = {
  query: 'secret-in-a-query',
  literal: 'secret-in-a-document',
  variable: 'secret-in-a-variable',
  path: 'secret-in-the-path-of-a-webhook',
  header: 'secret-in-a-header-of-a-webhook',
  response: 'secret-in-a-response-of-a-webhook',
  forwardedKey: 'secret-key-of-a-caller',
} as const;

/** Several processes may be on Postgres, so that responses are cached in Redis there, if there is one. */
export function cacheOn({ name }: TestDialect): Readonly<Record<string, string>> {
  if (name === 'SQLite') return { RESPONSE_CACHE: 'memory' };
  return redisUrl === undefined ? {} : { RESPONSE_CACHE: 'redis', REDIS_URL: redisUrl };
}

/** A gateway with its own database. @returns it, with the API key that it was asked with */
export async function embeddedRun(
  dialect: TestDialect,
  environment: Readonly<Record<string, string>>,
): Promise<{ gateway: DeliveringGateway; receiver: Receiver; scrape: () => Promise<string> }> {
  const receiver = await startReceiver();
  const gateway = await startDelivering({
    dialect,
    environment: { METRICS_PORT: '0', ...cacheOn(dialect), ...environment },
  });
  const { address, space, delivery } = gateway;
  const ask = (query: string, variables = {}) => graphql(address, space.key, query, variables);
  receiver.answer = ({ path }, response) => {
    if (path.startsWith('/gone')) response.writeHead(410).end(secrets.response);
    else if (path.startsWith('/broken')) response.writeHead(500).end(secrets.response);
    else response.end(secrets.response);
  };
  await gateway.webhook(`${receiver.address}/good/${secrets.path}`);
  await gateway.webhook(`${receiver.address}/gone/${secrets.path}`);
  await gateway.webhook(`${receiver.address}/broken?${secrets.path}`);
  await gateway.emit('old');
  await delivery.worker.idle();
  // Retention deletes it when its retries are over, or what is left of it.
  await gateway.pass(40 * day);
  await gateway.emit('new');
  await delivery.worker.idle();
  await ask(
    `query Good { posts(accountId: "${gateway.accountId}", identifier: "${secrets.literal}") { nodes { id } } }`,
  );
  await ask('query Kept { accounts { totalCount } }');
  await ask('query Bad { nope }');
  await ask('{ viewer { __typename } }');
  const query = `mutation Emit($data: JSON) { emitEvent(input: { accountId: "${gateway.accountId}", event: NEW_RELATION, data: $data }) { __typename } }`;
  await ask(query, { data: { user_full_name: secrets.variable } });
  await fetch(`${address}/v1/webhooks?cursor=${secrets.query}`, { headers: { 'x-api-key': space.key } });
  await fetch(`${address}/v1/nowhere?${secrets.query}`);
  await delivery.worker.idle();
  return { gateway, receiver, scrape: () => scrapeOf(gateway.app.metricsAddress) };
}

/** A gateway in proxy mode, with a service that fails now and then, and then always. */
export async function upstreamRun(environment: Readonly<Record<string, string>>) {
  let calls = 0;
  const stub = await startStub((_request, response) => {
    calls += 1;
    if (calls === 2 || calls > 6) json(response, 503, envelope('service_unavailable', 503));
    else json(response, 200, postList([pnetPost(String(calls))]));
  });
  const gateway = await proxyTo(stub, { environment: { METRICS_PORT: '0', ...environment } });
  const list = (n: number) =>
    gateway.ask(
      `query Few { posts(accountId: "a${n}", identifier: "${secrets.literal}", first: 1) { nodes { __typename } } }`,
      {},
      secrets.forwardedKey,
    );
  for (let n = 0; n < 4; n += 1) await list(n);
  // Then everything fails, until the circuit of the account opens.
  await list(0);
  gateway.clock.now = new Date(gateway.clock.now.getTime() + breakerRules.withoutSuccessMs);
  for (let n = 0; n < 30; n += 1) await list(0);
  return { gateway, stub, scrape: () => scrapeOf(gateway.app.metricsAddress) };
}

async function scrapeOf(address: string | null): Promise<string> {
  if (address === null) throw new Error('no metrics are served');
  const response = await fetch(address);
  if (response.status !== 200) throw new Error(`metrics are ${response.status}`);
  return response.text();
}
