/** What a publication leaves behind. Its options are those of `test/rest/publish`, its failures those of `test/rest/allowed-errors`. */
import { describe, expect, test } from 'vitest';
import { backends, onOneDatabase } from '../support/backends.ts';
import { anError, serveJobs } from './served-jobs.ts';

describe.each(onOneDatabase(backends))('publishJob, $name backend', (backend) => {
  const jobs = serveJobs(backend);
  const { publish, solve, draft, publications } = jobs;
  const ask = (jobId: string) =>
    jobs.workspace.ask(jobs.documents.publishJob, { input: { accountId: jobs.accountId, jobId, mode: 'FREE' } });

  test.each(['publish', 'draft'] as const)('what is published is not published again: %s', async (scenario) => {
    const draftId = await draft(scenario);
    const state = scenario === 'publish' ? 'active' : scenario;
    expect(await publish(draftId)).toEqual({
      __typename: 'PnetJobPostingPublished',
      jobId: draftId,
      state: state.toUpperCase(),
    });
    expect(await jobs.workspace.job(draftId)).toMatchObject({ state, checkpoint: null });
    const again = {
      ...anError('action_already_performed'),
      message: expect.stringContaining(`its state is ${state}`),
    };
    expect(await publish(draftId)).toMatchObject(again);
    expect(await solve(draftId, '123456')).toMatchObject(again);
    expect(publications.get(draftId)).toBe(1);
  });

  test('does not publish again what the network published without a response', async () => {
    const draftId = await draft('response-lost');
    expect((await ask(draftId)).errors).toMatchObject([{ extensions: { code: 'REQUEST_TIMEOUT' } }]);
    expect(await publish(draftId)).toMatchObject({
      ...anError('action_already_performed'),
      message: expect.stringContaining('whose response was lost'),
    });
    expect((await jobs.workspace.job(draftId)).state).toBe('active');
    expect(publications.get(draftId)).toBe(1);
  });

  test.each([
    ['payment-error', 'PROMOTED', 'payment_error'],
    ['unprocessable', 'FREE', 'unprocessable_entity'],
  ] as const)('of %s as %s fails with %s, and can be retried', async (scenario, mode, name) => {
    const draftId = await draft(scenario);
    expect(await publish(draftId, { mode })).toMatchObject(anError(name));
    expect((await jobs.workspace.job(draftId)).state).toBe('draft');
    expect(await publish(draftId, { mode })).toMatchObject(anError(name));
  });

  test.each([
    ['provider-error', 'PROVIDER_ERROR'],
    ['timeout', 'REQUEST_TIMEOUT'],
  ] as const)('a failure of the network can be retried: %s', async (scenario, code) => {
    const draftId = await draft(scenario);
    for (const _attempt of [1, 2])
      expect((await ask(draftId)).errors).toMatchObject([{ path: ['publishJob'], extensions: { code } }]);
    expect((await jobs.workspace.job(draftId)).state).toBe('draft');
  });
});
