/**
 * Ids that would lead a service or a proxy on the way to another path: every endpoint with an id in its path, on both
 * faces and both backends. Such an id is refused with the error that the endpoint has for it, and nothing goes upstream.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathParameters } from '../../src/kernel/endpoint.ts';
import { endpoints, prefixes } from '../../src/rest/endpoints.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';
import { json, proxyTo, startStub } from '../support/stub.ts';

const hostile = [
  ...[
    '/',
    '\\',
    '%',
    '.',
    '..',
    '%2F',
    '%2f..',
    '%5C',
    '%00',
    '\0',
    '1\0',
    '%252F',
    '?',
    '#',
    ';',
    '..;',
    '\n',
    '\r\n',
    '\t',
    '\u007f',
  ],
  ...['1/2', '../webhooks', '..\\webhooks', '1%2F2', '1?x=1', '1#x', '1;x', 'ACoA/posts?x=', '/etc', '1/', '%31'],
  // Characters that a service may normalise to the ones above (NFKC).
  ...['1／2', '．．', '1＼2', '1％2F2', '‥', '1？x', '1＃x', '1；x'],
];

/** A GraphQL operation for each endpoint with an id in its path. */
const operations: Readonly<Record<string, (accountId: string) => string>> = {
  EDIT: (account) =>
    `mutation ($id: ID!) { result: editJob(input: { accountId: "${account}", jobId: $id, posting: { workplace: REMOTE } }) { ... on ServiceError { code } } }`,
  PUB: (account) =>
    `mutation ($id: ID!) { result: publishJob(input: { accountId: "${account}", jobId: $id, mode: FREE }) { ... on ServiceError { code } } }`,
  CHK: (account) =>
    `mutation ($id: ID!) { result: solveJobCheckpoint(input: { accountId: "${account}", jobId: $id, solution: "1" }) { ... on ServiceError { code } } }`,
  POSTS: (account) =>
    `query ($id: String!) { result: posts(accountId: "${account}", identifier: $id) { pageInfo { hasNextPage } } }`,
  WHDEL: () =>
    'mutation ($id: ID!) { result: deleteWebhook(input: { webhookId: $id }) { ... on ServiceError { code } } }',
};

const bodies: Readonly<Record<string, object>> = {
  EDIT: { workplace: 'REMOTE' },
  PUB: { mode: 'FREE' },
  CHK: { input: '1' },
};

/** EDIT says 404 and POSTS, which has no 404, 422. */
const expected = (name: string): string =>
  name === 'POSTS' ? 'errors/invalid_recipient' : 'errors/invalid_resource_identifier';

const withIds = endpoints.filter((endpoint) => pathParameters(endpoint).length > 0);

interface Served {
  readonly address: string;
  readonly key: string;
  /** Accounts that the key may act for. */
  readonly pnet: string;
  readonly photonet: string;
  /** How often the networks, or the upstream service, were asked. */
  readonly asked: () => number;
}

const backends: Readonly<Record<string, () => Promise<Served>>> = {
  async embedded() {
    let reads = 0;
    const counted = <Provider extends object>(provider: Provider): Provider =>
      new Proxy(provider, {
        get(target, name, receiver) {
          reads += 1;
          return Reflect.get(target, name, receiver);
        },
      });
    const gateway = await startGateway({
      providers: ({ PNET, PHOTONET, ...others }) => ({ ...others, PNET: counted(PNET), PHOTONET: counted(PHOTONET) }),
    });
    onTestFinished(() => gateway.close());
    const { key, account } = await gateway.workspace();
    const [pnet, photonet] = [await account(), await account({ type: 'PHOTONET' })];
    return { address: gateway.address, key, pnet, photonet, asked: () => reads };
  },
  async upstream() {
    const stub = await startStub((_request, response) => json(response, 200, { object: 'WebhookDeleted' }));
    const { address } = await proxyTo(stub);
    return { address, key: 'their-key', pnet: 'a', photonet: 'b', asked: () => stub.received.length };
  },
};

describe.each(Object.entries(backends))('on the %s backend', (_name, serve) => {
  test.each(withIds)('$name', async ({ name, method, path, body }) => {
    const operation = operations[name];
    if (operation === undefined) throw new Error(`Write an operation for ${name} above`);
    const { address, key, pnet, photonet, asked } = await serve();
    const before = asked();
    for (const accountId of name === 'POSTS' ? [pnet, photonet] : [pnet]) {
      for (const id of hostile) {
        for (const prefix of prefixes) {
          const url = `${prefix}${path.replace(/\{\w+\}/, encodeURIComponent(id).replaceAll('.', '%2E'))}`;
          const answer = await rest(address, key, method, body ? url : `${url}?account_id=${accountId}`, {
            body: body ? { account_id: accountId, ...bodies[name] } : undefined,
          });
          expect({ id, type: answer.body.type }).toEqual({ id, type: expected(name) });
        }
        const { data, errors } = await graphql(address, key, operation(accountId), { id });
        const code = data?.result?.code ?? errors[0]?.extensions.code;
        expect({ id, code }).toEqual({ id, code: expected(name).slice('errors/'.length).toUpperCase() });
      }
    }
    expect(asked()).toBe(before);
  });
});
