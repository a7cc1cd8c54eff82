/** API keys, and the accounts behind them, through the GraphQL face: every way in that is closed, and what is said. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountStatus, accountStatuses, accountTypes } from '../../src/auth/account.ts';
import { scopeNames } from '../../src/auth/caller.ts';
import { type ErrorFamily, type ErrorName, errorTable } from '../../src/errors.ts';
import { type SandboxSessionName, sandboxSessions } from '../../src/providers/sandbox/networks.ts';
import { type Backend, backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';
import { fieldOperations, furnish, type Named, rootFields } from '../support/operations.ts';

const embedded = backends.find(({ serves }) => serves.accounts) as Backend;

let served: Served;
let workspace: SeededWorkspace;
let named: Named;

beforeAll(async () => {
  served = await embedded.start();
  workspace = await served.workspace();
  named = await furnish(workspace);
});
afterAll(() => served.close());

/** Sends an operation with these headers and no other. */
async function askWith(headers: Record<string, string>, query = '{ viewer { name } }') {
  const response = await fetch(`${served.address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  const { data = null, errors = [] } = (await response.json()) as {
    data?: { viewer?: { name: string } } | null;
    errors?: { extensions: Record<string, unknown> }[];
  };
  return { status: response.status, data, errors };
}

const envelope = (name: ErrorName) => {
  const { status, title } = errorTable[name];
  return { type: `errors/${name}`, status, title, instance: expect.any(String) };
};

async function invalidKeys(): Promise<readonly (readonly [why: string, key: string | undefined, name: ErrorName])[]> {
  const revoked = await workspace.newKey();
  const { id } = await served.database
    .selectFrom('api_keys')
    .select('id')
    .orderBy('created_at', 'desc')
    .where('workspace_id', '=', workspace.workspaceId)
    .where('name', '=', 'test')
    .where('hash', '=', await hashOf(revoked))
    .executeTakeFirstOrThrow();
  await served.database.updateTable('api_keys').set({ revoked_at: 0 }).where('id', '=', id).execute();
  const { now } = served.clock;
  return [
    ['missing', undefined, 'missing_credentials'],
    ['empty', '', 'missing_credentials'],
    ['unknown', `postern_${'x'.repeat(43)}`, 'invalid_credentials'],
    ['cut', workspace.key.slice(0, -1), 'invalid_credentials'],
    ['in another case', workspace.key.toUpperCase(), 'invalid_credentials'],
    ['revoked', revoked, 'invalid_credentials'],
    ['expired this moment', await workspace.newKey({ expiresAt: now }), 'expired_credentials'],
  ];
}

async function hashOf(key: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(key))).toString('hex');
}

test('every root field of the schema has a case here, and says its scope in its description', () => {
  expect(fieldOperations.map(({ field }) => field).sort()).toEqual(
    rootFields()
      .map(({ field }) => field)
      .sort(),
  );
  // Node and nodes find things of every kind: each kind has the scope of its own field.
  for (const { field, description } of rootFields().filter(
    ({ field: name }) => !/^Query\.(nodes?|viewer|eventSamples)$/.test(name),
  )) {
    const operation = fieldOperations.find((each) => each.field === field);
    expect(description).toContain(`Scope: \`${operation?.scope}\``);
  }
});

test('a key that is missing, unknown, revoked or expired opens no operation', async () => {
  const keys = await invalidKeys();
  for (const { field, document } of fieldOperations) {
    for (const [why, key, name] of keys) {
      const { status, data, errors } = await graphql(served.address, key, document(named));
      const seen = { field, why, status, data, extensions: errors.map(({ extensions }) => extensions) };
      expect(seen).toMatchObject({ field, why, status: 401, data: null, extensions: [envelope(name)] });
    }
  }
});

test('a key that expires a moment later is good until then', async () => {
  const key = await workspace.newKey({ expiresAt: new Date(served.clock.now.getTime() + 1) });
  expect((await graphql(served.address, key, '{ viewer { name } }')).errors).toEqual([]);
});

