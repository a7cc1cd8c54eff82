/** Publishing a draft: its options, its failures, and what stays as it was. */
import { describe, expect, test } from 'vitest';
import { errorTable } from '../../src/kernel/errors.ts';
import { sandboxSessions } from '../../src/providers/sandbox/networks.ts';
import { backends } from '../support/backends.ts';
import { anError, serveJobs } from './served-jobs.ts';

describe.each(backends)('publishJob, $name backend', (backend) => {
  const jobs = serveJobs(backend);
  const { publish, solve, draft, refusal, publications } = jobs;

  test('publishes a draft at once', async () => {
    const draftId = await draft();
    expect(await publish(draftId)).toEqual({
      __typename: 'PnetJobPostingPublished',
      jobId: draftId,
      state: 'ACTIVE',
    });
    expect(await jobs.workspace.job(draftId)).toMatchObject({ state: 'active', checkpoint: null });
  });

  test.each([
    ['review', 'REVIEW'],
    ['paused', 'PAUSED'],
    ['closed', 'CLOSED'],
    ['draft', 'DRAFT'],
  ] as const)('returns the state %s', async (scenario, state) => {
    const draftId = await draft(scenario);
    expect(await publish(draftId)).toMatchObject({ __typename: 'PnetJobPostingPublished', state });
    expect((await jobs.workspace.job(draftId)).state).toBe(scenario);
    // Even a job that the network keeps in the state draft is published only once.
    const again = {
      ...anError('action_already_performed'),
      message: expect.stringContaining(`its state is ${scenario}`),
    };
    expect(await publish(draftId)).toMatchObject(again);
    expect(await solve(draftId, '123456')).toMatchObject(again);
    expect(publications.get(draftId)).toBe(1);
  });

  test('does not publish again what the network published without a response', async () => {
    const draftId = await draft('response-lost');
    const input = { accountId: jobs.accountId, jobId: draftId, mode: 'FREE' };
    const { errors } = await jobs.workspace.ask(jobs.documents.publishJob, { input });
    expect(errors).toMatchObject([{ extensions: { code: 'REQUEST_TIMEOUT' } }]);
    expect(await publish(draftId)).toMatchObject({
      ...anError('action_already_performed'),
      message: expect.stringContaining('whose response was lost'),
    });
    expect((await jobs.workspace.job(draftId)).state).toBe('active');
    expect(publications.get(draftId)).toBe(1);
  });

  test.each([
    { mode: 'FREE' },
    { mode: 'FREE', service: 'CLASSIC' },
    { mode: 'FREE', service: 'RECRUITER', hasHiringPhotoFrame: true, bypassesEmailVerification: true },
    { mode: 'PROMOTED', service: 'RECRUITER' },
    { mode: 'PROMOTED', budget: { daily: { currency: 'EUR', amount: 12.5 } } },
    { mode: 'PROMOTED_PLUS' },
    { mode: 'PROMOTED_PLUS', service: 'CLASSIC', budget: { monthly: { currency: 'EUR', amount: 300 } } },
  ])('takes %j', async (input) => {
    expect(await publish(await draft(), input)).toMatchObject({ __typename: 'PnetJobPostingPublished' });
  });

  test.each([
    [{ mode: 'PROMOTED_PLUS', service: 'RECRUITER' }, ['service'], /CLASSIC/],
    [{ mode: 'FREE', budget: { daily: { currency: 'EUR', amount: 1 } } }, ['budget'], /not accepted with this mode/],
    [{ mode: 'PROMOTED', budget: { daily: { currency: 'EUR', amount: 0 } } }, ['budget', 'daily', 'amount'], /above 0/],
    [
      { mode: 'PROMOTED', budget: { monthly: { currency: '', amount: 1 } } },
      ['budget', 'monthly', 'currency'],
      /ISO 4217/,
    ],
  ])('refuses %j', async (input, path, message) => {
    const draftId = await draft();
    const answer = await publish(draftId, input);
    expect(answer).toMatchObject(anError('invalid_parameters'));
    // A rule of our own is left to a service, which tells the same in its detail.
    if (backend.name === 'proxy' && answer.issues.length === 0) expect(answer.message).toMatch(message);
    else
      expect(answer.issues).toEqual([
        { path: ['input', ...path], code: expect.any(String), message: expect.stringMatching(message) },
      ]);
    expect((await jobs.workspace.job(draftId)).state).toBe('draft');
  });

  test('takes a budget for exactly one period', async () => {
    const amount = { currency: 'EUR', amount: 1 };
    for (const budget of [{}, { daily: amount, monthly: amount }, { daily: null }, { daily: amount, monthly: null }]) {
      const draftId = await draft();
      await refusal('publishJob', { jobId: draftId, mode: 'PROMOTED', budget });
      expect((await jobs.workspace.job(draftId)).state).toBe('draft');
    }
  });

  test('requires a mode', async () => {
    expect(await refusal('publishJob', { jobId: await draft() })).toMatch(/mode/);
    expect(await refusal('publishJob', { jobId: await draft(), mode: 'CHEAP' })).toMatch(/CHEAP/);
  });

  test.each([
    ['not-free', 'FREE', 'invalid_parameters'],
    ['payment-error', 'PROMOTED', 'payment_error'],
    ['payment-error', 'PROMOTED_PLUS', 'payment_error'],
    ['insufficient-credits', 'PROMOTED', 'insufficient_credits'],
    ['insufficient-job-slot', 'FREE', 'insufficient_job_slot'],
    ['insufficient-job-slot', 'PROMOTED', 'insufficient_job_slot'],
    ['already-performed', 'FREE', 'action_already_performed'],
    ['unprocessable', 'FREE', 'unprocessable_entity'],
    ['invalid-account', 'FREE', 'invalid_account'],
    ['configuration', 'FREE', 'account_configuration_error'],
  ] as const)('of %s as %s fails with %s, and can be retried', async (scenario, mode, name) => {
    const draftId = await draft(scenario);
    expect(await publish(draftId, { mode })).toMatchObject(anError(name));
    expect((await jobs.workspace.job(draftId)).state).toBe('draft');
    expect(await publish(draftId, { mode })).toMatchObject(anError(name));
  });

  test.each([
    ['not-free', 'PROMOTED'],
    ['payment-error', 'FREE'],
    ['insufficient-credits', 'FREE'],
  ] as const)('of %s as %s succeeds', async (scenario, mode) => {
    expect(await publish(await draft(scenario), { mode })).toMatchObject({ __typename: 'PnetJobPostingPublished' });
  });

  test.each([
    ['provider-error', 'provider_error'],
    ['timeout', 'request_timeout'],
  ] as const)(
    'reports a failure of the network as a top-level error, and can be retried: %s',
    async (scenario, name) => {
      const draftId = await draft(scenario);
      for (const _attempt of [1, 2]) {
        const { errors } = await jobs.workspace.ask(jobs.documents.publishJob, {
          input: { accountId: jobs.accountId, jobId: draftId, mode: 'FREE' },
        });
        expect(errors).toMatchObject([{ path: ['publishJob'], extensions: { code: name.toUpperCase() } }]);
      }
      expect((await jobs.workspace.job(draftId)).state).toBe('draft');
    },
  );

  test.each(['active', 'review', 'closed', 'paused'] as const)('refuses a job that is already %s', async (state) => {
    const draftId = await draft('publish', { state });
    expect(await publish(draftId)).toMatchObject(anError('action_already_performed'));
    expect(await solve(draftId, '123456')).toMatchObject(anError('action_already_performed'));
    expect((await jobs.workspace.job(draftId)).state).toBe(state);
    expect(publications.get(draftId)).toBeUndefined();
  });

  test('does not find a draft that does not exist or belongs to others', async () => {
    const foreign = await jobs.served.workspace();
    const theirs = await foreign.draft({ accountId: await foreign.account() });
    for (const draftId of ['999999', theirs]) {
      expect(await publish(draftId)).toMatchObject(anError('resource_not_found'));
      expect(await solve(draftId, '123456')).toMatchObject(anError('resource_not_found'));
    }
    expect(await publish('x')).toMatchObject(anError('invalid_resource_identifier'));
    expect(await solve('x', '123456')).toMatchObject(anError('invalid_resource_identifier'));
    expect((await foreign.job(theirs)).state).toBe('draft');
  });

  test("reports each failure of the account's session, and the job stays a draft", async () => {
    for (const session of Object.keys(sandboxSessions) as (keyof typeof sandboxSessions)[]) {
      if (session === 'ok') continue;
      const broken = await jobs.workspace.account({ session });
      const draftId = await jobs.workspace.draft({ accountId: broken });
      const { data, errors } = await jobs.workspace.ask(jobs.documents.publishJob, {
        input: { accountId: broken, jobId: draftId, mode: 'FREE' },
      });
      if (['key', 'system'].includes(errorTable[session].family)) {
        expect(errors).toMatchObject([
          { extensions: { code: session.toUpperCase(), status: errorTable[session].status } },
        ]);
      } else {
        // There is no checkpoint to solve.
        const { family } = errorTable[session];
        const told = { ...anError(session), ...(family === 'checkpoint' ? { __typename: 'RequestError' } : {}) };
        expect(data.publishJob).toMatchObject(told);
      }
      expect((await jobs.workspace.job(draftId)).state).toBe('draft');
    }
  });
});
