/** Editing a job: every field alone and together, what is refused and at which path, and failures of the network. */
import { describe, expect, test } from 'vitest';
import {
  employmentStatuses,
  jobStates,
  payFrequencies,
  seniorities,
  workplaces,
} from '../../src/capabilities/jobs/vocabulary.ts';
import { limits } from '../../src/kernel/validation.ts';
import { backends } from '../support/backends.ts';
import { anError, everyField, everyFieldStored, serveJobs } from './served-jobs.ts';

/** The key that a field is stored under. */
const keyOf = (name: keyof typeof everyField): keyof typeof everyFieldStored =>
  name === 'hasRejectionNotification'
    ? 'send_rejection_notification'
    : (name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as keyof typeof everyFieldStored);

describe.each(backends)('editJob, $name backend', (backend) => {
  const jobs = serveJobs(backend);
  const { edit, draft, refusal } = jobs;

  test('sets every field', async () => {
    const jobId = await draft();
    expect(await edit({ jobId, ...everyField })).toEqual({ __typename: 'PnetJobPostingEdited', jobId });
    expect((await jobs.workspace.job(jobId)).fields).toEqual(everyFieldStored);
  });

  test.each(Object.keys(everyField) as (keyof typeof everyField)[])('changes %s alone', async (name) => {
    const jobId = await draft('publish');
    const before = (await jobs.workspace.job(jobId)).fields;
    await edit({ jobId, [name]: everyField[name] });
    const key = keyOf(name);
    expect((await jobs.workspace.job(jobId)).fields).toEqual({ ...before, [key]: everyFieldStored[key] });
  });

  test('changes nothing when no field is present', async () => {
    const jobId = await draft(undefined, { fields: everyFieldStored });
    expect(await edit({ jobId })).toEqual({ __typename: 'PnetJobPostingEdited', jobId });
    expect((await jobs.workspace.job(jobId)).fields).toEqual(everyFieldStored);
  });

  test('treats a variable without a value as an absent field', async () => {
    const jobId = await draft(undefined, { fields: everyFieldStored });
    const { data } = await jobs.workspace.ask(
      `mutation ($accountId: ID!, $jobId: ID!, $text: String, $place: ID) {
        editJob(input: { accountId: $accountId, jobId: $jobId, posting: { description: $text, location: $place } }) { __typename }
      }`,
      { accountId: jobs.accountId, jobId, place: '7' },
    );
    expect(data.editJob.__typename).toBe('PnetJobPostingEdited');
    expect((await jobs.workspace.job(jobId)).fields).toEqual({ ...everyFieldStored, location: '7' });
  });

  test.each(Object.keys(everyField))('refuses null for %s and says to leave it out', async (name) => {
    const jobId = await draft();
    const before = await jobs.workspace.job(jobId);
    expect(await edit({ jobId, [name]: null })).toMatchObject({
      ...anError('unprocessable_entity'),
      issues: [{ path: ['input', 'posting', name], message: 'must not be null: leave the field out instead' }],
    });
    expect(await jobs.workspace.job(jobId)).toEqual(before);
  });

  test('refuses null deep inside, at its path', async () => {
    const jobId = await draft();
    const input = {
      recruiter: { projectId: 'p', seniority: null },
      screeningQuestions: [{ numeric: { question: 'How many?', minExpectation: null } }],
      autoArchiveApplicants: { isOutsideOfCountry: null },
      jobTitle: { providerId: null, text: 'Engineer' },
    };
    const { issues } = await edit({ jobId, ...input });
    expect(issues.map(({ path }: { path: string[] }) => path.join('.')).sort()).toEqual([
      'input.posting.autoArchiveApplicants.isOutsideOfCountry',
      'input.posting.jobTitle.providerId',
      'input.posting.recruiter.seniority',
      'input.posting.screeningQuestions.0.numeric.minExpectation',
    ]);
  });

  test('replaces lists and objects as a whole', async () => {
    const jobId = await draft(undefined, { fields: everyFieldStored });
    await edit({
      jobId,
      screeningQuestions: [{ numeric: { question: 'Only this?' } }],
      recruiter: { projectId: 'project-2' },
      autoArchiveApplicants: {},
    });
    expect((await jobs.workspace.job(jobId)).fields).toMatchObject({
      screening_questions: [{ answer_type: 'numeric', question: 'Only this?' }],
      recruiter: { project_id: 'project-2' },
    });
    expect((await jobs.workspace.job(jobId)).fields.recruiter).toEqual({ project_id: 'project-2' });
    expect((await jobs.workspace.job(jobId)).fields.auto_archive_applicants).toEqual({});
    await edit({ jobId, screeningQuestions: [] });
    expect((await jobs.workspace.job(jobId)).fields.screening_questions).toEqual([]);
  });

  test.runIf(backend.serves.drafts).each(['description', 'autoRejectionTemplate', 'companyJobId'] as const)(
    'an empty text clears %s, in an edit and in a draft: it reads back as null',
    async (name) => {
      const { jobId } = await jobs.mutate('createJobDraft', { ...everyField, [name]: '' });
      const read = async () =>
        (await jobs.workspace.ask(`query ($id: ID!) { jobPosting(jobId: $id) { ${name} } }`, { id: jobId })).data;
      expect(await read()).toEqual({ jobPosting: { [name]: null } });
      await edit({ jobId, [name]: 'new' });
      expect(await read()).toEqual({ jobPosting: { [name]: 'new' } });
      await edit({ jobId, [name]: '' });
      expect(await read()).toEqual({ jobPosting: { [name]: null } });
    },
  );

  test('requires recruiter.projectId', async () => {
    expect(await refusal('editJob', { jobId: await draft(), recruiter: { skills: ['1'] } })).toMatch(/projectId/);
  });

  const list = (length: number, entry = 'x') => Array.from({ length }, () => entry);
  test.each([
    ['functions', 1, 3],
    ['industries', 1, 3],
    ['skills', 1, 10],
  ])('takes %s from %i to %i entries', async (name, min, max) => {
    const jobId = await draft();
    const withList = (entries: string[]) => edit({ jobId, recruiter: { projectId: 'p', [name]: entries } });
    expect(await withList(list(min))).toMatchObject({ __typename: 'PnetJobPostingEdited' });
    expect(await withList(list(max))).toMatchObject({ __typename: 'PnetJobPostingEdited' });
    expect(await withList(list(min - 1))).toMatchObject({
      ...anError('unprocessable_entity'),
      issues: [{ path: ['input', 'posting', 'recruiter', name], message: 'must have at least 1 entry' }],
    });
    expect(await withList(list(max + 1))).toMatchObject({
      ...anError('unprocessable_entity'),
      issues: [{ path: ['input', 'posting', 'recruiter', name], message: `must have at most ${max} entries` }],
    });
  });

  const bad: [string, Record<string, unknown>, string[], RegExp][] = [
    ['an empty project id', { recruiter: { projectId: '' } }, ['recruiter', 'projectId'], /must not be empty/],
    [
      'an empty skill',
      { recruiter: { projectId: 'p', skills: ['1', ''] } },
      ['recruiter', 'skills', '1'],
      /must not be empty/,
    ],
    [
      'a function in upper case',
      { recruiter: { projectId: 'p', functions: ['eng', 'IT'] } },
      ['recruiter', 'functions', '1'],
      /lower case/,
    ],
    ['a location that is no number', { location: 'Paris' }, ['location'], /numeric id/],
    ['a job title id that is no number', { jobTitle: { providerId: 'x1' } }, ['jobTitle', 'providerId'], /numeric id/],
    ['a job title that says nothing', { jobTitle: {} }, ['jobTitle'], /needs an id or a text/],
    ['a company with an empty text', { company: { text: '' } }, ['company', 'text'], /must not be empty/],
    ['a tracking pixel that is no URL', { trackingPixelUrl: 'pixel' }, ['trackingPixelUrl'], /absolute http/],
    [
      'a website that is no URL',
      { applyMethod: { external: { url: 'ftp://x.example' } } },
      ['applyMethod', 'external', 'url'],
      /absolute http/,
    ],
    ['a URL with a password', { trackingPixelUrl: 'https://a:b@x.example/' }, ['trackingPixelUrl'], /credentials/],
    [
      'an e-mail address that is none',
      { applyMethod: { pnet: { notificationEmail: 'me', isResumeRequired: true } } },
      ['applyMethod', 'pnet', 'notificationEmail'],
      /e-mail address/,
    ],
    [
      'a pay whose end is below its start',
      { salary: { currency: 'EUR', min: 2, max: 1, payFrequency: 'YEARLY' } },
      ['salary', 'max'],
      /must not be below min/,
    ],
    [
      'a negative pay',
      { additionalCompensation: { currency: 'EUR', min: -1, max: 1, payFrequency: 'YEARLY' } },
      ['additionalCompensation', 'min'],
      /must not be negative/,
    ],
    [
      'a negative end of a pay, which is below its start as well',
      { salary: { currency: 'EUR', min: 2, max: -1, payFrequency: 'YEARLY' } },
      ['salary', 'max'],
      /must not be negative/,
    ],
    [
      'an empty numeric question',
      { screeningQuestions: [{ numeric: { question: '' } }] },
      ['screeningQuestions', '0', 'numeric', 'question'],
      /must not be empty/,
    ],
    [
      'crossed expectations',
      { screeningQuestions: [{ numeric: { question: 'How many?', minExpectation: 3, maxExpectation: 2 } }] },
      ['screeningQuestions', '0', 'numeric', 'maxExpectation'],
      /must not be below/,
    ],
    [
      'no choices',
      {
        screeningQuestions: [
          { numeric: { question: 'x' } },
          { multipleChoices: { question: 'y', choices: [], expectedChoices: [] } },
        ],
      },
      ['screeningQuestions', '1', 'multipleChoices', 'choices'],
      /at least 1/,
    ],
    [
      'an expected choice that is none',
      { screeningQuestions: [{ multipleChoices: { question: 'y', choices: ['a'], expectedChoices: ['b'] } }] },
      ['screeningQuestions', '0', 'multipleChoices', 'expectedChoices'],
      /among choices/,
    ],
    ['a text that is too long', { description: 'x'.repeat(limits.text + 1) }, ['description'], /at most 20000/],
    [
      'a company job id that is too long',
      { companyJobId: 'x'.repeat(limits.name + 1) },
      ['companyJobId'],
      /at most 255/,
    ],
    [
      'a URL that is too long',
      { trackingPixelUrl: `https://x.example/${'x'.repeat(limits.url)}` },
      ['trackingPixelUrl'],
      /at most 2048/,
    ],
  ];
  test.each(bad)('refuses %s, at its path', async (_what, input, path, message) => {
    const jobId = await draft();
    const answer = await edit({ jobId, ...input });
    expect(answer).toMatchObject(anError('unprocessable_entity'));
    // A rule of our own is left to a service, which tells the same in its detail.
    if (backend.name === 'proxy' && answer.issues.length === 0) return expect(answer.message).toMatch(message);
    expect(answer.issues).toEqual([
      { path: ['input', 'posting', ...path], code: expect.any(String), message: expect.stringMatching(message) },
    ]);
    expect(answer.message).toContain(`input.posting.${path.join('.')}`);
  });

  test('takes texts of the greatest length', async () => {
    const input = { description: 'x'.repeat(limits.text), companyJobId: 'x'.repeat(limits.name) };
    expect(await edit({ jobId: await draft(), ...input })).toMatchObject({ __typename: 'PnetJobPostingEdited' });
  });

  test.each([
    ['workplace', workplaces],
    ['employmentStatus', employmentStatuses],
  ] as const)('takes every %s and no other', async (name, words) => {
    const jobId = await draft();
    for (const word of words) {
      expect(await edit({ jobId, [name]: word })).toMatchObject({ __typename: 'PnetJobPostingEdited' });
    }
    expect(await refusal('editJob', { jobId, [name]: 'ELSEWHERE' })).toMatch(/ELSEWHERE/);
  });

  test('takes every seniority and pay frequency', async () => {
    const jobId = await draft();
    for (const seniority of seniorities) {
      expect(await edit({ jobId, recruiter: { projectId: 'p', seniority } })).toMatchObject({
        __typename: 'PnetJobPostingEdited',
      });
    }
    for (const payFrequency of payFrequencies) {
      expect(await edit({ jobId, salary: { currency: 'EUR', min: 1, max: 1, payFrequency } })).toMatchObject({
        __typename: 'PnetJobPostingEdited',
      });
    }
  });

  const numeric = { question: 'x' };
  const choices = { question: 'x', choices: ['a'], expectedChoices: ['a'] };
  const pnet = { notificationEmail: 'a@b.example', isResumeRequired: true };
  const external = { url: 'https://x.example' };
  test.each([
    ['no way to apply', { applyMethod: {} }],
    ['two ways to apply', { applyMethod: { pnet, external } }],
    ['a way to apply that is null', { applyMethod: { pnet: null } }],
    ['a way to apply beside null', { applyMethod: { pnet, external: null } }],
    ['no kind of question', { screeningQuestions: [{}] }],
    ['two kinds of question', { screeningQuestions: [{ numeric, multipleChoices: choices }] }],
    ['a question that is null', { screeningQuestions: [null] }],
  ])('refuses %s in variables', async (_what, input) => {
    const jobId = await draft();
    const before = await jobs.workspace.job(jobId);
    await refusal('editJob', { jobId, ...input });
    expect(await jobs.workspace.job(jobId)).toEqual(before);
  });

  test.each([
    ['no way to apply', 'applyMethod: {}'],
    ['two ways to apply', 'applyMethod: { external: { url: "https://x.example" }, pnet: null }'],
    ['no kind of question', 'screeningQuestions: [{}]'],
    ['a question that is null', 'screeningQuestions: [{ numeric: null }]'],
  ])('refuses %s in the document', async (_what, literal) => {
    const jobId = await draft();
    const { data, errors } = await jobs.workspace.ask(
      `mutation { editJob(input: { accountId: "${jobs.accountId}", jobId: "${jobId}", posting: { ${literal} } }) { __typename } }`,
    );
    expect(data).toBeNull();
    expect(errors[0]?.message).toMatch(/exactly one|must be non-null/i);
  });

  test('takes one-of variants in the document', async () => {
    const jobId = await draft();
    const { data } = await jobs.workspace.ask(
      `mutation { editJob(input: { accountId: "${jobs.accountId}", jobId: "${jobId}", posting: {
        applyMethod: { external: { url: "https://x.example" } }
        screeningQuestions: [{ multipleChoices: { question: "x", choices: ["a"], expectedChoices: [] } }]
      } }) { __typename } }`,
    );
    expect(data.editJob.__typename).toBe('PnetJobPostingEdited');
    expect((await jobs.workspace.job(jobId)).fields).toMatchObject({
      apply_method: { type: 'external', url: 'https://x.example' },
      screening_questions: [{ answer_type: 'multiple_choices', question: 'x', choices: ['a'], expected_choices: [] }],
    });
  });

  test.each(jobStates)('depends on the state: %s', async (state) => {
    const jobId = await draft('publish', { state });
    const answer = await edit({ jobId, description: 'new' });
    if (state === 'closed') expect(answer).toMatchObject(anError('action_already_performed'));
    else expect(answer).toEqual({ __typename: 'PnetJobPostingEdited', jobId });
    expect((await jobs.workspace.job(jobId)).fields.description).toBe(state === 'closed' ? undefined : 'new');
  });

  test.each([
    ['edit-unprocessable', 'unprocessable_entity'],
    ['edit-not-allowed', 'action_already_performed'],
    ['edit-configuration', 'account_configuration_error'],
  ] as const)('changes nothing when the network refuses it: %s', async (scenario, name) => {
    const jobId = await draft(scenario, { state: 'active' });
    const before = await jobs.workspace.job(jobId);
    expect(await edit({ jobId, description: 'new' })).toMatchObject(anError(name));
    expect(await jobs.workspace.job(jobId)).toEqual(before);
  });

  test.each([
    ['edit-provider-error', 'provider_error'],
    ['edit-timeout', 'request_timeout'],
  ] as const)('reports a failure of the network as a top-level error: %s', async (scenario, name) => {
    const jobId = await draft(scenario);
    const { data, errors } = await jobs.workspace.ask(jobs.documents.editJob, {
      input: { accountId: jobs.accountId, jobId, posting: {} },
    });
    expect(data).toEqual({ editJob: null });
    expect(errors).toMatchObject([{ path: ['editJob'], extensions: { code: name.toUpperCase() } }]);
  });

  test('does not find a job or account that does not exist or belongs to others', async () => {
    const other = await jobs.workspace.account();
    const foreign = await jobs.served.workspace();
    const theirs = await foreign.draft({ accountId: await foreign.account() });
    expect(await edit({ jobId: '999999' })).toMatchObject(anError('resource_not_found'));
    expect(await edit({ jobId: theirs })).toMatchObject(anError('resource_not_found'));
    expect(await edit({ jobId: await draft(), accountId: other })).toMatchObject(anError('resource_not_found'));
    expect(await edit({ jobId: 'not-digits' })).toMatchObject(anError('invalid_resource_identifier'));
    expect(await edit({ jobId: await draft(), accountId: 'x' })).toMatchObject(anError('invalid_resource_identifier'));
    expect(await edit({ jobId: await draft(), accountId: await foreign.account() })).toMatchObject(
      anError('resource_not_found'),
    );
    expect(await edit({ jobId: '' })).toMatchObject(anError('invalid_resource_identifier'));
    expect(await edit({ jobId: await draft(), accountId: '' })).toMatchObject(anError('invalid_resource_identifier'));
  });
});
