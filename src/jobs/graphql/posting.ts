/** A posting as it is read back: an addition to the contract, embedded only. */
import { AccountObject } from '../../accounts/graphql/account.ts';
import { builder } from '../../graphql/builder.ts';
import { globalId, Node, registerNode } from '../../graphql/node.ts';
import type { JobFields, JobPosting, OpenCheckpoint } from '../shapes.ts';
import {
  CheckpointTypeEnum,
  EmploymentStatusEnum,
  JobStateEnum,
  PayFrequencyEnum,
  SeniorityEnum,
  WorkplaceEnum,
} from './enums.ts';

type Present<Key extends keyof JobFields> = NonNullable<JobFields[Key]>;
type Question = Present<'screening_questions'>[number];
type NumericQuestion = Extract<Question, { answer_type: 'numeric' }>;
type ChoiceQuestion = Extract<Question, { answer_type: 'multiple_choices' }>;
type ApplyMethod = Present<'apply_method'>;

/** What the network knows by an id of its own, or is told as free text. */
const namedThing = (name: string, description: string) =>
  builder.objectRef<Present<'job_title'>>(name).implement({
    description,
    fields: (t) => ({
      providerId: t.exposeID('id', { nullable: true, description: 'Numeric id at the network; null for free text.' }),
      text: t.exposeString('text', { nullable: true, description: 'Free text; null where the id says it.' }),
    }),
  });

const JobTitle = namedThing('JobTitle', 'The title of a position.');
const JobCompany = namedThing('JobCompany', 'The company that hires.');

const Pay = builder.objectRef<Present<'salary'>>('JobPay').implement({
  description: 'A range of pay.',
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'Currency of the amounts, such as `EUR`.' }),
    min: t.exposeFloat('min', { description: 'Lower end.' }),
    max: t.exposeFloat('max', { description: 'Upper end.' }),
    payFrequency: t.expose('pay_frequency', { type: PayFrequencyEnum, description: 'What it is paid for.' }),
  }),
});

const ScreeningQuestion = builder.interfaceRef<Question>('ScreeningQuestion').implement({
  description: 'A question that applicants answer.',
  resolveType: ({ answer_type }) =>
    answer_type === 'numeric' ? 'NumericScreeningQuestion' : 'MultipleChoicesScreeningQuestion',
  fields: (t) => ({
    question: t.exposeString('question', { description: 'What is asked.' }),
    position: t.exposeFloat('position', { nullable: true, description: 'Its place among the questions.' }),
    mustMatch: t.exposeBoolean('must_match', {
      nullable: true,
      description: 'Whether an applicant must answer as expected.',
    }),
  }),
});

builder.objectRef<NumericQuestion>('NumericScreeningQuestion').implement({
  description: 'A question that is answered with a number.',
  interfaces: [ScreeningQuestion],
  fields: (t) => ({
    minExpectation: t.exposeFloat('min_expectation', { nullable: true, description: 'The least that is expected.' }),
    maxExpectation: t.exposeFloat('max_expectation', { nullable: true, description: 'The most that is expected.' }),
  }),
});

builder.objectRef<ChoiceQuestion>('MultipleChoicesScreeningQuestion').implement({
  description: 'A question that is answered by choosing.',
  interfaces: [ScreeningQuestion],
  fields: (t) => ({
    choices: t.exposeStringList('choices', { description: 'What can be chosen.' }),
    expectedChoices: t.exposeStringList('expected_choices', { description: 'What is expected to be chosen.' }),
  }),
});

const Recruiter = builder.objectRef<Present<'recruiter'>>('JobRecruiter').implement({
  description: 'What the service for recruiters knows about a job.',
  fields: (t) => ({
    projectId: t.exposeID('project_id', { description: 'Project that the job is linked to.' }),
    functions: t.exposeIDList('functions', { nullable: true, description: 'Ids of job functions.' }),
    industries: t.exposeIDList('industries', { nullable: true, description: 'Ids of industries.' }),
    skills: t.exposeIDList('skills', { nullable: true, description: 'Ids of skills.' }),
    seniority: t.expose('seniority', { type: SeniorityEnum, nullable: true, description: 'How senior it is.' }),
    includePosterInfo: t.boolean({
      description: 'Whether it shows who posted it.',
      resolve: ({ include_poster_info = true }) => include_poster_info,
    }),
  }),
});

const PnetApplyMethod = builder.objectRef<Extract<ApplyMethod, { type: 'pnet' }>>('PnetApplyMethod').implement({
  description: 'Applicants apply within the network.',
  fields: (t) => ({
    notificationEmail: t.exposeString('notification_email', { description: 'Where news of applications go.' }),
    resumeRequired: t.exposeBoolean('resume_required', { description: 'Whether a résumé must be attached.' }),
  }),
});

const ExternalApplyMethod = builder
  .objectRef<Extract<ApplyMethod, { type: 'external' }>>('ExternalApplyMethod')
  .implement({
    description: 'Applicants apply on a website.',
    fields: (t) => ({ url: t.exposeString('url', { description: 'Address of the website.' }) }),
  });

const ApplyMethodUnion = builder.unionType('ApplyMethod', {
  description: 'How applicants apply.',
  types: [PnetApplyMethod, ExternalApplyMethod],
  resolveType: ({ type }) => (type === 'pnet' ? PnetApplyMethod : ExternalApplyMethod),
});