describe.each(fieldOperations)('$field', ({ field, scope, document }) => {
  test('needs its scope, and no other', async () => {
    const only = await workspace.newKey({ scopes: scope === null ? [] : [scope] });
    const within = await graphql(served.address, only, document(named));
    const refusals = within.errors.filter(({ path }) => path?.length === 1);
    // `nodes` asks for one thing of each kind.
    if (field !== 'Query.nodes') expect(refusals).toEqual([]);

    if (scope === null) return;
    const others = await workspace.newKey({ scopes: scopeNames.filter((name) => name !== scope) });
    const without = await graphql(served.address, others, document(named));
    expect(without.errors.length).toBeGreaterThan(0);
    for (const { extensions } of without.errors) {
      expect(extensions).toMatchObject({
        ...envelope('insufficient_privileges'),
        detail: expect.stringContaining(scope),
      });
    }
  });
});

describe('where the key stands', () => {
  test('X-API-KEY, and Authorization: Bearer in any case', async () => {
    const data = { viewer: { name: 'test' } };
    const places: readonly Record<string, string>[] = [
      { 'X-API-KEY': workspace.key },
      { authorization: `Bearer ${workspace.key}` },
      { authorization: `bearer ${workspace.key}` },
    ];
    for (const headers of places) {
      expect(await askWith(headers)).toMatchObject({ status: 200, data, errors: [] });
    }
  });

  test('X-API-KEY comes first, and no other scheme counts', async () => {
    const invalid = await askWith({ 'x-api-key': 'nonsense', authorization: `Bearer ${workspace.key}` });
    expect(invalid.errors[0]?.extensions.type).toBe('errors/invalid_credentials');
    const basic = await askWith({ authorization: `Basic ${Buffer.from(`key:${workspace.key}`).toString('base64')}` });
    expect(basic.errors[0]?.extensions.type).toBe('errors/missing_credentials');
    const bare = await askWith({ authorization: workspace.key });
    expect(bare.errors[0]?.extensions.type).toBe('errors/missing_credentials');
  });
});

test('a key that is limited to accounts sees and uses only those', async () => {
  const allowed = await workspace.account({ name: 'allowed' });
  const [draftId, webhookId] = [await workspace.draft({ accountId: allowed }), named.webhookId];
  const key = await workspace.newKey({ accountIds: [allowed] });
  const ask = (query: string) => graphql(served.address, key, query);

  const seen = await ask(`{
    viewer { accountIds } accounts { nodes { accountId } } jobPostings { nodes { jobId } }
    other: account(accountId: "${named.accountId}") { name } draft: jobPosting(jobId: "${named.draftId}") { jobId }
  }`);
  expect(seen.errors).toEqual([]);
  expect(seen.data).toEqual({
    viewer: { accountIds: [allowed] },
    accounts: { nodes: [{ accountId: allowed }] },
    jobPostings: { nodes: [{ jobId: draftId }] },
    other: null,
    draft: null,
  });

  const mismatch = envelope('account_mismatch');
  for (const { field, document } of fieldOperations) {
    const name = field.split('.')[1] as string;
    if (['posts', 'createJobDraft', 'editJob', 'publishJob', 'solveJobCheckpoint', 'createWebhook'].includes(name)) {
      const own = await ask(document({ ...named, accountId: allowed, draftId, webhookId }));
      expect({ name, text: JSON.stringify(own) }).toMatchObject({
        name,
        text: expect.not.stringContaining('mismatch'),
      });
      const { data, errors } = await ask(document({ ...named, webhookId }));
      if (field.startsWith('Query')) expect(errors[0]?.extensions).toMatchObject(mismatch);
      else expect(data[name]).toMatchObject({ __typename: 'AccountError', type: mismatch.type, status: 403 });
    }
  }
});

/** The families whose failures are data of every mutation that acts for an account; the others are top-level errors. */
const dataTypes: Partial<Record<ErrorFamily, string>> = {
  request: 'InvalidRequestError',
  account: 'AccountError',
  checkpoint: 'CheckpointError',
};

const posts = fieldOperations.find(({ field }) => field === 'Query.posts')?.document as (named: Named) => string;
const mutations = fieldOperations.filter(({ field }) => /\.(editJob|publishJob|solveJobCheckpoint)$/.test(field));

