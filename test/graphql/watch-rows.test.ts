/** Subscriptions to accounts and job postings, where another process changes them, on every database. */
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { globalId } from '../../src/graphql/kit/global-ids.ts';
import { databases } from '../support/databases.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';

const jobs = 'subscription ($ids: [ID!]!) { jobPostingUpdated(jobIds: $ids) { jobId state account { status } } }';
const accounts = 'subscription ($ids: [ID!]!) { accountUpdated(accountIds: $ids) { accountId status } }';

interface Update {
  readonly jobPostingUpdated?: { readonly jobId: string; readonly state: string; readonly account: object };
  readonly accountUpdated?: { readonly accountId: string; readonly status: string };
}

function subscribe({ address }: Gateway, key: string, query: string, ids: readonly string[]) {
  const client = createClient({ url: `${address}/graphql`, headers: { 'x-api-key': key }, retryAttempts: 0 });
  onTestFinished(() => client.dispose());
  const results = client.iterate<Update>({ query, variables: { ids } });
  return { client, next: async () => (await results.next()).value };
}

/** What refuses a subscription: its status, and the type of the error. */
async function refusal({ address }: Gateway, key: string, query: string, ids: readonly string[]) {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key },
    body: JSON.stringify({ query, variables: { ids } }),
  });
  return /(?<="code":")\w+/.exec(await response.text())?.[0];
}

describe.each(databases)('on $name', (dialect) => {
  let watching: Gateway;
  let changing: Gateway;
  let space: TestWorkspace;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const place = await dialect.withSchema();
    const options = { environment: { DATABASE_URL: place.url } };
    [watching, changing] = [await startGateway(options), await startGateway(options)];
    space = await watching.workspace();
    close = async () => {
      await watching.close();
      await changing.close();
      await place.drop();
    };
  });
  afterAll(() => close());

  const act = async (document: string) => {
    const { data, errors } = await graphql(changing.address, space.key, document);
    expect(errors).toEqual([]);
    return data;
  };
  const newDraft = async (accountId: string, workspace = space): Promise<string> => {
    const { data } = await graphql(
      changing.address,
      workspace.key,
      `mutation { createJobDraft(input: { accountId: "${accountId}", posting: { jobTitle: { text: "New" } } }) { ... on PnetJobPostingCreated { jobId } } }`,
    );
    return data.createJobDraft.jobId;
  };
  const setStatus = (accountId: string, status: string) =>
    changing.app.database.updateTable('accounts').set({ status }).where('id', '=', accountId).execute();

  test('a job posting is sent at once, and again when another process has published it', async () => {
    const accountId = await space.account();
    const [jobId, other] = [await newDraft(accountId), await newDraft(accountId)];
    const { next } = subscribe(watching, space.key, jobs, [jobId, globalId('Job', jobId)]);
    const posting = (state: string) => ({
      data: { jobPostingUpdated: { jobId, state, account: { status: 'OK' } } },
    });
    expect(await next()).toEqual(posting('DRAFT'));
    for (const id of [other, jobId]) {
      await act(
        `mutation { publishJob(input: { accountId: "${accountId}", jobId: "${id}", mode: FREE }) { __typename } }`,
      );
    }
    expect(await next()).toEqual(posting('ACTIVE'));
  });

  test('an account is sent at once, and again whenever its status has changed', async () => {
    const [first, second] = [await space.account(), await space.account()];
    const { next } = subscribe(watching, space.key, accounts, [first, second]);
    const account = (accountId: string, status: string) => ({ data: { accountUpdated: { accountId, status } } });
    expect([await next(), await next()]).toEqual(expect.arrayContaining([account(first, 'OK'), account(second, 'OK')]));
    for (const status of ['CREDENTIALS', 'CONNECTING', 'OK']) {
      await setStatus(second, status);
      expect(await next()).toEqual(account(second, status));
    }
  });

  test('a later watcher receives the state at that time', async () => {
    const accountId = await space.account();
    const early = subscribe(watching, space.key, accounts, [accountId]);
    await early.next();
    await setStatus(accountId, 'STOPPED');
    expect(await early.next()).toMatchObject({ data: { accountUpdated: { status: 'STOPPED' } } });
    const late = subscribe(watching, space.key, accounts, [accountId]);
    expect(await late.next()).toMatchObject({ data: { accountUpdated: { status: 'STOPPED' } } });
  });

  test('ids that the key cannot see, or that cannot be watched, are refused', async () => {
    const stranger = await watching.workspace();
    const [own, other, theirs] = [await space.account(), await space.account(), await stranger.account()];
    const draft = await newDraft(other);
    const foreign = await newDraft(theirs, stranger);
    const limited = await space.newKey({ accountIds: [own] });
    const narrow = await space.newKey({ scopes: ['posts:read'] });
    const rows = [
      [space.key, accounts, [own, theirs], 'resource_not_found'],
      [space.key, accounts, ['?'], 'resource_not_found'],
      [limited, accounts, [own, other], 'resource_not_found'],
      [space.key, jobs, [foreign], 'resource_not_found'],
      [limited, jobs, [draft], 'resource_not_found'],
      [space.key, accounts, [], 'invalid_parameters'],
      [space.key, jobs, Array.from({ length: 101 }, () => draft), 'limit_too_high'],
      [narrow, accounts, [own], 'insufficient_privileges'],
      [narrow, jobs, [draft], 'insufficient_privileges'],
    ] as const;
    for (const [key, query, ids, name] of rows) {
      expect(await refusal(watching, key, query, ids)).toBe(name.toUpperCase());
    }
  });
});
