/** A gateway whose jobs are under test, and the requests that the tests of jobs share. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type ErrorName, errorTable } from '../../src/kernel/errors.ts';
import type { Providers } from '../../src/providers/provider.ts';
import type { JobScenarioName } from '../../src/providers/sandbox/networks.ts';
import type { Backend, SeededWorkspace, Served } from '../support/backends.ts';

/** @param attempts what a checkpoint selects besides its issues, where the gateway knows it */
const documentsWith = (attempts: string) => {
  const failure = `... on ServiceError { code status message requestId
    ... on CheckpointError { issues { path code limit message } ${attempts} } }
  ... on InvalidRequestError { issues { path code message } }`;
  const published = `... on PnetJobPostingPublished { jobId state }
  ... on PnetJobPostingPublishCheckpoint { jobId checkpointType } ${failure}`;
  return {
    editJob: `mutation ($input: EditJobInput!) {
    editJob(input: $input) { __typename ... on PnetJobPostingEdited { jobId } ${failure} } }`,
    publishJob: `mutation ($input: PublishJobInput!) { publishJob(input: $input) { __typename ${published} } }`,
    solveJobCheckpoint: `mutation ($input: SolveJobCheckpointInput!) {
    solveJobCheckpoint(input: $input) { __typename ${published} } }`,
    createJobDraft: `mutation ($input: CreateJobDraftInput!) {
    createJobDraft(input: $input) { __typename ... on PnetJobPostingCreated { jobId jobPosting { state } } ${failure} } }`,
  };
};

type Documents = ReturnType<typeof documentsWith>;

/** The GraphQL type that reports an error of this name. */
const typeOfError = (name: ErrorName) =>
  ({
    request: 'InvalidRequestError',
    account: 'RequestError',
    object: 'RequestError',
    checkpoint: 'CheckpointError',
    key: 'Query error',
    system: 'Query error',
  })[errorTable[name].family];

export const anError = (name: ErrorName) => ({
  __typename: typeOfError(name),
  code: name.toUpperCase(),
  status: errorTable[name].status,
});

/** Every field that an edit can set, as GraphQL takes it. */
export const everyField = {
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
    hasPosterInfo: false,
  },
  trackingPixelUrl: 'https://pixel.example/p.gif?job=1',
  companyJobId: 'REQ-7',
  applyMethod: { pnet: { notificationEmail: 'jobs@northlight.example', isResumeRequired: true } },
  salary: { currency: 'EUR', min: 50_000, max: 70_000.5, payFrequency: 'YEARLY' },
  additionalCompensation: { currency: 'EUR', min: 0, max: 10, payFrequency: 'HOURLY' },
  autoArchiveApplicants: { hasFailedScreening: false, isOutsideOfCountry: true },
  hasRejectionNotification: false,
};

/** The same fields as they are stored, in the contract's terms. */
export const everyFieldStored = {
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

type Input = Record<string, unknown>;

/** Counts one more. @returns how many there are now */
function count(counts: Map<string, number>, key: string): number {
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  return next;
}

/** A workspace with one account, over a network that counts publications and edits. */
export class ServedJobs {
  readonly documents: Documents;
  private readonly backend: Backend;
  served!: Served;
  workspace!: SeededWorkspace;
  /** The account that requests are made from, unless their input names another. */
  accountId!: string;
  /** How often the network has been asked to publish a draft, by its id. */
  readonly publications = new Map<string, number>();
  /** How often the network has been asked to edit a posting, by its id. */
  readonly edits = new Map<string, number>();
  /** The fields that the network was told of last, by the id of the posting. */
  readonly told = new Map<string, object>();
  /** How many requests have had to wait for another one that acts on the same posting, by its id. */
  readonly waits = new Map<string, number>();
  /** What the first publication and the first edit of a posting wait for at the network. */
  gate: Promise<void> = Promise.resolve();

  constructor(backend: Backend) {
    this.backend = backend;
    this.documents = documentsWith(backend.serves.drafts ? 'checkpoint { checkpointType attemptsLeft expiresAt }' : '');
  }

  async start(): Promise<void> {
    this.served = await this.backend.start({
      leases: { onWait: (jobId) => void count(this.waits, jobId) },
      providers: (sandbox): Providers => ({
        ...sandbox,
        PNET: {
          ...sandbox.PNET,
          publish: async (session, draft, ...rest) => {
            // Only the first waits: a second that got this far would otherwise wait forever.
            if (count(this.publications, draft.jobId) === 1) await this.gate;
            return sandbox.PNET.publish(session, draft, ...rest);
          },
          editPosting: async (session, posting, signal) => {
            this.told.set(posting.jobId, posting.fields);
            if (count(this.edits, posting.jobId) === 1) await this.gate;
            return sandbox.PNET.editPosting(session, posting, signal);
          },
        },
      }),
    });
    this.workspace = await this.served.workspace();
    this.accountId = await this.workspace.account();
  }

  /** Runs `work` while the network holds back the first publication and the first edit of each posting. */
  async whileHeld<T>(work: (open: () => void) => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gate = promise;
    try {
      return await work(resolve);
    } finally {
      resolve();
      this.gate = Promise.resolve();
    }
  }

  /** The fields of a posting stand in an object of their own. */
  private inputOf(name: keyof Documents, { accountId = this.accountId, jobId, ...rest }: Input): Input {
    const hasPosting = name === 'editJob' || name === 'createJobDraft';
    return { accountId, jobId, ...(hasPosting ? { posting: rest } : rest) };
  }

  readonly mutate = async (name: keyof Documents, input: Input) => {
    const { data, errors } = await this.workspace.ask(this.documents[name], {
      input: this.inputOf(name, input),
    });
    expect(errors).toEqual([]);
    return data[name];
  };
  readonly edit = (input: Input) => this.mutate('editJob', input);
  readonly publish = (draftId: string, input: Input = {}) =>
    this.mutate('publishJob', { jobId: draftId, mode: 'FREE', ...input });
  readonly solve = (draftId: string, input: string) =>
    this.mutate('solveJobCheckpoint', { jobId: draftId, solution: input });
  readonly draft = (scenario?: JobScenarioName, more = {}) =>
    this.workspace.draft({ accountId: this.accountId, scenario, ...more });

  /** The errors of a request that GraphQL itself refuses. */
  readonly refusal = async (name: keyof Documents, input: Input) => {
    const { data, errors } = await this.workspace.ask(this.documents[name], {
      input: this.inputOf(name, input),
    });
    expect(data).toBeNull();
    expect(errors).not.toEqual([]);
    return errors.map(({ message }) => message).join('\n');
  };
}

/** Serves jobs over a backend for the suite that calls it. */
export function serveJobs(backend: Backend): ServedJobs {
  const jobs = new ServedJobs(backend);
  beforeAll(() => jobs.start());
  afterAll(() => jobs.served.close());
  return jobs;
}