/** What comes of reading posts and of acting on a draft from an account that fails with `name`. */
async function expectFailure(accountId: string, name: ErrorName, detail: string): Promise<void> {
  const draftId = await workspace.draft({ accountId, scenario: 'otp' });
  const target = { ...named, accountId, draftId };
  const read = await graphql(served.address, workspace.key, posts(target));
  expect(read).toMatchObject({ status: 200, data: null, errors: [{ path: ['posts'] }] });
  expect(read.errors[0]?.extensions).toMatchObject({ ...envelope(name), detail });

  // The checkpoint that is to be solved is open, whatever the account is by then.
  const checkpoint = {
    type: 'OTP',
    challenge: 'sandbox:otp:',
    attempts_left: 5,
    expires_at: served.clock.now.getTime() + 1,
  };
  await served.database
    .updateTable('jobs')
    .set({ checkpoint: JSON.stringify(checkpoint) })
    .where('id', '=', draftId)
    .execute();
  for (const { field, document } of mutations) {
    const mutation = field.split('.')[1] as string;
    const { data, errors } = await graphql(served.address, workspace.key, document(target));
    const type = dataTypes[errorTable[name].family];
    if (type === undefined) {
      expect(data).toBeNull();
      expect(errors[0]?.extensions).toMatchObject({ ...envelope(name), detail });
    } else {
      expect({ mutation, errors, result: data?.[mutation] }).toEqual({
        mutation,
        errors: [],
        result: { __typename: type, type: `errors/${name}`, status: errorTable[name].status, detail, message: detail },
      });
    }
  }
}

const failingStatuses = (Object.keys(accountStatuses) as AccountStatus[]).filter((status) => status !== 'OK');

test.each(failingStatuses)('an account in status %s', async (status) => {
  const { failure } = accountStatuses[status];
  if (failure === null) throw new Error('An account in this status can be used');
  await expectFailure(await workspace.account({ status }), failure.errorName, failure.detail);
});

const failingSessions = (Object.keys(sandboxSessions) as SandboxSessionName[]).filter((name) => name !== 'ok');

test.each(failingSessions)('an account whose session is %s at its network', async (session) => {
  await expectFailure(await workspace.account({ session }), session as ErrorName, sandboxSessions[session]);
});

test.each(accountTypes)('what an account of type %s is made for', async (type) => {
  const accountId = await workspace.account({ type });
  const target = { ...named, accountId };
  const read = await graphql(served.address, workspace.key, posts(target));
  if (type === 'PNET') expect(read.errors).toEqual([]);
  // The identifier is none of the photo network.
  else if (type === 'PHOTONET') expect(read.errors[0]?.extensions).toMatchObject(envelope('invalid_recipient'));
  else expect(read.errors[0]?.extensions).toMatchObject(envelope('invalid_account'));

  const draft = fieldOperations.find(({ field }) => field === 'Mutation.createJobDraft');
  const { data } = await graphql(served.address, workspace.key, draft?.document(target) ?? '');
  const made = type === 'PNET' ? { __typename: 'PnetJobPosting' } : { type: 'errors/invalid_account', status: 422 };
  expect(data.createJobDraft).toMatchObject(made);
});

test('an unknown account is the wrong one for reading, and not found for writing; so is a malformed one', async () => {
  const read = async (accountId: string) =>
    (await graphql(served.address, workspace.key, posts({ ...named, accountId }))).errors[0]?.extensions;
  const write = async (accountId: string) => {
    const [operation] = mutations;
    const { data } = await graphql(served.address, workspace.key, operation?.document({ ...named, accountId }) ?? '');
    return data.editJob;
  };
  const unknown = `${'x'.repeat(21)}A`;
  expect(await read(unknown)).toMatchObject(envelope('wrong_account'));
  expect(await read('malformed')).toMatchObject(envelope('wrong_account'));
  expect(await write(unknown)).toMatchObject({ __typename: 'NotFoundError', type: 'errors/resource_not_found' });
  expect(await write('malformed')).toMatchObject({
    __typename: 'NotFoundError',
    type: 'errors/invalid_resource_identifier',
  });
});
