import { listOf } from '../../../graphql/cost/weights.ts';
import { partType } from '../../../graphql/kit/builder.ts';
import type { AnyOf } from '../../../kernel/lib/objects.ts';
import { type JobFields, recruiterLimits } from '../shapes.ts';
import { PayFrequencyEnum, SeniorityEnum } from './enums.ts';

type JobPart<Key extends keyof JobFields> = NonNullable<JobFields[Key]>;
type Question = AnyOf<JobPart<'screening_questions'>[number]>;
type ApplyMethod = AnyOf<JobPart<'apply_method'>>;

export const JobNameObject = partType<JobPart<'job_title'>>('PnetJobName', {
  description: 'A job title or a company, by id or as free text.',
  fields: (t) => ({
    providerId: t.exposeID('id', {
      nullable: true,
      description: 'Numeric id at the network; null for free text.',
    }),
    text: t.exposeString('text', { nullable: true, description: 'Free text; null if there is only the id.' }),
  }),
});

export const PayObject = partType<JobPart<'salary'>>('PnetJobPay', {
  description: 'A pay range.',
  fields: (t) => ({
    currency: t.expose('currency', { type: 'Currency', description: 'Currency of the amounts.' }),
    min: t.exposeFloat('min', { description: 'Lower bound.' }),
    max: t.exposeFloat('max', { description: 'Upper bound.' }),
    payFrequency: t.expose('pay_frequency', {
      type: PayFrequencyEnum,
      description: 'Period of the amounts.',
    }),
  }),
});

export const ScreeningQuestionObject = partType<Question>('ScreeningQuestion', {
  description: 'A question for applicants.',
  fields: (t) => ({
    question: t.exposeString('question', { description: 'Text.' }),
    position: t.exposeFloat('position', { nullable: true, description: 'Position in the list.' }),
    mustMatch: t.exposeBoolean('must_match', {
      nullable: true,
      description: 'Whether an expected answer is required.',
    }),
    choices: t.exposeStringList('choices', {
      nullable: true,
      description: 'Choices offered; null if the answer is a number.',
      extensions: listOf(10),
    }),
    expectedChoices: t.exposeStringList('expected_choices', {
      nullable: true,
      description: 'Expected choices; null if the answer is a number.',
      extensions: listOf(10),
    }),
    minExpectation: t.exposeFloat('min_expectation', { nullable: true, description: 'Lowest expected number.' }),
    maxExpectation: t.exposeFloat('max_expectation', { nullable: true, description: 'Highest expected number.' }),
  }),
});

export const RecruiterObject = partType<JobPart<'recruiter'>>('PnetJobRecruiter', {
  description: 'Settings of the recruiting service.',
  fields: (t) => ({
    projectId: t.exposeID('project_id', { description: 'Project that the job is linked to.' }),
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
      description: 'Seniority.',
    }),
    hasPosterInfo: t.boolean({
      description: 'Whether the poster is shown.',
      resolve: ({ include_poster_info = true }) => include_poster_info,
    }),
  }),
});

export const ApplyMethodObject = partType<ApplyMethod>('ApplyMethod', {
  description: 'How to apply.',
  fields: (t) => ({
    url: t.exposeString('url', { nullable: true, description: 'Website; null for applications on the network.' }),
    notificationEmail: t.exposeString('notification_email', {
      nullable: true,
      description: 'Address that is notified of applications; null for a website.',
    }),
    isResumeRequired: t.exposeBoolean('resume_required', {
      nullable: true,
      description: 'Whether a résumé is required; null for a website.',
    }),
  }),
});

export const AutoArchiveObject = partType<JobPart<'auto_archive_applicants'>>('AutoArchiveApplicants', {
  description: 'Who is archived automatically.',
  fields: (t) => ({
    hasFailedScreening: t.boolean({
      description: 'Applicants who fail a required question.',
      resolve: ({ screening_questions = true }) => screening_questions,
    }),
    isOutsideOfCountry: t.boolean({
      description: 'Applicants outside the country of the job.',
      resolve: ({ outside_of_country = true }) => outside_of_country,
    }),
  }),
});
