/** Drafts and reads of jobs, which are additions to the contract. */
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { describe, expect, test } from 'vitest';
import { jobStates } from '../../src/capabilities/jobs/vocabulary.ts';
import { backends } from '../support/backends.ts';
import { schema } from '../support/schema.ts';
import { statementsOf } from '../support/statements.ts';
import { anError, everyField, everyFieldStored, serveJobs } from './served-jobs.ts';

/** Every field of a posting as it is read back. */
const wholePosting = `
  jobId accountId state checkpoint { checkpointType attemptsLeft expiresAt }
  jobTitle { providerId text } company { providerId text } workplace location employmentStatus description
  autoRejectionTemplate
  screeningQuestions {
    question position mustMatch choices expectedChoices minExpectation maxExpectation
  }
  recruiter { projectId functions industries skills seniority hasPosterInfo }
  trackingPixelUrl companyJobId
  applyMethod { url notificationEmail isResumeRequired }
  salary { currency min max payFrequency } additionalCompensation { currency min max payFrequency }
  autoArchiveApplicants { hasFailedScreening isOutsideOfCountry }
  hasRejectionNotification createdAt updatedAt`;

describe.each(backends.filter(({ serves }) => serves.drafts))('drafts and reads, $name backend', (backend) => {
  const jobs = serveJobs(backend);
  const { mutate, edit, draft } = jobs;

  test('createJobDraft stores every field, and jobPosting reads it back', async () => {
    const created = await mutate('createJobDraft', everyField);
    expect(created).toMatchObject({ __typename: 'PnetJobPostingCreated', jobPosting: { state: 'DRAFT' } });
    expect((await jobs.workspace.job(created.jobId)).fields).toEqual(everyFieldStored);
    const { data, errors } = await jobs.workspace.ask(
      `query ($id: ID!) { jobPosting(jobId: $id) { ${wholePosting} } }`,
      {
        id: created.jobId,
      },
    );
    expect(errors).toEqual([]);
    const at = jobs.served.clock.now.toISOString();
    expect(data.jobPosting).toEqual({
      ...everyField,
      jobId: created.jobId,
      accountId: jobs.accountId,
      state: 'DRAFT',
      checkpoint: null,
      company: { providerId: '900043', text: null },
      screeningQuestions: [
        { choices: null, expectedChoices: null, ...everyField.screeningQuestions[0]?.numeric },
        { minExpectation: null, maxExpectation: null, ...everyField.screeningQuestions[1]?.multipleChoices },
      ],
      applyMethod: { url: null, ...everyField.applyMethod.pnet },
      createdAt: at,
      updatedAt: at,
    });
  });

  test('a draft needs only a title; the rest has the defaults of the contract', async () => {
    const { jobId } = await mutate('createJobDraft', { jobTitle: { text: 'Engineer' } });
    const { data } = await jobs.workspace.ask(`query ($id: ID!) { jobPosting(jobId: $id) { ${wholePosting} } }`, {
      id: jobId,
    });
    expect(data.jobPosting).toMatchObject({
      jobTitle: { providerId: null, text: 'Engineer' },
      description: null,
      screeningQuestions: [],
      recruiter: null,
      applyMethod: null,
      autoArchiveApplicants: { hasFailedScreening: true, isOutsideOfCountry: true },
      hasRejectionNotification: true,
    });
    await edit({ jobId, recruiter: { projectId: 'p' } });
    const { data: later } = await jobs.workspace.ask(
      `query ($id: ID!) { jobPosting(jobId: $id) { recruiter { projectId hasPosterInfo functions } } }`,
      { id: jobId },
    );
    expect(later.jobPosting.recruiter).toEqual({ projectId: 'p', hasPosterInfo: true, functions: null });
    for (const posting of [{}, { jobTitle: null }, { location: '5' }])
      expect(await mutate('createJobDraft', posting)).toMatchObject({
        ...anError('missing_parameters'),
        issues: [{ path: ['input', 'posting', 'jobTitle'], code: 'REQUIRED' }],
      });
    expect(await mutate('createJobDraft', { jobTitle: {} })).toMatchObject({
      ...anError('invalid_parameters'),
      issues: [{ path: ['input', 'posting', 'jobTitle'], message: 'needs an id or a text' }],
    });
  });

  test('each result leads to the posting as it is after that mutation', async () => {
    const draftId = await draft('otp');
    const { data } = await jobs.workspace.ask(
      `mutation ($draftId: ID!, $accountId: ID!) {
        opened: publishJob(input: { accountId: $accountId, jobId: $draftId, mode: FREE }) {
          ... on PnetJobPostingPublishCheckpoint {
            jobId checkpointType attemptsLeft expiresAt
            jobPosting { state checkpoint { checkpointType attemptsLeft expiresAt } }
          }
        }
        wrong: solveJobCheckpoint(input: { accountId: $accountId, jobId: $draftId, solution: "999999" }) {
          __typename
          ... on CheckpointError { checkpoint { jobId attemptsLeft jobPosting { checkpoint { attemptsLeft jobPosting { state } } } } }
        }
        edited: editJob(input: { accountId: $accountId, jobId: $draftId, posting: { location: "5" } }) {
          ... on PnetJobPostingEdited { jobPosting { location checkpoint { attemptsLeft } } }
        }
        done: solveJobCheckpoint(input: { accountId: $accountId, jobId: $draftId, solution: "123456" }) {
          ... on PnetJobPostingPublished { jobPosting { state location checkpoint { attemptsLeft } } }
        }
      }`,
      { draftId, accountId: jobs.accountId },
    );
    const checkpoint = {
      checkpointType: 'OTP',
      attemptsLeft: 5,
      expiresAt: new Date(jobs.served.clock.now.getTime() + 15 * 60_000).toISOString(),
    };
    expect(data).toEqual({
      opened: { jobId: draftId, ...checkpoint, jobPosting: { state: 'DRAFT', checkpoint } },
      wrong: {
        __typename: 'CheckpointError',
        checkpoint: {
          jobId: draftId,
          attemptsLeft: 4,
          jobPosting: { checkpoint: { attemptsLeft: 4, jobPosting: { state: 'DRAFT' } } },
        },
      },
      edited: { jobPosting: { location: '5', checkpoint: { attemptsLeft: 4 } } },
      done: { jobPosting: { state: 'ACTIVE', location: '5', checkpoint: null } },
    });
  });

  test('a checkpoint is shown until it expires', async () => {
    const jobId = await draft('otp');
    await jobs.publish(jobId);
    const opened = jobs.served.clock.now;
    const shownAfter = async (ms: number) => {
      jobs.served.clock.now = new Date(opened.getTime() + ms);
      const { data } = await jobs.workspace.ask(
        'query ($jobId: ID!) { jobPosting(jobId: $jobId) { checkpoint { checkpointType } } }',
        { jobId },
      );
      return data.jobPosting.checkpoint;
    };
    try {
      expect(await shownAfter(15 * 60_000 - 1)).toEqual({ checkpointType: 'OTP' });
      expect(await shownAfter(15 * 60_000)).toBeNull();
    } finally {
      jobs.served.clock.now = opened;
    }
  });

  test('all fields of a checkpoint that was opened read its posting once', async () => {
    const draftId = await draft('otp');
    const input = { accountId: jobs.accountId, jobId: draftId, mode: 'FREE' };
    const reads = async (fields: string, expected: object) => {
      const document = `mutation ($input: PublishJobInput!) {
        publishJob(input: $input) { ... on PnetJobPostingPublishCheckpoint { ${fields} } } }`;
      const statements = await statementsOf(jobs.workspace.workspaceId, async () => {
        const { data } = await jobs.workspace.ask(document, { input });
        expect(data.publishJob).toMatchObject(expected);
      });
      return statements.filter((statement) => /^select .* from "jobs"/s.test(statement)).length;
    };
    const without = await reads('jobId checkpointType', { checkpointType: 'OTP' });
    const fields = 'attemptsLeft expiresAt jobPosting { state } again: attemptsLeft';
    expect(await reads(fields, { attemptsLeft: 5, again: 5, jobPosting: { state: 'DRAFT' } })).toBe(without + 1);
  });

  test('jobPosting is null for a job that does not exist or belongs to others', async () => {
    const foreign = await jobs.served.workspace();
    const theirs = await foreign.draft({ accountId: await foreign.account() });
    for (const id of ['999999', theirs, 'x', '']) {
      const { data, errors } = await jobs.workspace.ask('query ($id: ID!) { jobPosting(jobId: $id) { jobId } }', {
        id,
      });
      expect({ data, errors }).toEqual({ data: { jobPosting: null }, errors: [] });
    }
  });

  test('jobPostings pages newest first, by account and by state, without losing or repeating a job', async () => {
    const mine = await jobs.served.workspace();
    const [one, two] = [await mine.account(), await mine.account()];
    const made: { jobId: string; accountId: string; state: string }[] = [];
    const started = jobs.served.clock.now;
    for (let index = 0; index < 23; index += 1) {
      // Every second has the time of the one before it: the id must decide.
      jobs.served.clock.now = new Date(started.getTime() + Math.floor(index / 2) * 1000);
      const account = index % 3 === 0 ? two : one;
      const state = jobStates[index % jobStates.length] ?? 'draft';
      made.push({ jobId: await mine.draft({ accountId: account, state }), accountId: account, state });
    }
    jobs.served.clock.now = started;
    const pages = async (args: string, first: number) => {
      const seen: { jobId: string; accountId: string; state: string }[] = [];
      let after: string | null = null;
      for (;;) {
        const { data } = await mine.ask(
          `query ($first: Int!, $after: String) { jobPostings(${args} first: $first, after: $after) {
            edges { cursor node { jobId accountId state } } nodes { jobId } pageInfo { hasNextPage endCursor } } }`,
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
      expect(await pages(`states: ${state.toUpperCase()},`, 2)).toEqual(
        whole.filter((posting) => posting.state === state.toUpperCase()),
      );
    }
    for (const account of [one, two]) {
      expect(await pages(`accountId: "${account}",`, 4)).toEqual(whole.filter((job) => job.accountId === account));
    }
    expect(await pages(`accountId: "${await jobs.workspace.account()}",`, 4)).toEqual([]);
  });

  test.each([
    [-1, 'invalid_parameters'],
    [251, 'limit_too_high'],
  ] as const)('jobPostings(first: %i) fails with %s', async (first, name) => {
    const { data, errors } = await jobs.workspace.ask(
      'query ($first: Int!) { jobPostings(first: $first) { nodes { jobId } } }',
      {
        first,
      },
    );
    expect(data).toEqual({ jobPostings: null });
    expect(errors).toMatchObject([{ extensions: { code: name.toUpperCase(), issues: [{ path: ['first'] }] } }]);
  });

  test('a list reads small contents with its rows, and only if they are selected', async () => {
    const { workspace } = jobs;
    for (const text of ['one', 'two', 'three']) await mutate('createJobDraft', { jobTitle: { text } });
    const list = (fields: string) =>
      statementsOf(workspace.workspaceId, async () => {
        const { errors } = await workspace.ask(
          `{ jobPostings(first: 250) { nodes { ...Fields } } } fragment Fields on PnetJobPosting { ${fields} }`,
        );
        expect(errors).toEqual([]);
      });
    const withContent = await list('jobId jobTitle { text } workplace description');
    expect(withContent.filter((statement) => statement.includes('"jobs"'))).toEqual([
      expect.stringContaining('"content"'),
    ]);
    const without = await list('jobId state');
    expect(without.filter((statement) => statement.includes('"jobs"'))).toEqual([
      expect.not.stringContaining('content'),
    ]);
  });

  test('a large content of a list is read by itself', async () => {
    const { workspace } = jobs;
    const description = 'x'.repeat(9_000);
    await mutate('createJobDraft', { jobTitle: { text: 'large' }, description });
    const { data } = await workspace.ask('{ jobPostings(query: "large") { nodes { jobTitle { text } description } } }');
    expect(data.jobPostings.nodes).toEqual([{ jobTitle: { text: 'large' }, description }]);
  });
});

test.each([
  ['has been solved', null],
  ['has been deleted', undefined],
  ['was followed by another', { type: 'EMAIL_VERIFICATION', attempts_left: 5, expires_at: 1 }],
])('a checkpoint that %s since it was opened has no attempts left', async (_what, checkpoint) => {
  const fields = (schema.getType('PnetJobPostingPublishCheckpoint') as GraphQLObjectType).getFields();
  const posting = checkpoint === undefined ? null : { checkpoint };
  const loaders = { jobFields: { clearAll() {} }, jobs: { clear() {}, load: async () => posting } };
  const opened = { object: 'PnetJobPostingPublishCheckpoint', type: 'OTP', job_id: '1' };
  for (const name of ['attemptsLeft', 'expiresAt']) {
    const read = fields[name]?.resolve?.(opened, {}, { loaders }, {} as GraphQLResolveInfo);
    expect((await read) ?? null, name).toBeNull();
  }
});
