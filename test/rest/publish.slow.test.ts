/** PUB and CHK: a case for every field and state of the contract, over REST on every backend, and over GraphQL. */
import { describe, expect, test } from 'vitest';
import * as words from '../../src/capabilities/jobs/vocabulary.ts';
import { allBackends, onOneDatabase } from '../support/backends.ts';
import { facesOver } from '../support/faces.ts';
import { noFlag, type Samples } from '../support/samples.ts';
import { expectError, fieldsOf, serveRest } from '../support/serve-rest.ts';

const money = (amount: unknown) => ({ currency: 'EUR', amount });
const budgets = {
  good: [{ daily: money(10) }, { monthly: money(0.5) }],
  bad: [
    {},
    { daily: money(1), monthly: money(1) },
    { daily: money(0) },
    { daily: { currency: '', amount: 1 } },
    { daily: money('1') },
    { daily: { amount: 1 } },
    { weekly: money(1) },
    1,
  ],
};
const publish: Samples = {
  service: { good: words.jobServices, bad: ['PREMIUM', null] },
  hiring_photo_frame: { good: [true, false], bad: noFlag },
  bypass_email_verification: { good: [true, false], bad: noFlag },
  mode: { good: words.publishModes, bad: ['GRATIS', 'free', 1] },
};

test('the samples have every field of the contract', () => {
  const names = [...Object.keys(publish), 'account_id', 'budget'].sort();
  expect(names).toEqual(fieldsOf('fields of the publish body'));
  expect(['account_id', 'input']).toEqual(fieldsOf('fields of the checkpoint body'));
});

describe.each(onOneDatabase(allBackends))('over the $name backend', (backend) => {
  const api = serveRest(backend);
  const { send, post, draft } = api;

  describe('the fields', () => {
    describe.each(facesOver(backend))('over $name', (face) => {
      const published = (request: object, draft_id = '1') =>
        api.ask(face, 'PUB', { account_id: api.account, draft_id, ...request });
      const taken = { object: 'PnetJobPostingPublished' };
      const refused = (name: string) => ['errors/invalid_parameters', expect.stringContaining(face.nameOf(name))];

      test.each(Object.entries(publish))('%s', async (name, { good, bad }) => {
        for (const value of good)
          expect(await published({ mode: 'PROMOTED', [name]: value }, await draft())).toMatchObject(taken);
        for (const value of bad) {
          // GraphQL takes null for what is left out.
          if (value === null && face.coerces) continue;
          const { type, detail } = await published({ mode: 'FREE', [name]: value });
          expect([type, detail], JSON.stringify(value)).toEqual(refused(name));
        }
      });

      test('budget is for the promoted modes only, and PROMOTED_PLUS for CLASSIC only', async () => {
        for (const mode of ['PROMOTED', 'PROMOTED_PLUS']) {
          for (const budget of budgets.good)
            expect(await published({ mode, budget }, await draft())).toMatchObject(taken);
          for (const budget of budgets.bad) {
            const { status, detail } = await published({ mode, budget });
            expect([status, detail], JSON.stringify(budget)).toEqual([400, expect.stringContaining('budget')]);
          }
        }
        for (const [name, request] of [
          ['budget', { mode: 'FREE', budget: budgets.good[0] }],
          ['service', { mode: 'PROMOTED_PLUS', service: 'RECRUITER' }],
        ] as const) {
          const { type, detail } = await published(request);
          expect([type, detail]).toEqual(refused(name));
        }
      });
    });

    test('the error names every missing field', async () => {
      const empty = (path: string) => send('POST', path, { body: {} });
      expectError(
        await empty('/v1/pnet/jobs/1/publish'),
        400,
        'missing_parameters',
        /mode is required; account_id is required/,
      );
      expectError(
        await empty('/v1/pnet/jobs/1/checkpoint'),
        400,
        'missing_parameters',
        /account_id is required; input is required/,
      );
    });

    test.each([
      [1, 'invalid_parameters'],
      ['', 'invalid_parameters'],
      [null, 'invalid_parameters'],
      ['x'.repeat(256), 'too_many_characters'],
    ])('input %j is errors/%s', async (input, type) => {
      expectError(await post('/v1/pnet/jobs/1/checkpoint', { input }), 400, type, /input/);
    });
  });

  describe('the states', () => {
    const publishIt = async (id: string) => post(`/v1/pnet/jobs/${id}/publish`, { mode: 'FREE' });
    const solve = async (id: string, input: string) => post(`/v1/pnet/jobs/${id}/checkpoint`, { input });

    test.each([
      ['publish', 'active'],
      ['review', 'review'],
      ['paused', 'paused'],
      ['closed', 'closed'],
      ['draft', 'draft'],
    ])('a draft with the scenario %s is published in the state %s', async (scenario, state) => {
      const id = await draft({ scenario });
      expect((await publishIt(id)).body).toEqual({ object: 'PnetJobPostingPublished', job_state: state, job_id: id });
      expect((await api.workspace.job(id)).state).toBe(state);
    });

    test('a checkpoint leaves the posting a draft; another may follow; then it is published', async () => {
      const id = await draft({ scenario: 'email-then-otp' });
      const checkpoint = (type: string) => ({ object: 'PnetJobPostingPublishCheckpoint', type, job_id: id });
      expect((await publishIt(id)).body).toEqual(checkpoint('EMAIL_VERIFICATION'));
      expect((await api.workspace.job(id)).state).toBe('draft');
      expectError(await solve(id, 'wrong'), 401, 'invalid_checkpoint_solution');
      expect((await solve(id, 'sandbox-email-token')).body).toEqual(checkpoint('OTP'));
      expect((await solve(id, '123456')).body).toEqual({
        object: 'PnetJobPostingPublished',
        job_state: 'active',
        job_id: id,
      });
      expectError(await publishIt(id), 422, 'action_already_performed');
      expectError(await solve(id, '123456'), 422, 'action_already_performed');
    });
  });
});
