/** Job postings as they are read: an addition to the contract that only the embedded backend serves. */
import { AccountObject } from '../../accounts/graphql/account.ts';
import { builder } from '../../graphql/builder.ts';
import { listOf, readsById } from '../../graphql/cost/weights.ts';
import { globalId, Node, registerNode } from '../../graphql/node.ts';
import { type JobFields, type JobPosting, type OpenCheckpoint, recruiterLimits } from '../shapes.ts';
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

/** Something that is named by its id at the network, or by free text. */
const namedThing = (name: string, description: string) =>
  builder.objectRef<Present<'job_title'>>(name).implement({
    description,
    fields: (t) => ({
      providerId: t.exposeID('id', {
        nullable: true,
        description: 'Numeric id at the network. Null if it is named by free text.',
      }),
      text: t.exposeString('text', { nullable: true, description: 'Free text. Null if it is named by its id only.' }),
    }),
  });

const JobTitleObject = namedThing('JobTitle', 'A job title.');
const JobCompanyObject = namedThing('JobCompany', 'The hiring company.');

const PayObject = builder.objectRef<Present<'salary'>>('JobPay').implement({
  description: 'A pay range.',
  fields: (t) => ({
    currency: t.exposeString('currency', { description: 'Currency of the amounts, for example `EUR`.' }),
    min: t.exposeFloat('min', { description: 'Lower bound.' }),
    max: t.exposeFloat('max', { description: 'Upper bound.' }),
    payFrequency: t.expose('pay_frequency', {
      type: PayFrequencyEnum,
      description: 'The period that the amounts refer to.',
    }),
  }),
});

const ScreeningQuestionInterface = builder.interfaceRef<Question>('ScreeningQuestion').implement({
  description: 'A screening question for applicants.',
  resolveType: ({ answer_type }) =>
    answer_type === 'numeric' ? 'NumericScreeningQuestion' : 'MultipleChoicesScreeningQuestion',
  fields: (t) => ({
    question: t.exposeString('question', { description: 'Text of the question.' }),
    position: t.exposeFloat('position', { nullable: true, description: 'Position of the question in the list.' }),
    mustMatch: t.exposeBoolean('must_match', {
      nullable: true,
      description: 'Whether applicants must give an expected answer.',
    }),
  }),
});

builder.objectRef<NumericQuestion>('NumericScreeningQuestion').implement({
  description: 'A screening question that takes a number.',
  interfaces: [ScreeningQuestionInterface],
  fields: (t) => ({
    minExpectation: t.exposeFloat('min_expectation', { nullable: true, description: 'Lowest expected answer.' }),
    maxExpectation: t.exposeFloat('max_expectation', { nullable: true, description: 'Highest expected answer.' }),
  }),
});

builder.objectRef<ChoiceQuestion>('MultipleChoicesScreeningQuestion').implement({
  description: 'A multiple-choice screening question.',
  interfaces: [ScreeningQuestionInterface],
  fields: (t) => ({
    choices: t.exposeStringList('choices', { description: 'The choices offered.', extensions: listOf(10) }),
    expectedChoices: t.exposeStringList('expected_choices', {
      description: 'The expected choices.',
      extensions: listOf(10),
    }),
  }),
});

const RecruiterObject = builder.objectRef<Present<'recruiter'>>('JobRecruiter').implement({
  description: 'Settings of the recruiting service for a job.',
  fields: (t) => ({
    projectId: t.exposeID('project_id', { description: 'Id of the project that the job is linked to.' }),
    functions: t.exposeIDList('functions', {
      nullable: true,
      description: 'Ids of job functions.',
      extensions: listOf(recruiterLimits.functions.max),
    }),
    industries: t.exposeIDList('industries', {
      nullable: true,
      description: 'Ids of industries.',
      extensions: listOf(recruiterLimits.industries.max),
    }),
    skills: t.exposeIDList('skills', {
      nullable: true,
      description: 'Ids of skills.',
      extensions: listOf(recruiterLimits.skills.max),
    }),
    seniority: t.expose('seniority', {
      type: SeniorityEnum,
      nullable: true,
      description: 'Seniority level of the position.',
    }),
    includePosterInfo: t.boolean({
      description: 'Whether the posting shows who posted it.',
      resolve: ({ include_poster_info = true }) => include_poster_info,
    }),
  }),
});

const PnetApplyMethodObject = builder.objectRef<Extract<ApplyMethod, { type: 'pnet' }>>('PnetApplyMethod').implement({
  description: 'Applications are made on the network.',
  fields: (t) => ({
    notificationEmail: t.exposeString('notification_email', {
      description: 'Email address that is notified of applications.',
    }),
    resumeRequired: t.exposeBoolean('resume_required', { description: 'Whether applicants must attach a résumé.' }),
  }),
});

const ExternalApplyMethodObject = builder
  .objectRef<Extract<ApplyMethod, { type: 'external' }>>('ExternalApplyMethod')
  .implement({
    description: 'Applications are made on an external website.',
    fields: (t) => ({ url: t.exposeString('url', { description: 'URL of the website.' }) }),
  });

const ApplyMethodUnion = builder.unionType('ApplyMethod', {
  description: 'How applications are made.',
  types: [PnetApplyMethodObject, ExternalApplyMethodObject],
  resolveType: ({ type }) => (type === 'pnet' ? PnetApplyMethodObject : ExternalApplyMethodObject),
});

