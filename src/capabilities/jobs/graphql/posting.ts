/** Job postings as read: an addition to the contract that only embedded mode serves. */

import { listOf, readsById } from '../../../graphql/cost/weights.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { maxAge } from '../../../graphql/kit/cache-hint.ts';
import { globalId, Node, registerNode } from '../../../graphql/kit/node.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import type { JobFields, JobPosting } from '../shapes.ts';
import { EmploymentStatusEnum, JobStateEnum, WorkplaceEnum } from './enums.ts';
import {
  ApplyMethodUnion,
  AutoArchiveObject,
  CheckpointObject,
  JobCompanyObject,
  JobTitleObject,
  PayObject,
  RecruiterObject,
  ScreeningQuestionInterface,
} from './posting-parts.ts';

/** Nothing but our own commands changes postings. */
export const postingMaxAge = maxAge(60);

/** @throws ServiceError `resource_not_found` when the posting was deleted since it was read */
async function loadField<Name extends keyof JobFields>(
  { job_id }: JobPosting,
  field: Name,
  { loaders }: GraphQLContext,
): Promise<JobFields[Name] | null> {
  const fields = await loaders.jobFields.load({ jobId: job_id, field });
  if (fields === null) throw new ServiceError('resource_not_found', { detail: 'The job posting no longer exists.' });
  return fields[field] ?? null;
}

export const PnetJobPostingObject = builder.objectRef<JobPosting>('PnetJobPosting').implement({
  description:
    'A job posting, or a draft of one. Available in embedded mode only, because the contract has no such read.',
  interfaces: [Node],
  extensions: postingMaxAge,
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
      resolve: (job, _args, context) => loadField(job, 'job_title', context),
    }),
    company: t.field({
      type: JobCompanyObject,
      nullable: true,
      description: 'The hiring company.',
      resolve: (job, _args, context) => loadField(job, 'company', context),
    }),
    workplace: t.field({
      type: WorkplaceEnum,
      nullable: true,
      description: 'Where the work takes place.',
      resolve: (job, _args, context) => loadField(job, 'workplace', context),
    }),
    location: t.id({
      nullable: true,
      description: 'Numeric id of the location, from the lookup type `LOCATION`.',
      resolve: (job, _args, context) => loadField(job, 'location', context),
    }),
    employmentStatus: t.field({
      type: EmploymentStatusEnum,
      nullable: true,
      description: 'Type of employment.',
      resolve: (job, _args, context) => loadField(job, 'employment_status', context),
    }),
    description: t.string({
      nullable: true,
      description: 'Job description, which may contain HTML tags.',
      resolve: (job, _args, context) => loadField(job, 'description', context),
    }),
    autoRejectionTemplate: t.string({
      nullable: true,
      description: 'Message that rejected applicants receive.',
      resolve: (job, _args, context) => loadField(job, 'auto_rejection_template', context),
    }),
    screeningQuestions: t.field({
      type: [ScreeningQuestionInterface],
      description: 'Questions for applicants.',
      extensions: listOf(5),
      resolve: async (job, _args, context) => (await loadField(job, 'screening_questions', context)) ?? [],
    }),
    recruiter: t.field({
      type: RecruiterObject,
      nullable: true,
      description: 'Settings of the recruiting service.',
      resolve: (job, _args, context) => loadField(job, 'recruiter', context),
    }),
    trackingPixelUrl: t.string({
      nullable: true,
      description: 'URL of a tracking pixel that loads with the posting.',
      resolve: (job, _args, context) => loadField(job, 'tracking_pixel_url', context),
    }),
    companyJobId: t.id({
      nullable: true,
      description: 'Id of the job in your own system.',
      resolve: (job, _args, context) => loadField(job, 'company_job_id', context),
    }),
    applyMethod: t.field({
      type: ApplyMethodUnion,
      nullable: true,
      description: 'How applications are made.',
      resolve: (job, _args, context) => loadField(job, 'apply_method', context),
    }),
    salary: t.field({
      type: PayObject,
      nullable: true,
      description: 'Salary range.',
      resolve: (job, _args, context) => loadField(job, 'salary', context),
    }),
    additionalCompensation: t.field({
      type: PayObject,
      nullable: true,
      description: 'Compensation paid on top of the salary.',
      resolve: (job, _args, context) => loadField(job, 'additional_compensation', context),
    }),
    autoArchiveApplicants: t.field({
      type: AutoArchiveObject,
      description: 'Which applicants are archived automatically.',
      resolve: async (job, _args, context) => (await loadField(job, 'auto_archive_applicants', context)) ?? {},
    }),
    sendRejectionNotification: t.boolean({
      description: 'Whether rejected applicants are notified.',
      resolve: async (job, _args, context) => (await loadField(job, 'send_rejection_notification', context)) ?? true,
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the draft was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the job last changed.' }),
  }),
});

registerNode('Job', ([jobId], { loaders }) => loaders.jobs.load(jobId));
