/** Jobs over GraphQL: editing, publishing, checkpoints, and the drafts and reads that are additions to the contract. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorName, errorTable } from '../../src/errors.ts';
import { employmentStatuses, jobStates, payFrequencies, seniorities, workplaces } from '../../src/jobs/shapes.ts';
import type { Providers } from '../../src/providers/provider.ts';
import { checkpointInputs, type JobScenarioName, sandboxSessions } from '../../src/providers/sandbox/networks.ts';
import { limits } from '../../src/validation.ts';
import { backends, type SeededWorkspace, type Served } from '../support/backends.ts';

const failure = `... on ServiceError { type status title detail instance message }
  ... on InvalidRequestError { issues { path message } }`;
const published = `... on PnetJobPostingPublished { jobId jobState }
  ... on PnetJobPostingPublishCheckpoint { jobId checkpointType } ${failure}`;
const documents = {
  editJob: `mutation ($input: EditJobInput!) {
    editJob(input: $input) { __typename ... on PnetJobPostingEdited { jobId } ${failure} } }`,
  publishJob: `mutation ($input: PublishJobInput!) { publishJob(input: $input) { __typename ${published} } }`,
  solveJobCheckpoint: `mutation ($input: SolveJobCheckpointInput!) {
    solveJobCheckpoint(input: $input) { __typename ${published} } }`,
  createJobDraft: `mutation ($input: CreateJobDraftInput!) {
    createJobDraft(input: $input) { __typename ... on PnetJobPosting { jobId jobState } ${failure} } }`,
};

/** The type of a mutation's answer that an error of this name has. */
const typeOfError = (name: ErrorName) =>
  ({
    request: 'InvalidRequestError',
    not_found: 'NotFoundError',
    account: 'AccountError',
    checkpoint: 'CheckpointError',
    payment: 'PaymentError',
    performed: 'ActionAlreadyPerformedError',
    key: 'Query error',
    system: 'Query error',
  })[errorTable[name].family];

const anError = (name: ErrorName) => ({
  __typename: typeOfError(name),
  type: `errors/${name}`,
  status: errorTable[name].status,
  title: errorTable[name].title,
});

/** Everything that an edit can say, in the words of GraphQL and in those of the contract. */
const everyField = {
  jobTitle: { providerId: '12', text: 'Engineer' },
  company: { providerId: '900043' },
  workplace: 'HYBRID',
  location: '105646813',
  employmentStatus: 'FULL_TIME',
  description: '<p>Robots that <b>carry</b>.</p>',
  autoRejectionTemplate: 'Thank you for applying.',
  screeningQuestions: [
    {
      numeric: {
        question: 'Years of experience?',
        position: 1,
        mustMatch: true,
        minExpectation: 2,
        maxExpectation: 8.5,
      },
    },
    {
      multipleChoices: {
        question: 'Which?',
        choices: ['A', 'B'],
        expectedChoices: ['B'],
        position: 2,
        mustMatch: false,
      },
    },
  ],
  recruiter: {
    projectId: 'project-1',
    functions: ['eng', 'it', 'qa'],
    industries: ['4', '5', '6'],
    skills: Array.from({ length: 10 }, (_, index) => `skill-${index}`),
    seniority: 'MID_SENIOR_LEVEL',
    includePosterInfo: false,
  },
  trackingPixelUrl: 'https://pixel.example/p.gif?job=1',
  companyJobId: 'REQ-7',
  applyMethod: { pnet: { notificationEmail: 'jobs@northlight.example', resumeRequired: true } },
  salary: { currency: 'EUR', min: 50_000, max: 70_000.5, payFrequency: 'YEARLY' },
  additionalCompensation: { currency: 'EUR', min: 0, max: 10, payFrequency: 'HOURLY' },
  autoArchiveApplicants: { screeningQuestions: false, outsideOfCountry: true },
  sendRejectionNotification: false,
};

const everyFieldStored = {
  job_title: { id: '12', text: 'Engineer' },
  company: { id: '900043' },
  workplace: 'HYBRID',
  location: '105646813',
  employment_status: 'FULL_TIME',
  description: '<p>Robots that <b>carry</b>.</p>',
  auto_rejection_template: 'Thank you for applying.',
  screening_questions: [
    {
      answer_type: 'numeric',
      question: 'Years of experience?',
      position: 1,
      must_match: true,
      min_expectation: 2,
      max_expectation: 8.5,
    },
    {
      answer_type: 'multiple_choices',
      question: 'Which?',
      choices: ['A', 'B'],
      expected_choices: ['B'],
      position: 2,
      must_match: false,
    },
  ],
  recruiter: {
    project_id: 'project-1',
    functions: ['eng', 'it', 'qa'],
    industries: ['4', '5', '6'],
    skills: Array.from({ length: 10 }, (_, index) => `skill-${index}`),
    seniority: 'MID_SENIOR_LEVEL',
    include_poster_info: false,
  },
  tracking_pixel_url: 'https://pixel.example/p.gif?job=1',
  company_job_id: 'REQ-7',
  apply_method: { type: 'pnet', notification_email: 'jobs@northlight.example', resume_required: true },
  salary: { currency: 'EUR', min: 50_000, max: 70_000.5, pay_frequency: 'YEARLY' },
  additional_compensation: { currency: 'EUR', min: 0, max: 10, pay_frequency: 'HOURLY' },
  auto_archive_applicants: { screening_questions: false, outside_of_country: true },
  send_rejection_notification: false,
};