const AutoArchive = builder.objectRef<Present<'auto_archive_applicants'>>('AutoArchiveApplicants').implement({
  description: 'Which applicants are archived without a look at them.',
  fields: (t) => ({
    screeningQuestions: t.boolean({
      description: 'Those who do not answer the must-match questions as expected.',
      resolve: ({ screening_questions = true }) => screening_questions,
    }),
    outsideOfCountry: t.boolean({
      description: 'Those outside the country that is hired in.',
      resolve: ({ outside_of_country = true }) => outside_of_country,
    }),
  }),
});

const Checkpoint = builder.objectRef<OpenCheckpoint>('JobCheckpoint').implement({
  description: 'The step that the network waits for before it publishes a draft.',
  fields: (t) => ({
    checkpointType: t.expose('type', { type: CheckpointTypeEnum, description: 'What it asks for.' }),
    attemptsLeft: t.exposeInt('attempts_left', { description: 'Wrong inputs after which it closes.' }),
    expiresAt: t.expose('expires_at', { type: 'DateTime', description: 'When it expires.' }),
  }),
});

export const PnetJobPosting = builder.objectRef<JobPosting>('PnetJobPosting').implement({
  description: 'A job posting or a draft of one. Readable on the embedded backend only: the contract has no such read.',
  interfaces: [Node],
  isTypeOf: (value) => (value as Partial<JobPosting>).object === 'PnetJobPosting',
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: ({ job_id }) => globalId('Job', job_id) }),
    jobId: t.exposeID('job_id', { description: 'What arguments named `jobId` and `draftId` take.' }),
    accountId: t.exposeID('account_id', { description: 'The account that it belongs to.' }),
    account: t.field({
      type: AccountObject,
      nullable: true,
      description: 'The account that it belongs to. Scope: `accounts:read`.',
      resolve: ({ account_id }, _args, { loaders }) => loaders.accounts.load(account_id),
    }),
    jobState: t.expose('job_state', { type: JobStateEnum, description: 'The state it is in.' }),
    checkpoint: t.expose('checkpoint', {
      type: Checkpoint,
      nullable: true,
      description: 'The checkpoint that is open for the draft; null where none is.',
    }),
    jobTitle: t.field({
      type: JobTitle,
      nullable: true,
      description: 'Title of the position.',
      resolve: ({ fields }) => fields.job_title,
    }),
    company: t.field({
      type: JobCompany,
      nullable: true,
      description: 'The company that hires.',
      resolve: ({ fields }) => fields.company,
    }),
    workplace: t.field({
      type: WorkplaceEnum,
      nullable: true,
      description: 'Where the work is done.',
      resolve: ({ fields }) => fields.workplace,
    }),
    location: t.id({
      nullable: true,
      description: 'Id of the place, of the lookup type LOCATION.',
      resolve: ({ fields }) => fields.location,
    }),
    employmentStatus: t.field({
      type: EmploymentStatusEnum,
      nullable: true,
      description: 'The kind of employment.',
      resolve: ({ fields }) => fields.employment_status,
    }),
    description: t.string({
      nullable: true,
      description: 'Description; it may hold HTML tags.',
      resolve: ({ fields }) => fields.description,
    }),
    autoRejectionTemplate: t.string({
      nullable: true,
      description: 'What rejected applicants are written.',
      resolve: ({ fields }) => fields.auto_rejection_template,
    }),
    screeningQuestions: t.field({
      type: [ScreeningQuestion],
      description: 'What applicants are asked.',
      resolve: ({ fields }) => fields.screening_questions ?? [],
    }),
    recruiter: t.field({
      type: Recruiter,
      nullable: true,
      description: 'What the service for recruiters knows about it.',
      resolve: ({ fields }) => fields.recruiter,
    }),
    trackingPixelUrl: t.string({
      nullable: true,
      description: 'Picture that is loaded with the posting, to count views.',
      resolve: ({ fields }) => fields.tracking_pixel_url,
    }),
    companyJobId: t.id({
      nullable: true,
      description: "The company's own id of the job.",
      resolve: ({ fields }) => fields.company_job_id,
    }),
    applyMethod: t.field({
      type: ApplyMethodUnion,
      nullable: true,
      description: 'How applicants apply.',
      resolve: ({ fields }) => fields.apply_method,
    }),
    salary: t.field({
      type: Pay,
      nullable: true,
      description: 'Salary.',
      resolve: ({ fields }) => fields.salary,
    }),
    additionalCompensation: t.field({
      type: Pay,
      nullable: true,
      description: 'What is paid beside the salary.',
      resolve: ({ fields }) => fields.additional_compensation,
    }),
    autoArchiveApplicants: t.field({
      type: AutoArchive,
      description: 'Which applicants are archived without a look at them.',
      resolve: ({ fields }) => fields.auto_archive_applicants ?? {},
    }),
    sendRejectionNotification: t.boolean({
      description: 'Whether rejected applicants are told.',
      resolve: ({ fields }) => fields.send_rejection_notification ?? true,
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the draft was made.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it changed last.' }),
  }),
});

registerNode('Job', (jobId, { loaders }) => loaders.jobs.load(jobId));
