/** A key that is limited to accounts. */
import { expect, test } from 'vitest';
import { globalId } from '../../src/graphql/kit/global-ids.ts';
import { graphql } from '../support/gateway.ts';
import { documentOf, fieldOperations } from '../support/operations.ts';
import { rest } from '../support/rest.ts';
import { json, postList, proxyTo, startStub } from '../support/stub.ts';
import { envelope, serveAuth } from './served-auth.ts';

const auth = serveAuth();

test('a key that is limited to accounts sees and uses only those', async () => {
  const allowed = await auth().workspace.account({ name: 'allowed' });
  const [draftId, webhookId] = [await auth().workspace.draft({ accountId: allowed }), auth().named.webhookId];
  const key = await auth().workspace.newKey({ accountIds: [allowed] });
  const ask = (query: string) => graphql(auth().served.address, key, query);

  const seen = await ask(`{
    viewer { accountIds } accounts { nodes { accountId } } jobPostings { nodes { jobId } }
    other: account(accountId: "${auth().named.accountId}") { name } draft: jobPosting(jobId: "${auth().named.draftId}") { jobId }
  }`);
  expect(seen.errors).toEqual([]);
  expect(seen.data).toEqual({
    viewer: { accountIds: [allowed] },
    accounts: { nodes: [{ accountId: allowed }] },
    jobPostings: { nodes: [{ jobId: draftId }] },
    other: null,
    draft: null,
  });

  // Neither an account of its own nor a global id opens a posting of another account.
  for (const name of ['editJob', 'publishJob', 'solveJobCheckpoint']) {
    const { data } = await ask(documentOf(`Mutation.${name}`, { ...auth().named, accountId: allowed }));
    expect(data[name]).toMatchObject({ __typename: 'RequestError', code: 'RESOURCE_NOT_FOUND' });
  }
  const ids = JSON.stringify([globalId('Job', auth().named.draftId), globalId('Account', auth().named.accountId)]);
  expect((await ask(`{ nodes(ids: ${ids}) { id } }`)).data).toEqual({ nodes: [null, null] });

  const mismatch = envelope('account_mismatch');
  for (const { field, document } of fieldOperations) {
    const name = field.split('.')[1] as string;
    if (['posts', 'createJobDraft', 'editJob', 'publishJob', 'solveJobCheckpoint', 'createWebhook'].includes(name)) {
      const own = await ask(document({ ...auth().named, accountId: allowed, draftId, webhookId }));
      expect({ name, text: JSON.stringify(own) }).toMatchObject({
        name,
        text: expect.not.stringContaining('mismatch'),
      });
      const { data, errors } = await ask(document({ ...auth().named, webhookId }));
      if (field.startsWith('Query')) expect(errors[0]?.extensions).toMatchObject(mismatch);
      else expect(data[name]).toMatchObject({ __typename: 'RequestError', code: mismatch.code, status: 403 });
    }
  }
});

test('a service is asked for the posts of no other account', async () => {
  const stub = await startStub((_request, response) => json(response, 200, postList([])));
  const gateway = await proxyTo(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
  const { newKey } = await gateway.workspace();
  const key = await newKey({ accountIds: ['own'] });
  const list = (account: string) => rest(gateway.address, key, 'GET', `/v1/users/ACo1/posts?account_id=${account}`);
  expect((await list('own')).status).toBe(200);
  const { status, body } = await list('other');
  expect([status, body.type]).toEqual([403, 'errors/account_mismatch']);
  expect(stub.received).toHaveLength(1);
});
