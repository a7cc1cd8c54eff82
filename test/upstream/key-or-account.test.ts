/** A refused API key and a refused account, if the service says the same of both. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { demoId, failingAccounts } from '../../src/app/demo.ts';
import { readDemoKey } from '../../src/providers/sandbox/keys.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { startGateway } from '../support/gateway.ts';
import { fieldOperations } from '../support/operations.ts';
import { rest } from '../support/rest.ts';
import { servedPart } from '../support/served-part.ts';
import { envelope, json, proxyTo, startStub } from '../support/stub.ts';

const named = {
  accountId: demoId('pnet'),
  draftId: '1001',
  webhookId: demoId('hook-users'),
  triggerId: demoId('hook-trigger-chat'),
  deliveryId: demoId('delivery'),
};

/** The GraphQL field of each endpoint that acts for an account: a failure of one of these can be about either. */
const fieldOf: Readonly<Record<string, string>> = {
  EDIT: 'Mutation.editJob',
  PUB: 'Mutation.publishJob',
  CHK: 'Mutation.solveJobCheckpoint',
  POSTS: 'Query.posts',
};
const actingForAccount = endpoints.filter(({ refusesFor }) => refusesFor === 'account').map(({ name }) => name);
const ambiguous = ['invalid_credentials', 'expired_credentials'] as const;

test('every endpoint that acts for an account is tried', () => {
  expect(actingForAccount.sort()).toEqual(Object.keys(fieldOf).sort());
});

type Response = readonly [status: number, body: object];

const documentOf = (field: string, ids = named): string =>
  servedPart('forwarded-keys', fieldOperations.find((each) => each.field === field)?.document(ids) ?? '') ?? '';

/** A service that refuses every request, and answers the list of webhooks in its own way. */
async function startService(refusal: string) {
  const service = { ofWebhooks: [200, {}] as Response };
  const stub = await startStub(({ path }, response) =>
    path.startsWith('/v1/webhooks')
      ? json(response, ...service.ofWebhooks)
      : json(response, 401, envelope(refusal, 401, { detail: 'The service says why.' })),
  );
  return { service, stub };
}

const refusedKeys = ['invalid_credentials', 'expired_credentials', 'missing_credentials'];
const otherResponses: readonly Response[] = [
  [200, { object: 'WebhookList', items: [], cursor: null }],
  [401, envelope('insufficient_privileges', 401)],
  [403, envelope('account_restricted', 403)],
  [404, envelope('resource_not_found', 404)],
  [500, envelope('unexpected_error', 500)],
  [401, []],
];

describe.each(actingForAccount.flatMap((endpoint) => ambiguous.map((name) => ({ endpoint, name }))))(
  '$name at $endpoint',
  ({ endpoint, name }) => {
    const field = fieldOf[endpoint] ?? '';
    const resultName = field.split('.')[1] ?? '';
    const code = name.toUpperCase();

    test('is about the key if the list of webhooks is refused for the key, and about the account otherwise', async () => {
      const { service, stub } = await startService(name);
      const { ask } = await proxyTo(stub);
      for (const refusal of refusedKeys) {
        service.ofWebhooks = [401, envelope(refusal, 401)];
        const { status, errors } = await ask(documentOf(field));
        expect([refusal, status]).toEqual([refusal, 401]);
        const failure = { message: 'The service says why.', extensions: { code, status: 401 } };
        expect(errors).toMatchObject([{ path: [resultName], ...failure }]);
      }
      expect(new Set(stub.received.map(({ headers }) => headers['x-api-key']))).toEqual(new Set(['their-key']));
      expect(stub.received).toHaveLength(2 * refusedKeys.length);
      for (const response of otherResponses) {
        service.ofWebhooks = response;
        const { status, data, errors } = await ask(documentOf(field));
        expect([response, status]).toEqual([response, 200]);
        // A failed read is a top-level error in any case, and fails no other field.
        if (endpoint === 'POSTS') expect(errors).toMatchObject([{ path: [resultName], extensions: { code } }]);
        else expect([errors, data[resultName]]).toMatchObject([[], { __typename: 'RequestError', code }]);
      }
    });
  },
);

test('a refused account is data with forwarded keys', async () => {
  const origin = await startGateway({ environment: { DEMO: 'on' } });
  onTestFinished(() => origin.close());
  const key = await readDemoKey(join(origin.directory, 'demo-key'));
  const { ask } = await proxyTo({ url: origin.address });
  const accounts = failingAccounts.filter(
    ({ session, status }) => session === 'invalid_credentials' || status === 'CREDENTIALS',
  );
  expect(accounts).toHaveLength(2);
  for (const { id: accountId, draftId } of accounts) {
    for (const endpoint of ['EDIT', 'PUB', 'CHK']) {
      const field = fieldOf[endpoint] ?? '';
      const { status, data } = await ask(documentOf(field, { ...named, accountId, draftId }), {}, key);
      expect([status, data]).toMatchObject([200, { [field.split('.')[1] ?? '']: { __typename: 'RequestError' } }]);
    }
  }
});

test('where the gateway has its own key, a refused key is its own fault', async () => {
  const { service, stub } = await startService('invalid_credentials');
  const { address, workspace } = await proxyTo(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
  const { key } = await workspace();
  const edit = () => rest(address, key, 'PATCH', '/v1/pnet/jobs/1', { body: { account_id: named.accountId } });
  service.ofWebhooks = [401, envelope('invalid_credentials', 401)];
  const answer = await edit();
  expect(answer).toMatchObject({ status: 500, body: { type: 'errors/provider_error' } });
  expect(answer.body.detail).toContain('the key of this gateway');
  service.ofWebhooks = [200, { object: 'WebhookList', items: [], cursor: null }];
  expect(await edit()).toMatchObject({ status: 401, body: { type: 'errors/invalid_credentials' } });
});

/** Served by the gateway itself. */
const ownFields = ['Query.eventSamples'];

test('a key that the service does not know fails every field with the error of a key', async () => {
  const origin = await startGateway();
  onTestFinished(() => origin.close());
  const { ask } = await proxyTo({ url: origin.address });
  const asked: string[] = [];
  for (const { field } of fieldOperations) {
    const document = documentOf(field);
    if (document === '') continue;
    const { status, errors } = await ask(document, {}, 'postern_unknown');
    if (ownFields.includes(field)) {
      expect([field, errors]).toEqual([field, []]);
      continue;
    }
    asked.push(field);
    const extensions = { code: 'INVALID_CREDENTIALS', status: 401 };
    // Of kinds that the set-up does not serve there is nothing, without a call.
    expect([field, status, errors[0]]).toMatchObject([field, field === 'Query.nodes' ? 200 : 401, { extensions }]);
  }
  expect(asked).toEqual(expect.arrayContaining([...Object.values(fieldOf), 'Query.viewer', 'Mutation.createWebhook']));
});
