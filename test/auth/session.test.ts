/** The account that a request is made from, through the GraphQL face: its status, its session and its type. */
import { expect, test } from 'vitest';
import { type AccountStatus, accountStatuses, accountTypes } from '../../src/auth/account.ts';
import { type ErrorFamily, type ErrorName, errorTable } from '../../src/kernel/errors.ts';
import { type SandboxSessionName, sandboxSessions } from '../../src/providers/sandbox/networks.ts';
import { graphql } from '../support/gateway.ts';
import { fieldOperations, type Named } from '../support/operations.ts';
import { envelope, serveAuth } from './served-auth.ts';

const auth = serveAuth();

/** The families whose failures are data of every mutation that acts for an account; the others are top-level errors. */
const dataTypes: Partial<Record<ErrorFamily, string>> = {
  request: 'InvalidRequestError',
  account: 'RequestError',
  checkpoint: 'RequestError',
};

const posts = fieldOperations.find(({ field }) => field === 'Query.posts')?.document as (named: Named) => string;
const mutations = fieldOperations.filter(({ field }) => /\.(editJob|publishJob|solveJobCheckpoint)$/.test(field));

/** A command whose outcome is unknown must not be tried again without a look. */
const detailOfCommand = (name: ErrorName, detail: string): string =>
  errorTable[name].outcome === 'unknown'
    ? `${detail.replace(/ Try again[^.]*\.$/, '')} The outcome is unknown: check it before you try again.`
    : detail;

/** Expects reading posts and acting on a draft to fail with `name`. */
async function expectFailure(accountId: string, name: ErrorName, detail: string): Promise<void> {
  const draftId = await auth().workspace.draft({ accountId, scenario: 'otp' });
  const target = { ...auth().named, accountId, draftId };
  const read = await graphql(auth().served.address, auth().workspace.key, posts(target));
  expect(read).toMatchObject({ status: 200, data: { posts: null }, errors: [{ path: ['posts'] }] });
  expect(read.errors[0]).toMatchObject({ message: detail, extensions: envelope(name) });

  // The checkpoint that is to be solved is open, whatever the account is by then.
  const checkpoint = {
    type: 'OTP',
    challenge: 'sandbox:otp:',
    attempts_left: 5,
    expires_at: auth().served.clock.now.getTime() + 1,
  };
  await auth()
    .served.database.updateTable('jobs')
    .set({ checkpoint: JSON.stringify(checkpoint) })
    .where('id', '=', draftId)
    .execute();
  const ofCommand = detailOfCommand(name, detail);
  for (const { field, document } of mutations) {
    const mutation = field.split('.')[1] as string;
    const { data, errors } = await graphql(auth().served.address, auth().workspace.key, document(target));
    const { family } = errorTable[name];
    const type = family === 'checkpoint' && mutation === 'solveJobCheckpoint' ? 'CheckpointError' : dataTypes[family];
    if (type === undefined) {
      expect(data).toEqual({ [mutation]: null });
      expect(errors[0]).toMatchObject({ message: ofCommand, extensions: envelope(name) });
    } else {
      expect({ mutation, errors, result: data?.[mutation] }).toEqual({
        mutation,
        errors: [],
        result: {
          __typename: type,
          code: name.toUpperCase(),
          status: errorTable[name].status,
          message: ofCommand,
        },
      });
    }
  }
}

const failingStatuses = (Object.keys(accountStatuses) as AccountStatus[]).filter((status) => status !== 'OK');

test.each(failingStatuses)('an account in status %s', async (status) => {
  const { failure } = accountStatuses[status];
  if (failure === null) throw new Error('An account in this status can be used');
  await expectFailure(await auth().workspace.account({ status }), failure.errorName, failure.detail);
});

const failingSessions = (Object.keys(sandboxSessions) as SandboxSessionName[]).filter((name) => name !== 'ok');

test.each(failingSessions)('an account whose session is %s at its network', async (session) => {
  await expectFailure(await auth().workspace.account({ session }), session as ErrorName, sandboxSessions[session]);
});

test.each(accountTypes)('features of an account of type %s', async (type) => {
  const accountId = await auth().workspace.account({ type });
  const target = { ...auth().named, accountId };
  const read = await graphql(auth().served.address, auth().workspace.key, posts(target));
  if (type === 'PNET') expect(read.errors).toEqual([]);
  // The identifier is none of the photo network.
  else if (type === 'PHOTONET') expect(read.errors[0]?.extensions).toMatchObject(envelope('invalid_recipient'));
  else expect(read.errors[0]?.extensions).toMatchObject(envelope('invalid_account'));

  const draft = fieldOperations.find(({ field }) => field === 'Mutation.createJobDraft');
  const { data } = await graphql(auth().served.address, auth().workspace.key, draft?.document(target) ?? '');
  const made = type === 'PNET' ? { __typename: 'PnetJobPostingCreated' } : { code: 'INVALID_ACCOUNT', status: 422 };
  expect(data.createJobDraft).toMatchObject(made);
});

test('an unknown or malformed account is wrong_account for reading, and not found for writing', async () => {
  const read = async (accountId: string) =>
    (await graphql(auth().served.address, auth().workspace.key, posts({ ...auth().named, accountId }))).errors[0]
      ?.extensions;
  const write = async (accountId: string) => {
    const [operation] = mutations;
    const { data } = await graphql(
      auth().served.address,
      auth().workspace.key,
      operation?.document({ ...auth().named, accountId }) ?? '',
    );
    return data.editJob;
  };
  const unknown = `${'x'.repeat(21)}A`;
  expect(await read(unknown)).toMatchObject(envelope('wrong_account'));
  expect(await read('malformed')).toMatchObject(envelope('wrong_account'));
  expect(await write(unknown)).toMatchObject({ __typename: 'RequestError', code: 'RESOURCE_NOT_FOUND' });
  expect(await write('malformed')).toMatchObject({
    __typename: 'RequestError',
    code: 'INVALID_RESOURCE_IDENTIFIER',
  });
});
