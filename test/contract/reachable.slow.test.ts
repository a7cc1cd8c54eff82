/**
 * Every error that the contract lists for an endpoint can be caused there in the demo workspace by fixed ids, over REST
 * and GraphQL. The pairs of endpoint and error are read from the contract.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoId, failingAccounts } from '../../src/app/demo.ts';
import { accountStatuses } from '../../src/auth/account.ts';
import type { EndpointName } from '../../src/kernel/endpoint.ts';
import type { ErrorName } from '../../src/kernel/errors.ts';
import { readDemoKey, sandboxKey } from '../../src/providers/sandbox/keys.ts';
import { jobScenarioNames, jobScenarios, postIdentifiers } from '../../src/providers/sandbox/networks.ts';
import type { JobScenario } from '../../src/providers/sandbox/pnet/scenarios.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';
import { proxyTo } from '../support/stub.ts';
import { statedFacts } from './stated.ts';

const stated = statedFacts(readFileSync(join(import.meta.dirname, 'spec.md'), 'utf8'));
const pairs = (stated['errors by endpoint'] ?? []).map((row) => row.split(' ') as [EndpointName, ErrorName]);
const statusOf = Object.fromEntries((stated.errors ?? []).map((row) => row.split(' ').reverse() as [string, string]));

/** What differs from a request that works. */
interface Means {
  /** Null for none; the demo key if left out. */
  readonly key?: string | null;
  readonly accountId?: string;
  /** The job, draft, webhook or identifier. */
  readonly id?: string;
  readonly input?: string;
  /** Of a webhook that is created. */
  readonly accountIds?: readonly string[];
  readonly mode?: 'FREE' | 'PROMOTED';
}

/** An id that nothing has, well formed or not. */
const unknown: { readonly [name in ErrorName]?: { readonly job: string; readonly other: string } } = {
  resource_not_found: { job: '999999', other: demoId('nothing-has-this-id') },
  invalid_resource_identifier: { job: 'x', other: 'x' },
};

const actsForAccount = (endpoint: EndpointName): boolean => !endpoint.startsWith('WH');

/** The draft whose scenario has this error at this step. */
function draftThatFails(step: 'publish' | 'edit', name: ErrorName): Means | undefined {
  const index = jobScenarioNames.findIndex((scenario) => {
    const { fails }: JobScenario = jobScenarios[scenario];
    return fails?.at === step && fails.errorName === name;
  });
  if (index === -1) return undefined;
  const { fails }: JobScenario = jobScenarios[jobScenarioNames[index] as keyof typeof jobScenarios];
  return { id: String(1001 + index), mode: fails?.modes?.[0] === 'PROMOTED' ? 'PROMOTED' : 'FREE' };
}

/** How the error is caused at the endpoint: the first of these that there is. */
function meansOf(endpoint: EndpointName, name: ErrorName): Means {
  const missing = unknown[name];
  if (name === 'missing_credentials') return { key: null };
  if (missing !== undefined) {
    return actsForAccount(endpoint) ? { id: missing.job } : { id: missing.other, accountIds: [missing.other] };
  }
  if (!actsForAccount(endpoint)) return { key: sandboxKey(name) };
  const account = failingAccounts.find(
    ({ session, status }) => session === name || accountStatuses[status].failure?.errorName === name,
  );
  if (account !== undefined) {
    return { accountId: account.id, ...(endpoint === 'POSTS' ? {} : { id: account.draftId }) };
  }
  if (name === 'invalid_account') return { accountId: demoId('mail') };
  if (name === 'insufficient_privileges' || name === 'account_mismatch') return { key: sandboxKey(name) };
  switch (endpoint) {
    case 'EDIT':
      return draftThatFails('edit', name) ?? {};
    case 'PUB':
      return draftThatFails('publish', name) ?? {};
    case 'CHK':
      return { input: `sandbox:${name}` };
    case 'POSTS': {
      const people = Object.entries(postIdentifiers.pnet).filter(([identifier]) => !/^\d/.test(identifier));
      return { id: people.find(([, row]) => 'fails' in row && row.fails === name)?.[0] ?? 'ACoSandbox1' };
    }
    default:
      return {};
  }
}

/** The request of an endpoint over both faces. */
interface Requests {
  readonly rest: (means: Means, accountId: string) => readonly [method: string, path: string, body?: object];
  readonly graphql: (means: Means, accountId: string) => string;
}