/** Every field of a posting as it is read back. */
const wholePosting = `
  jobId accountId jobState checkpoint { checkpointType attemptsLeft expiresAt }
  jobTitle { providerId text } company { providerId text } workplace location employmentStatus description
  autoRejectionTemplate
  screeningQuestions {
    __typename question position mustMatch
    ... on NumericScreeningQuestion { minExpectation maxExpectation }
    ... on MultipleChoicesScreeningQuestion { choices expectedChoices }
  }
  recruiter { projectId functions industries skills seniority includePosterInfo }
  trackingPixelUrl companyJobId
  applyMethod {
    __typename ... on PnetApplyMethod { notificationEmail resumeRequired } ... on ExternalApplyMethod { url }
  }
  salary { currency min max payFrequency } additionalCompensation { currency min max payFrequency }
  autoArchiveApplicants { screeningQuestions outsideOfCountry }
  sendRejectionNotification createdAt updatedAt`;

describe.each(backends)('jobs, $name backend', ({ start, serves }) => {
  let served: Served;
  let workspace: SeededWorkspace;
  let accountId: string;
  /** How often the network has been asked to publish a draft, by its id. */
  const publications = new Map<string, number>();
  /** What publishing waits for before it reaches the network. */
  let gate: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    served = await start({
      providers: (sandbox): Providers => ({
        ...sandbox,
        PNET: {
          ...sandbox.PNET,
          async publish(session, draft, ...rest) {
            publications.set(draft.jobId, (publications.get(draft.jobId) ?? 0) + 1);
            // Only the first waits: a second that got this far must not wait for it for ever.
            if (publications.get(draft.jobId) === 1) await gate;
            return sandbox.PNET.publish(session, draft, ...rest);
          },
        },
      }),
    });
    workspace = await served.workspace();
    accountId = await workspace.account();
  });
  afterAll(() => served.close());

  async function mutate(name: keyof typeof documents, input: Record<string, unknown>) {
    const { data, errors } = await workspace.ask(documents[name], { input: { accountId, ...input } });
    expect(errors).toEqual([]);
    return data[name];
  }
  const edit = (input: Record<string, unknown>) => mutate('editJob', input);
  const publish = (draftId: string, input: Record<string, unknown> = {}) =>
    mutate('publishJob', { draftId, mode: 'FREE', ...input });
  const solve = (draftId: string, input: string) => mutate('solveJobCheckpoint', { draftId, input });
  const draft = (scenario?: JobScenarioName, more = {}) => workspace.draft({ accountId, scenario, ...more });
  /** The errors of a request that GraphQL itself refuses. */
  const refusal = async (name: keyof typeof documents, input: Record<string, unknown>) => {
    const { data, errors } = await workspace.ask(documents[name], { input: { accountId, ...input } });
    expect(data).toBeNull();
    expect(errors).not.toEqual([]);
    return errors.map(({ message }) => message).join('\n');
  };

  describe('editJob', () => {
    test('sets every field', async () => {
      const jobId = await draft();
      expect(await edit({ jobId, ...everyField })).toEqual({ __typename: 'PnetJobPostingEdited', jobId });
      expect((await workspace.job(jobId)).fields).toEqual(everyFieldStored);
    });

    test.each(Object.keys(everyField) as (keyof typeof everyField)[])('changes %s alone', async (name) => {
      const jobId = await draft('publish');
      const before = (await workspace.job(jobId)).fields;
      await edit({ jobId, [name]: everyField[name] });
      const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as keyof typeof everyFieldStored;
      expect((await workspace.job(jobId)).fields).toEqual({ ...before, [key]: everyFieldStored[key] });
    });

    test('changes nothing when no field is present', async () => {
      const jobId = await draft(undefined, { fields: everyFieldStored });
      expect(await edit({ jobId })).toEqual({ __typename: 'PnetJobPostingEdited', jobId });
      expect((await workspace.job(jobId)).fields).toEqual(everyFieldStored);
    });

    test('takes variables that were not given as fields that are not present', async () => {
      const jobId = await draft(undefined, { fields: everyFieldStored });
      const { data } = await workspace.ask(
        `mutation ($accountId: ID!, $jobId: ID!, $text: String, $place: ID) {
          editJob(input: { accountId: $accountId, jobId: $jobId, description: $text, location: $place }) { __typename }
        }`,
        { accountId, jobId, place: '7' },
      );
      expect(data.editJob.__typename).toBe('PnetJobPostingEdited');
      expect((await workspace.job(jobId)).fields).toEqual({ ...everyFieldStored, location: '7' });
    });

    test.each(Object.keys(everyField))('refuses null for %s and says to leave it out', async (name) => {
      const jobId = await draft();
      const before = await workspace.job(jobId);
      expect(await edit({ jobId, [name]: null })).toMatchObject({
        ...anError('unprocessable_entity'),
        issues: [{ path: ['input', name], message: 'must not be null: leave the field out instead' }],
      });
      expect(await workspace.job(jobId)).toEqual(before);
    });

    test('refuses null deep inside, at its path', async () => {
      const jobId = await draft();
      const input = {
        recruiter: { projectId: 'p', seniority: null },
        screeningQuestions: [{ numeric: { question: 'How many?', minExpectation: null } }],
        autoArchiveApplicants: { outsideOfCountry: null },
        jobTitle: { providerId: null, text: 'Engineer' },
      };
      const { issues } = await edit({ jobId, ...input });
      expect(issues.map(({ path }: { path: string[] }) => path.join('.')).sort()).toEqual([
        'input.autoArchiveApplicants.outsideOfCountry',
        'input.jobTitle.providerId',
        'input.recruiter.seniority',
        'input.screeningQuestions.0.numeric.minExpectation',
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
      expect((await workspace.job(jobId)).fields).toMatchObject({
        screening_questions: [{ answer_type: 'numeric', question: 'Only this?' }],
        recruiter: { project_id: 'project-2' },
      });
      expect((await workspace.job(jobId)).fields.recruiter).toEqual({ project_id: 'project-2' });
      expect((await workspace.job(jobId)).fields.auto_archive_applicants).toEqual({});
      await edit({ jobId, screeningQuestions: [] });
      expect((await workspace.job(jobId)).fields.screening_questions).toEqual([]);
    });

    test('requires recruiter.projectId', async () => {
      expect(await refusal('editJob', { jobId: await draft(), recruiter: { skills: ['1'] } })).toMatch(/projectId/);
      expect(await edit({ jobId: await draft(), recruiter: { projectId: '' } })).toMatchObject({
        ...anError('unprocessable_entity'),
        issues: [{ path: ['input', 'recruiter', 'projectId'], message: 'must not be empty' }],
      });
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
        issues: [{ path: ['input', 'recruiter', name], message: 'must have at least 1 entry' }],
      });
      expect(await withList(list(max + 1))).toMatchObject({
        ...anError('unprocessable_entity'),
        issues: [{ path: ['input', 'recruiter', name], message: `must have at most ${max} entries` }],
      });
    });

    const bad: [string, Record<string, unknown>, string[], RegExp][] = [
      [
        'a function in upper case',
        { recruiter: { projectId: 'p', functions: ['eng', 'IT'] } },
        ['recruiter', 'functions', '1'],
        /lower case/,
      ],
      ['a location that is no number', { location: 'Paris' }, ['location'], /numeric id/],
      [
        'a job title id that is no number',
        { jobTitle: { providerId: 'x1' } },
        ['jobTitle', 'providerId'],
        /numeric id/,
      ],
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
        { applyMethod: { pnet: { notificationEmail: 'me', resumeRequired: true } } },
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
      expect(answer.issues).toEqual([{ path: ['input', ...path], message: expect.stringMatching(message) }]);
      expect(answer.detail).toContain(`input.${path.join('.')}`);
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
    const pnet = { notificationEmail: 'a@b.example', resumeRequired: true };
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
      const before = await workspace.job(jobId);
      await refusal('editJob', { jobId, ...input });
      expect(await workspace.job(jobId)).toEqual(before);
    });

    test.each([
      ['no way to apply', 'applyMethod: {}'],
      ['two ways to apply', 'applyMethod: { external: { url: "https://x.example" }, pnet: null }'],
      ['no kind of question', 'screeningQuestions: [{}]'],
      ['a question that is null', 'screeningQuestions: [{ numeric: null }]'],
    ])('refuses %s in the document', async (_what, literal) => {
      const jobId = await draft();
      const { data, errors } = await workspace.ask(
        `mutation { editJob(input: { accountId: "${accountId}", jobId: "${jobId}", ${literal} }) { __typename } }`,
      );
      expect(data).toBeNull();
      expect(errors[0]?.message).toMatch(/exactly one|must be non-null/i);
    });

    test('takes one-of variants in the document', async () => {
      const jobId = await draft();
      const { data } = await workspace.ask(
        `mutation { editJob(input: { accountId: "${accountId}", jobId: "${jobId}"
          applyMethod: { external: { url: "https://x.example" } }
          screeningQuestions: [{ multipleChoices: { question: "x", choices: ["a"], expectedChoices: [] } }]
        }) { __typename } }`,
      );
      expect(data.editJob.__typename).toBe('PnetJobPostingEdited');
      expect((await workspace.job(jobId)).fields).toMatchObject({
        apply_method: { type: 'external', url: 'https://x.example' },
        screening_questions: [{ answer_type: 'multiple_choices', question: 'x', choices: ['a'], expected_choices: [] }],
      });
    });

    test.each(jobStates)('of a job that is %s', async (state) => {
      const jobId = await draft('publish', { state });
      const answer = await edit({ jobId, description: 'new' });
      if (state === 'closed') expect(answer).toMatchObject(anError('action_already_performed'));
      else expect(answer).toEqual({ __typename: 'PnetJobPostingEdited', jobId });
      expect((await workspace.job(jobId)).fields.description).toBe(state === 'closed' ? undefined : 'new');
    });

    test.each([
      ['edit-unprocessable', 'unprocessable_entity'],
      ['edit-not-allowed', 'action_already_performed'],
      ['edit-configuration', 'account_configuration_error'],
    ] as const)('that the network refuses as %s changes nothing', async (scenario, name) => {
      const jobId = await draft(scenario, { state: 'active' });
      const before = await workspace.job(jobId);
      expect(await edit({ jobId, description: 'new' })).toMatchObject(anError(name));
      expect(await workspace.job(jobId)).toEqual(before);
    });

    test.each([
      ['edit-provider-error', 'provider_error'],
      ['edit-timeout', 'request_timeout'],
    ] as const)('in which the network fails as %s is a top-level error', async (scenario, name) => {
      const jobId = await draft(scenario);
      const { data, errors } = await workspace.ask(documents.editJob, { input: { accountId, jobId } });
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ path: ['editJob'], extensions: { type: `errors/${name}` } }]);
    });

    test('of what is not there or not ours', async () => {
      const other = await workspace.account();
      const foreign = await served.workspace();
      const theirs = await foreign.draft({ accountId: await foreign.account() });
      expect(await edit({ jobId: '999999' })).toMatchObject(anError('resource_not_found'));
      expect(await edit({ jobId: theirs })).toMatchObject(anError('resource_not_found'));
      expect(await edit({ jobId: await draft(), accountId: other })).toMatchObject(anError('resource_not_found'));
      expect(await edit({ jobId: 'not-digits' })).toMatchObject(anError('invalid_resource_identifier'));
      expect(await edit({ jobId: await draft(), accountId: 'x' })).toMatchObject(
        anError('invalid_resource_identifier'),
      );
      expect(await edit({ jobId: await draft(), accountId: await foreign.account() })).toMatchObject(
        anError('resource_not_found'),
      );
      expect(await edit({ jobId: '' })).toMatchObject({
        ...anError('unprocessable_entity'),
        issues: [{ path: ['input', 'jobId'], message: 'must not be empty' }],
      });
    });
  });

  describe('publishJob', () => {
    test('publishes a draft at once', async () => {
      const draftId = await draft();
      expect(await publish(draftId)).toEqual({
        __typename: 'PnetJobPostingPublished',
        jobId: draftId,
        jobState: 'ACTIVE',
      });
      expect(await workspace.job(draftId)).toMatchObject({ state: 'active', checkpoint: null });
    });

    test.each([
      ['review', 'REVIEW'],
      ['paused', 'PAUSED'],
      ['closed', 'CLOSED'],
      ['draft', 'DRAFT'],
    ] as const)('answers the state %s', async (scenario, jobState) => {
      const draftId = await draft(scenario);
      expect(await publish(draftId)).toMatchObject({ __typename: 'PnetJobPostingPublished', jobState });
      expect((await workspace.job(draftId)).state).toBe(scenario);
    });

    test.each([
      { mode: 'FREE' },
      { mode: 'FREE', service: 'CLASSIC' },
      { mode: 'FREE', service: 'RECRUITER', hiringPhotoFrame: true, bypassEmailVerification: true },
      { mode: 'PROMOTED', service: 'RECRUITER' },
      { mode: 'PROMOTED', budget: { daily: { currency: 'EUR', amount: 12.5 } } },
      { mode: 'PROMOTED_PLUS' },
      { mode: 'PROMOTED_PLUS', service: 'CLASSIC', budget: { monthly: { currency: 'EUR', amount: 300 } } },
      { mode: 'PROMOTED_PLUS', service: null, budget: null, hiringPhotoFrame: null, bypassEmailVerification: null },
    ])('takes %j', async (input) => {
      expect(await publish(await draft(), input)).toMatchObject({ __typename: 'PnetJobPostingPublished' });
    });

    test.each([
      [{ mode: 'PROMOTED_PLUS', service: 'RECRUITER' }, ['service'], /CLASSIC/],
      [{ mode: 'FREE', budget: { daily: { currency: 'EUR', amount: 1 } } }, ['budget'], /not a field/],
      [
        { mode: 'PROMOTED', budget: { daily: { currency: 'EUR', amount: 0 } } },
        ['budget', 'daily', 'amount'],
        /above 0/,
      ],
      [
        { mode: 'PROMOTED', budget: { monthly: { currency: '', amount: 1 } } },
        ['budget', 'monthly', 'currency'],
        /empty/,
      ],
    ])('refuses %j', async (input, path, message) => {
      const draftId = await draft();
      expect(await publish(draftId, input)).toMatchObject({
        ...anError('invalid_parameters'),
        issues: [{ path: ['input', ...path], message: expect.stringMatching(message) }],
      });
      expect((await workspace.job(draftId)).state).toBe('draft');
    });

    test('takes a budget for exactly one period', async () => {
      const amount = { currency: 'EUR', amount: 1 };
      for (const budget of [
        {},
        { daily: amount, monthly: amount },
        { daily: null },
        { daily: amount, monthly: null },
      ]) {
        const draftId = await draft();
        await refusal('publishJob', { draftId, mode: 'PROMOTED', budget });
        expect((await workspace.job(draftId)).state).toBe('draft');
      }
    });

    test('requires a mode', async () => {
      expect(await refusal('publishJob', { draftId: await draft() })).toMatch(/mode/);
      expect(await refusal('publishJob', { draftId: await draft(), mode: 'CHEAP' })).toMatch(/CHEAP/);
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
    ] as const)('of %s as %s is %s, and can be tried again', async (scenario, mode, name) => {
      const draftId = await draft(scenario);
      expect(await publish(draftId, { mode })).toMatchObject(anError(name));
      expect((await workspace.job(draftId)).state).toBe('draft');
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
      'in which the network fails as %s is a top-level error, and can be tried again',
      async (scenario, name) => {
        const draftId = await draft(scenario);
        for (const _attempt of [1, 2]) {
          const { errors } = await workspace.ask(documents.publishJob, { input: { accountId, draftId, mode: 'FREE' } });
          expect(errors).toMatchObject([{ path: ['publishJob'], extensions: { type: `errors/${name}` } }]);
        }
        expect((await workspace.job(draftId)).state).toBe('draft');
      },
    );

    test.each(['active', 'review', 'closed', 'paused'] as const)('of a job that is %s', async (state) => {
      const draftId = await draft('publish', { state });
      expect(await publish(draftId)).toMatchObject(anError('action_already_performed'));
      expect(await solve(draftId, '123456')).toMatchObject(anError('action_already_performed'));
      expect((await workspace.job(draftId)).state).toBe(state);
      expect(publications.get(draftId)).toBeUndefined();
    });

    test('of what is not there or not ours', async () => {
      const foreign = await served.workspace();
      const theirs = await foreign.draft({ accountId: await foreign.account() });
      for (const draftId of ['999999', theirs]) {
        expect(await publish(draftId)).toMatchObject(anError('resource_not_found'));
        expect(await solve(draftId, '123456')).toMatchObject(anError('resource_not_found'));
      }
      expect(await publish('x')).toMatchObject(anError('invalid_resource_identifier'));
      expect(await solve('x', '123456')).toMatchObject(anError('invalid_resource_identifier'));
      expect((await foreign.job(theirs)).state).toBe('draft');
    });

    test('twice at the same moment publishes once', async () => {
      const draftId = await draft();
      const open = Promise.withResolvers<void>();
      gate = open.promise;
      const first = publish(draftId);
      try {
        await expect.poll(() => publications.get(draftId)).toBe(1);
        // The first is at the network now: the second must not get there.
        expect(await publish(draftId)).toMatchObject(anError('action_already_performed'));
      } finally {
        open.resolve();
        gate = Promise.resolve();
      }
      expect(await first).toMatchObject({ __typename: 'PnetJobPostingPublished' });
      expect(publications.get(draftId)).toBe(1);
    });

    test('by many at once publishes once', async () => {
      const draftId = await draft();
      const open = Promise.withResolvers<void>();
      gate = open.promise;
      let answered = 0;
      const one = async () => {
        const answer = await publish(draftId);
        answered += 1;
        // The one that reached the network first is held there until all others have their answer.
        if (answered === 19) open.resolve();
        return answer;
      };
      const answers = await Promise.all(Array.from({ length: 20 }, one));
      gate = Promise.resolve();
      expect(publications.get(draftId)).toBe(1);
      const successes = answers.filter(({ __typename }) => __typename === 'PnetJobPostingPublished');
      expect(successes).toHaveLength(1);
      for (const answer of answers.filter((one) => one !== successes[0])) {
        expect(answer).toMatchObject(anError('action_already_performed'));
      }
    });

    test('by twins in one request publishes once', async () => {
      const draftId = await draft();
      const input = `{ accountId: "${accountId}", draftId: "${draftId}", mode: FREE }`;
      const { data } = await workspace.ask(
        `mutation { a: publishJob(input: ${input}) { __typename } b: publishJob(input: ${input}) { __typename } }`,
      );
      expect(data).toEqual({
        a: { __typename: 'PnetJobPostingPublished' },
        b: { __typename: 'ActionAlreadyPerformedError' },
      });
    });

    test('fails as the network says of the session of the account, and stays a draft', async () => {
      for (const session of Object.keys(sandboxSessions) as (keyof typeof sandboxSessions)[]) {
        if (session === 'ok') continue;
        const broken = await workspace.account({ session });
        const draftId = await workspace.draft({ accountId: broken });
        const { data, errors } = await workspace.ask(documents.publishJob, {
          input: { accountId: broken, draftId, mode: 'FREE' },
        });
        if (['key', 'system'].includes(errorTable[session].family)) {
          expect(errors).toMatchObject([
            { extensions: { type: `errors/${session}`, status: errorTable[session].status } },
          ]);
        } else expect(data.publishJob).toMatchObject(anError(session));
        expect((await workspace.job(draftId)).state).toBe('draft');
      }
    });
  });

  describe('solveJobCheckpoint', () => {
    const otp = '123456';
    const token = 'sandbox-email-token';
    const isPublished = { __typename: 'PnetJobPostingPublished' };
    const asks = (checkpointType: string) => ({ __typename: 'PnetJobPostingPublishCheckpoint', checkpointType });

    test.each([
      ['otp', ['OTP'], 'ACTIVE'],
      ['otp-review', ['OTP'], 'REVIEW'],
      ['email', ['EMAIL_VERIFICATION'], 'ACTIVE'],
      ['email-then-otp', ['EMAIL_VERIFICATION', 'OTP'], 'ACTIVE'],
      ['otp-then-email', ['OTP', 'EMAIL_VERIFICATION'], 'ACTIVE'],
      ['otp-twice', ['OTP', 'OTP'], 'ACTIVE'],
    ] as const)('%s: walks through %j', async (scenario, steps, jobState) => {
      const draftId = await draft(scenario);
      let answer = await publish(draftId);
      for (const step of steps) {
        expect(answer).toEqual({ ...asks(step), jobId: draftId });
        expect((await workspace.job(draftId)).state).toBe('draft');
        answer = await solve(draftId, step === 'OTP' ? otp : token);
      }
      expect(answer).toEqual({ ...isPublished, jobId: draftId, jobState });
      expect(await workspace.job(draftId)).toMatchObject({ state: jobState.toLowerCase(), checkpoint: null });
      expect(await solve(draftId, otp)).toMatchObject(anError('action_already_performed'));
      expect(await publish(draftId)).toMatchObject(anError('action_already_performed'));
    });

    test('bypassEmailVerification skips the step', async () => {
      expect(await publish(await draft('email'), { bypassEmailVerification: true })).toMatchObject(isPublished);
      expect(await publish(await draft('email-then-otp'), { bypassEmailVerification: true })).toMatchObject(
        asks('OTP'),
      );
      expect(await publish(await draft('email'), { bypassEmailVerification: false })).toMatchObject(
        asks('EMAIL_VERIFICATION'),
      );
    });

    test('needs an open checkpoint', async () => {
      expect(await solve(await draft('otp'), otp)).toMatchObject(anError('checkpoint_error'));
    });

    test('closes after five wrong inputs, and publishing again opens it', async () => {
      const draftId = await draft('otp');
      await publish(draftId);
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        expect(await solve(draftId, '999999')).toMatchObject(anError('invalid_checkpoint_solution'));
      }
      expect(await solve(draftId, otp)).toMatchObject({
        ...anError('checkpoint_error'),
        detail: expect.stringContaining('5 wrong inputs'),
      });
      expect(await publish(draftId)).toMatchObject(asks('OTP'));
      expect(await solve(draftId, otp)).toMatchObject(isPublished);
    });

    test('counts wrong inputs that come at once', async () => {
      const draftId = await draft('otp');
      await publish(draftId);
      for (let round = 0; round < 5; round += 1)
        await Promise.all(Array.from({ length: 4 }, () => solve(draftId, '999999')));
      expect(await solve(draftId, otp)).toMatchObject(anError('checkpoint_error'));
    });

    test('is passed by the fifth input, when four were wrong', async () => {
      const draftId = await draft('otp');
      await publish(draftId);
      for (let attempt = 1; attempt <= 4; attempt += 1) await solve(draftId, '999999');
      expect(await solve(draftId, otp)).toMatchObject(isPublished);
    });

    test('an input of the wrong form costs no attempt', async () => {
      const draftId = await draft('otp');
      await publish(draftId);
      for (let attempt = 1; attempt <= 6; attempt += 1) {
        expect(await solve(draftId, 'letters')).toMatchObject({
          ...anError('invalid_parameters'),
          message: expect.stringMatching(/4 to 8 digits/),
          issues: serves.issues ? [{ path: ['input', 'input'], message: expect.stringMatching(/4 to 8 digits/) }] : [],
        });
      }
      expect(await solve(draftId, '')).toMatchObject(anError('invalid_parameters'));
      expect(await solve(draftId, 'x'.repeat(limits.name + 1))).toMatchObject(anError('too_many_characters'));
      expect(await solve(draftId, otp)).toMatchObject(isPublished);
    });

    test('each step has five attempts of its own', async () => {
      const draftId = await draft('email-then-otp');
      await publish(draftId);
      for (let attempt = 1; attempt <= 4; attempt += 1) await solve(draftId, 'wrong');
      expect(await solve(draftId, token)).toMatchObject(asks('OTP'));
      for (let attempt = 1; attempt <= 4; attempt += 1) await solve(draftId, '999999');
      expect(await solve(draftId, otp)).toMatchObject(isPublished);
    });

    test('expires after 15 minutes, and publishing again opens it', async () => {
      const draftId = await draft('email');
      await publish(draftId);
      const opened = served.clock.now;
      try {
        served.clock.now = new Date(opened.getTime() + 15 * 60_000);
        expect(await solve(draftId, token)).toMatchObject(anError('expired_link'));
        expect(await publish(draftId)).toMatchObject(asks('EMAIL_VERIFICATION'));
        served.clock.now = new Date(opened.getTime() + 30 * 60_000 - 1);
        expect(await solve(draftId, token)).toMatchObject(isPublished);
      } finally {
        served.clock.now = opened;
      }
    });

    test('the expiry is that of the open step', async () => {
      const draftId = await draft('email-then-otp');
      const opened = served.clock.now;
      try {
        await publish(draftId);
        served.clock.now = new Date(opened.getTime() + 14 * 60_000);
        expect(await solve(draftId, token)).toMatchObject(asks('OTP'));
        served.clock.now = new Date(opened.getTime() + 28 * 60_000);
        expect(await solve(draftId, otp)).toMatchObject(isPublished);
      } finally {
        served.clock.now = opened;
      }
    });

    test('publishing again starts over', async () => {
      const draftId = await draft('email-then-otp');
      await publish(draftId);
      await solve(draftId, token);
      expect(await publish(draftId)).toMatchObject(asks('EMAIL_VERIFICATION'));
      expect(await solve(draftId, otp)).toMatchObject(anError('invalid_checkpoint_solution'));
      expect(await solve(draftId, token)).toMatchObject(asks('OTP'));
    });

    const outcomes = Object.entries(checkpointInputs).flatMap(([type, inputs]) =>
      Object.entries(inputs as Record<string, ErrorName | 'accepted'>)
        .filter(([, outcome]) => outcome !== 'accepted')
        .map(([input, outcome]) => [type, input, outcome as ErrorName] as const),
    );
    test.each(outcomes)('%s: the input %s is %s', async (type, input, name) => {
      const draftId = await draft(type === 'OTP' ? 'otp' : 'email');
      await publish(draftId);
      const { data, errors } = await workspace.ask(documents.solveJobCheckpoint, {
        input: { accountId, draftId, input },
      });
      if (errorTable[name].family === 'system')
        expect(errors).toMatchObject([{ extensions: { type: `errors/${name}` } }]);
      else expect(data.solveJobCheckpoint).toMatchObject(anError(name));
      // What the network cannot go on with is closed; anything else can be tried again.
      const closes = name === 'checkpoint_error' || name === 'expired_link';
      const again = await solve(draftId, type === 'OTP' ? otp : token);
      expect(again).toMatchObject(closes ? anError('checkpoint_error') : isPublished);
    });

    test('a checkpoint that cannot be resolved', async () => {
      const draftId = await draft('checkpoint-unsolvable');
      expect(await publish(draftId)).toMatchObject(asks('OTP'));
      expect(await solve(draftId, otp)).toMatchObject(anError('checkpoint_error'));
    });

    test('inputs are not logged', async () => {
      const draftId = await draft('otp');
      await publish(draftId);
      await solve(draftId, '87654321');
      expect(JSON.stringify(served.log)).not.toContain('87654321');
    });
  });

  describe.runIf(serves.drafts)('drafts and reads', () => {
    test('createJobDraft keeps every field, and it is read back', async () => {
      const created = await mutate('createJobDraft', everyField);
      expect(created).toMatchObject({ __typename: 'PnetJobPosting', jobState: 'DRAFT' });
      expect((await workspace.job(created.jobId)).fields).toEqual(everyFieldStored);
      const { data, errors } = await workspace.ask(`query ($id: ID!) { jobPosting(jobId: $id) { ${wholePosting} } }`, {
        id: created.jobId,
      });
      expect(errors).toEqual([]);
      const at = served.clock.now.toISOString();
      expect(data.jobPosting).toEqual({
        ...everyField,
        jobId: created.jobId,
        accountId,
        jobState: 'DRAFT',
        checkpoint: null,
        company: { providerId: '900043', text: null },
        screeningQuestions: [
          { __typename: 'NumericScreeningQuestion', ...everyField.screeningQuestions[0]?.numeric },
          { __typename: 'MultipleChoicesScreeningQuestion', ...everyField.screeningQuestions[1]?.multipleChoices },
        ],
        applyMethod: { __typename: 'PnetApplyMethod', ...everyField.applyMethod.pnet },
        createdAt: at,
        updatedAt: at,
      });
    });

    test('a draft needs only a title; the rest has the defaults of the contract', async () => {
      const { jobId } = await mutate('createJobDraft', { jobTitle: { text: 'Engineer' }, description: null });
      const { data } = await workspace.ask(`query ($id: ID!) { jobPosting(jobId: $id) { ${wholePosting} } }`, {
        id: jobId,
      });
      expect(data.jobPosting).toMatchObject({
        jobTitle: { providerId: null, text: 'Engineer' },
        description: null,
        screeningQuestions: [],
        recruiter: null,
        applyMethod: null,
        autoArchiveApplicants: { screeningQuestions: true, outsideOfCountry: true },
        sendRejectionNotification: true,
      });
      await edit({ jobId, recruiter: { projectId: 'p' } });
      const { data: later } = await workspace.ask(
        `query ($id: ID!) { jobPosting(jobId: $id) { recruiter { projectId includePosterInfo functions } } }`,
        { id: jobId },
      );
      expect(later.jobPosting.recruiter).toEqual({ projectId: 'p', includePosterInfo: true, functions: null });
      expect(await refusal('createJobDraft', {})).toMatch(/jobTitle/);
      expect(await mutate('createJobDraft', { jobTitle: {} })).toMatchObject({
        ...anError('invalid_parameters'),
        issues: [{ path: ['input', 'jobTitle'], message: 'needs an id or a text' }],
      });
    });

    test('results lead on to the posting as it is then', async () => {
      const draftId = await draft('otp');
      const { data } = await workspace.ask(
        `mutation ($draftId: ID!, $accountId: ID!) {
          opened: publishJob(input: { accountId: $accountId, draftId: $draftId, mode: FREE }) {
            ... on PnetJobPostingPublishCheckpoint {
              jobPosting { jobState checkpoint { checkpointType attemptsLeft expiresAt } }
            }
          }
          wrong: solveJobCheckpoint(input: { accountId: $accountId, draftId: $draftId, input: "999999" }) { __typename }
          edited: editJob(input: { accountId: $accountId, jobId: $draftId, location: "5" }) {
            ... on PnetJobPostingEdited { jobPosting { location checkpoint { attemptsLeft } } }
          }
          done: solveJobCheckpoint(input: { accountId: $accountId, draftId: $draftId, input: "123456" }) {
            ... on PnetJobPostingPublished { jobPosting { jobState location checkpoint { attemptsLeft } } }
          }
        }`,
        { draftId, accountId },
      );
      expect(data).toEqual({
        opened: {
          jobPosting: {
            jobState: 'DRAFT',
            checkpoint: {
              checkpointType: 'OTP',
              attemptsLeft: 5,
              expiresAt: new Date(served.clock.now.getTime() + 15 * 60_000).toISOString(),
            },
          },
        },
        wrong: { __typename: 'CheckpointError' },
        edited: { jobPosting: { location: '5', checkpoint: { attemptsLeft: 4 } } },
        done: { jobPosting: { jobState: 'ACTIVE', location: '5', checkpoint: null } },
      });
    });

    test('jobPosting is null for what is not there or not ours', async () => {
      const foreign = await served.workspace();
      const theirs = await foreign.draft({ accountId: await foreign.account() });
      for (const id of ['999999', theirs, 'x', '']) {
        const { data, errors } = await workspace.ask('query ($id: ID!) { jobPosting(jobId: $id) { jobId } }', { id });
        expect({ data, errors }).toEqual({ data: { jobPosting: null }, errors: [] });
      }
    });

    test('jobPostings pages newest first, by account and by state, and nothing is lost or twice', async () => {
      const mine = await served.workspace();
      const [one, two] = [await mine.account(), await mine.account()];
      const made: { jobId: string; accountId: string; state: string }[] = [];
      const started = served.clock.now;
      for (let index = 0; index < 23; index += 1) {
        // Every second has the time of the one before it: the id must decide.
        served.clock.now = new Date(started.getTime() + Math.floor(index / 2) * 1000);
        const account = index % 3 === 0 ? two : one;
        const state = jobStates[index % jobStates.length] ?? 'draft';
        made.push({ jobId: await mine.draft({ accountId: account, state }), accountId: account, state });
      }
      served.clock.now = started;
      const pages = async (args: string, first: number) => {
        const seen: { jobId: string; accountId: string; jobState: string }[] = [];
        let after: string | null = null;
        for (;;) {
          const { data } = await mine.ask(
            `query ($first: Int!, $after: String) { jobPostings(${args} first: $first, after: $after) {
              edges { cursor node { jobId accountId jobState } } nodes { jobId } pageInfo { hasNextPage endCursor } } }`,
            { first, after },
          );
          const { edges, nodes, pageInfo } = data.jobPostings;
          expect(nodes.map((node: { jobId: string }) => node.jobId)).toEqual(
            edges.map((edge: { node: { jobId: string } }) => edge.node.jobId),
          );
          seen.push(...edges.map((edge: { node: (typeof seen)[number] }) => edge.node));
          if (!pageInfo.hasNextPage) return seen;
          after = pageInfo.endCursor;
        }
      };
      const whole = await pages('', 250);
      expect(whole.map(({ jobId }) => jobId).sort()).toEqual(made.map(({ jobId }) => jobId).sort());
      for (const first of [1, 2, 5, 22, 23, 24]) expect(await pages('', first)).toEqual(whole);
      for (const state of jobStates) {
        expect(await pages(`state: ${state.toUpperCase()},`, 2)).toEqual(
          whole.filter(({ jobState }) => jobState === state.toUpperCase()),
        );
      }
      for (const account of [one, two]) {
        expect(await pages(`accountId: "${account}",`, 4)).toEqual(whole.filter((job) => job.accountId === account));
      }
      expect(await pages(`accountId: "${await workspace.account()}",`, 4)).toEqual([]);
    });

    test.each([
      [0, 'invalid_parameters'],
      [-1, 'invalid_parameters'],
      [251, 'limit_too_high'],
    ] as const)('jobPostings(first: %i) is %s', async (first, name) => {
      const { data, errors } = await workspace.ask(
        'query ($first: Int!) { jobPostings(first: $first) { nodes { jobId } } }',
        {
          first,
        },
      );
      expect(data).toBeNull();
      expect(errors).toMatchObject([{ extensions: { type: `errors/${name}`, issues: [{ path: ['first'] }] } }]);
    });
  });
});
