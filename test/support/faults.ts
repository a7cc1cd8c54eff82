/** A gateway in proxy mode whose service misbehaves: what the tests of faults and load share. */
import { expect, vi } from 'vitest';
import { json, pnetPost, postList, proxyTo, type Respond, type Stub, startStub, webhook } from './stub.ts';
import type { Tuning } from './tuning.ts';

/** Deadlines that a test can wait for. */
export const hurried = { UPSTREAM_TIMEOUT_MS: '250' };

export const healthy: Respond = ({ path, method }, response) => {
  if (method === 'POST') json(response, 200, { object: 'PnetJobPostingPublished', job_state: 'active', job_id: '7' });
  else if (method === 'DELETE') json(response, 200, { object: 'WebhookDeleted' });
  else if (path.includes('webhooks'))
    json(response, 200, { object: 'WebhookList', items: [webhook('w')], cursor: null });
  else json(response, 200, postList([pnetPost(/users\/([^/]+)/.exec(path)?.[1] ?? '')]));
};

export const posts =
  'query ($of: String = "ACo1") { posts(accountId: "a", identifier: $of) { nodes { ... on PnetPost { providerId } } } }';
export const publish = `mutation { publishJob(input: { accountId: "a", jobId: "7", mode: FREE }) {
  ... on PnetJobPostingPublished { state } ... on ServiceError { code } } }`;
export const remove =
  'mutation { deleteWebhook(input: { webhookId: "w" }) { __typename ... on ServiceError { code } } }';

/** A gateway in proxy mode over a stub. */
export type ProxyGateway = Awaited<ReturnType<typeof proxyTo>>;

/** A service, and a gateway in proxy mode over it. */
export async function setUp(
  environment: Record<string, string> = hurried,
  respond: Respond = healthy,
  { port, tuning = {} }: { readonly port?: number; readonly tuning?: Tuning } = {},
) {
  const stub = await startStub(respond, port);
  const gateway = await proxyTo(stub, { environment, tuning });
  return { stub, gateway };
}

/** The one error of an operation. */
export async function failureOf(gateway: ProxyGateway, query = posts, variables = {}) {
  const { errors } = await gateway.ask(query, variables);
  expect(errors).toHaveLength(1);
  return { ...errors[0]?.extensions, message: errors[0]?.message } as { code: string; status: number; message: string };
}

/**
 * Expects that the gateway serves requests again once the service does, and closes without leaving a connection. A
 * publish is never repeated by the gateway, so that one of them may meet the hurried deadline on a busy machine.
 */
export async function expectRecovered({ stub, gateway }: { stub: Stub; gateway: ProxyGateway }) {
  stub.respond = healthy;
  expect((await gateway.ask(posts)).data.posts.nodes).toEqual([{ providerId: 'ACo1' }]);
  await vi.waitFor(async () => expect((await gateway.ask(publish)).data.publishJob).toEqual({ state: 'ACTIVE' }), {
    timeout: 60_000,
  });
  await gateway.app.close();
  await expect.poll(() => stub.sockets.size).toBe(0);
}

/** How many timers are running. */
export const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** Sends the first bytes of a response and then breaks the connection. */
export const breakOff: Respond = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"object":"PostList","items":[', () => response.destroy());
};

/** Responds with a fault so many times, and then as a healthy service. */
export const times = (count: number, fault: Respond): Respond => {
  let left = count;
  return (request, response) => {
    left -= 1;
    (left >= 0 ? fault : healthy)(request, response);
  };
};