const AutoArchiveObject = builder.objectRef<Present<'auto_archive_applicants'>>('AutoArchiveApplicants').implement({
  description: 'Which applicants are archived automatically.',
  fields: (t) => ({
    screeningQuestions: t.boolean({
      description: 'Whether applicants who fail a must-match screening question are archived.',
      resolve: ({ screening_questions = true }) => screening_questions,
    }),
    outsideOfCountry: t.boolean({
      description: 'Whether applicants outside the country of the job are archived.',
      resolve: ({ outside_of_country = true }) => outside_of_country,
    }),
  }),
});

const CheckpointObject = builder.objectRef<OpenCheckpoint>('JobCheckpoint').implement({
  description: 'A step that the network requires before it publishes a draft.',
  fields: (t) => ({
    checkpointType: t.expose('type', { type: CheckpointTypeEnum, description: 'What the network asks for.' }),
    attemptsLeft: t.exposeInt('attempts_left', {
      description: 'Number of wrong inputs left before the checkpoint closes.',
    }),
    expiresAt: t.expose('expires_at', { type: 'DateTime', description: 'When the checkpoint expires.' }),
  }),
});

export const PnetJobPostingObject = builder.objectRef<JobPosting>('PnetJobPosting').implement({
  description:
    'A job posting, or a draft of one. Available on the embedded backend only, because the contract has no such read.',
  interfaces: [Node],
  isTypeOf: (value) => (value as Partial<JobPosting>).object === 'PnetJobPosting',
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: ({ job_id }) => globalId('Job', job_id) }),
    jobId: t.exposeID('job_id', { description: 'Id of the job, as the arguments `jobId` and `draftId` take it.' }),
    accountId: t.exposeID('account_id', { description: 'Id of the account that the job belongs to.' }),
    account: t.field({
      type: AccountObject,
      nullable: true,
      description: 'The account that the job belongs to. Scope: `accounts:read`.',
      extensions: readsById,
      resolve: ({ account_id }, _args, { loaders }) => loaders.accounts.load(account_id),
    }),
    jobState: t.expose('job_state', { type: JobStateEnum, description: 'State of the job.' }),
    checkpoint: t.expose('checkpoint', {
      type: CheckpointObject,
      nullable: true,
      description: 'The open checkpoint of the draft. Null if none is open.',
    }),
    jobTitle: t.field({
      type: JobTitleObject,
      nullable: true,
      description: 'Job title.',
      resolve: ({ fields }) => fields.job_title,
    }),
    company: t.field({
      type: JobCompanyObject,
      nullable: true,
      description: 'The hiring company.',
      resolve: ({ fields }) => fields.company,
    }),
    workplace: t.field({
      type: WorkplaceEnum,
      nullable: true,
      description: 'Where the work takes place.',
      resolve: ({ fields }) => fields.workplace,
    }),
    location: t.id({
      nullable: true,
      description: 'Numeric id of the location, from the lookup type `LOCATION`.',
      resolve: ({ fields }) => fields.location,
    }),
    employmentStatus: t.field({
      type: EmploymentStatusEnum,
      nullable: true,
      description: 'Type of employment.',
      resolve: ({ fields }) => fields.employment_status,
    }),
    description: t.string({
      nullable: true,
      description: 'Job description, which may contain HTML tags.',
      resolve: ({ fields }) => fields.description,
    }),
    autoRejectionTemplate: t.string({
      nullable: true,
      description: 'Message that rejected applicants receive.',
      resolve: ({ fields }) => fields.auto_rejection_template,
    }),
    screeningQuestions: t.field({
      type: [ScreeningQuestionInterface],
      description: 'Questions for applicants.',
      extensions: listOf(5),
      resolve: ({ fields }) => fields.screening_questions ?? [],
    }),
    recruiter: t.field({
      type: RecruiterObject,
      nullable: true,
      description: 'Settings of the recruiting service.',
      resolve: ({ fields }) => fields.recruiter,
    }),
    trackingPixelUrl: t.string({
      nullable: true,
      description: 'URL of a tracking pixel that loads with the posting.',
      resolve: ({ fields }) => fields.tracking_pixel_url,
    }),
    companyJobId: t.id({
      nullable: true,
      description: 'Id of the job in your own system.',
      resolve: ({ fields }) => fields.company_job_id,
    }),
    applyMethod: t.field({
      type: ApplyMethodUnion,
      nullable: true,
      description: 'How applications are made.',
      resolve: ({ fields }) => fields.apply_method,
    }),
    salary: t.field({
      type: PayObject,
      nullable: true,
      description: 'Salary range.',
      resolve: ({ fields }) => fields.salary,
    }),
    additionalCompensation: t.field({
      type: PayObject,
      nullable: true,
      description: 'Compensation paid on top of the salary.',
      resolve: ({ fields }) => fields.additional_compensation,
    }),
    autoArchiveApplicants: t.field({
      type: AutoArchiveObject,
      description: 'Which applicants are archived automatically.',
      resolve: ({ fields }) => fields.auto_archive_applicants ?? {},
    }),
    sendRejectionNotification: t.boolean({
      description: 'Whether rejected applicants are notified.',
      resolve: ({ fields }) => fields.send_rejection_notification ?? true,
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the draft was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the job last changed.' }),
  }),
});

registerNode('Job', (jobId, { loaders }) => loaders.jobs.load(jobId));