const text = JSON.stringify;
const failed = '... on ServiceError { code status }';
const requests: Readonly<Record<EndpointName, Requests>> = {
  EDIT: {
    rest: ({ id = '2001' }, account_id) => ['PATCH', `/v1/pnet/jobs/${id}`, { account_id, workplace: 'REMOTE' }],
    graphql: ({ id = '2001' }, accountId) =>
      `mutation { editJob(input: { jobId: ${text(id)}, accountId: ${text(accountId)}, posting: { workplace: REMOTE } }) { ${failed} } }`,
  },
  PUB: {
    rest: ({ id = '1001', mode = 'FREE' }, account_id) => ['POST', `/v1/pnet/jobs/${id}/publish`, { account_id, mode }],
    graphql: ({ id = '1001', mode = 'FREE' }, accountId) =>
      `mutation { publishJob(input: { jobId: ${text(id)}, accountId: ${text(accountId)}, mode: ${mode} }) { ${failed} } }`,
  },
  CHK: {
    rest: ({ id = '1009', input = 'x' }, account_id) => [
      'POST',
      `/v1/pnet/jobs/${id}/checkpoint`,
      { account_id, input },
    ],
    graphql: ({ id = '1009', input = 'x' }, accountId) =>
      `mutation { solveJobCheckpoint(input: { jobId: ${text(id)}, accountId: ${text(accountId)}, solution: ${text(input)} }) { ${failed} } }`,
  },
  POSTS: {
    rest: ({ id = 'ACoSandbox1' }, accountId) => ['GET', `/v1/users/${id}/posts?account_id=${accountId}`],
    graphql: ({ id = 'ACoSandbox1' }, accountId) =>
      `{ posts(identifier: ${text(id)}, accountId: ${text(accountId)}) { nodes { __typename } } }`,
  },
  WHLIST: { rest: () => ['GET', '/v1/webhooks'], graphql: () => '{ webhooks { nodes { __typename } } }' },
  WHCREATE: {
    rest: ({ accountIds = [] }) => [
      'POST',
      '/v1/webhooks',
      { source: 'users', request_url: 'https://hooks.example/in', account_ids: accountIds },
    ],
    graphql: ({ accountIds = [] }) =>
      `mutation { createWebhook(input: { requestUrl: "https://hooks.example/in", accountIds: ${accountIds.length === 0 ? null : text(accountIds)}, source: USERS }) { ${failed} } }`,
  },
  WHDEL: {
    rest: ({ id = demoId('hook-users') }) => ['DELETE', `/v1/webhooks/${id}`],
    graphql: ({ id = demoId('hook-users') }) =>
      `mutation { deleteWebhook(input: { webhookId: ${text(id)} }) { ${failed} } }`,
  },
};

let gateway: Gateway;
let demoKey: string;
beforeAll(async () => {
  gateway = await startGateway({ environment: { DEMO: 'on' } });
  demoKey = (await readDemoKey(join(gateway.directory, 'demo-key'))) ?? '';
});
afterAll(() => gateway.close());

const keyOf = ({ key }: Means): string | undefined => (key === null ? undefined : (key ?? demoKey));

async function overRest(address: string, endpoint: EndpointName, means: Means) {
  const [method, path, body] = requests[endpoint].rest(means, means.accountId ?? demoId('pnet'));
  const { status, body: answer } = await rest(address, keyOf(means), method, path, { body });
  return [status, answer.status, answer.type];
}

async function overGraphQL(address: string, endpoint: EndpointName, means: Means) {
  const document = requests[endpoint].graphql(means, means.accountId ?? demoId('pnet'));
  const { data, errors } = await graphql(address, keyOf(means), document);
  const told = errors[0]?.extensions ?? Object.values(data as Record<string, Record<string, unknown>>)[0];
  return [told?.status, told?.code];
}

/** Opens the checkpoint that a solution needs, unless the account that is tried has one of its own. */
async function prepare(endpoint: EndpointName, { input }: Means): Promise<void> {
  if (endpoint === 'CHK' && input !== undefined) await overRest(gateway.address, 'PUB', { id: '1009' });
}

test('the contract lists errors for every endpoint', () => {
  expect(new Set(pairs.map(([endpoint]) => endpoint))).toEqual(new Set(Object.keys(requests)));
  expect(pairs.length).toBeGreaterThan(250);
});

describe.each(pairs)('%s %s', (endpoint, name) => {
  const means = meansOf(endpoint, name);
  const status = Number(statusOf[name]);

  test('is reached by fixed ids, time and again', async () => {
    for (const _ of [1, 2]) {
      await prepare(endpoint, means);
      expect(await overRest(gateway.address, endpoint, means)).toEqual([status, status, `errors/${name}`]);
      await prepare(endpoint, means);
      expect(await overGraphQL(gateway.address, endpoint, means)).toEqual([status, name.toUpperCase()]);
    }
  });
});

test('the errors are the same through a gateway in front', async () => {
  const front = await proxyTo({ url: gateway.address });
  for (const [endpoint, name] of pairs) {
    const means = meansOf(endpoint, name);
    await prepare(endpoint, means);
    const status = Number(statusOf[name]);
    const pair = `${endpoint} ${name}`;
    expect([pair, ...(await overRest(front.address, endpoint, means))]).toEqual([
      pair,
      status,
      status,
      `errors/${name}`,
    ]);
    await prepare(endpoint, means);
    expect([pair, ...(await overGraphQL(front.address, endpoint, means))]).toEqual([pair, status, name.toUpperCase()]);
  }
});

describe.each(failingAccounts)('the account $id', ({ id, status, session }) => {
  const error = accountStatuses[status].failure?.errorName ?? session;

  test('can have no new draft', async () => {
    const document = `mutation { createJobDraft(input: { accountId: "${id}", posting: { jobTitle: { text: "x" } } }) { ${failed} } }`;
    const { data, errors } = await graphql(gateway.address, demoKey, document);
    expect((errors[0]?.extensions ?? data.createJobDraft).code).toBe(error.toUpperCase());
  });
});
