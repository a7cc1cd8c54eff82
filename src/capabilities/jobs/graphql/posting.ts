/** Job postings as they are read: an addition to the contract that only the embedded backend serves. */

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

/** What a posting says. @throws ServiceError `resource_not_found` when it was deleted since it was read */
async function fieldsOf({ job_id }: JobPosting, { loaders }: GraphQLContext): Promise<JobFields> {
  const fields = await loaders.jobFields.load(job_id);
  if (fields === null) throw new ServiceError('resource_not_found', { detail: 'The job posting no longer exists.' });
  return fields;
}

export const PnetJobPostingObject = builder.objectRef<JobPosting>('PnetJobPosting').implement({
  description:
    'A job posting, or a draft of one. Available on the embedded backend only, because the contract has no such read.',
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
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).job_title,
    }),
    company: t.field({
      type: JobCompanyObject,
      nullable: true,
      description: 'The hiring company.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).company,
    }),
    workplace: t.field({
      type: WorkplaceEnum,
      nullable: true,
      description: 'Where the work takes place.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).workplace,
    }),
    location: t.id({
      nullable: true,
      description: 'Numeric id of the location, from the lookup type `LOCATION`.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).location,
    }),
    employmentStatus: t.field({
      type: EmploymentStatusEnum,
      nullable: true,
      description: 'Type of employment.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).employment_status,
    }),
    description: t.string({
      nullable: true,
      description: 'Job description, which may contain HTML tags.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).description,
    }),
    autoRejectionTemplate: t.string({
      nullable: true,
      description: 'Message that rejected applicants receive.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).auto_rejection_template,
    }),
    screeningQuestions: t.field({
      type: [ScreeningQuestionInterface],
      description: 'Questions for applicants.',
      extensions: listOf(5),
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).screening_questions ?? [],
    }),
    recruiter: t.field({
      type: RecruiterObject,
      nullable: true,
      description: 'Settings of the recruiting service.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).recruiter,
    }),
    trackingPixelUrl: t.string({
      nullable: true,
      description: 'URL of a tracking pixel that loads with the posting.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).tracking_pixel_url,
    }),
    companyJobId: t.id({
      nullable: true,
      description: 'Id of the job in your own system.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).company_job_id,
    }),
    applyMethod: t.field({
      type: ApplyMethodUnion,
      nullable: true,
      description: 'How applications are made.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).apply_method,
    }),
    salary: t.field({
      type: PayObject,
      nullable: true,
      description: 'Salary range.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).salary,
    }),
    additionalCompensation: t.field({
      type: PayObject,
      nullable: true,
      description: 'Compensation paid on top of the salary.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).additional_compensation,
    }),
    autoArchiveApplicants: t.field({
      type: AutoArchiveObject,
      description: 'Which applicants are archived automatically.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).auto_archive_applicants ?? {},
    }),
    sendRejectionNotification: t.boolean({
      description: 'Whether rejected applicants are notified.',
      resolve: async (job, _args, context) => (await fieldsOf(job, context)).send_rejection_notification ?? true,
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the draft was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the job last changed.' }),
  }),
});

registerNode('Job', ([jobId], { loaders }) => loaders.jobs.load(jobId));
