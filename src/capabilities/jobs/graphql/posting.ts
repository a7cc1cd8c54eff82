/** Job postings as read: an addition to the contract that only embedded mode serves. */

import { listOf } from '../../../graphql/cost/weights.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { maxAge } from '../../../graphql/kit/cache-hint.ts';
import { camelCase } from '../../../graphql/kit/contract-mapping.ts';
import { required } from '../../../graphql/kit/network-values.ts';
import { foundById, Node, registerNode } from '../../../graphql/kit/node.ts';
import type { ItemSource } from '../../../graphql/kit/source.ts';
import { globalIdAt, isOf, standsAt } from '../../../graphql/kit/wire.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { keysOf } from '../../../kernel/lib/objects.ts';
import { AccountObject, accountItem } from '../../accounts/graphql/account.ts';
import { findJobs } from '../operations.ts';
import {
  type JobCheckpointOpened,
  type JobFields,
  type JobPosting,
  jobFields,
  type OpenCheckpoint,
} from '../shapes.ts';
import { CheckpointTypeEnum, EmploymentStatusEnum, JobStateEnum, WorkplaceEnum } from './enums.ts';
import {
  ApplyMethodObject,
  AutoArchiveObject,
  JobNameObject,
  PayObject,
  RecruiterObject,
  ScreeningQuestionObject,
} from './posting-parts.ts';

/** Nothing but our own commands changes postings. */
export const postingMaxAge = maxAge(60);

/** Rejects with a ServiceError: `resource_not_found` when the posting was deleted since it was read. */
function loadField<Name extends keyof JobFields>(
  { job_id, content }: JobPosting,
  field: Name,
  { loaders }: GraphQLContext,
): JobFields[Name] | null | Promise<JobFields[Name] | null> {
  if (content !== undefined) return content[field] ?? null;
  return loaders.jobFields.load({ jobId: job_id, field }).then((fields) => fieldOf(fields, field));
}

function fieldOf<Name extends keyof JobFields>(fields: JobFields | null, field: Name): JobFields[Name] | null {
  if (fields === null) throw new ServiceError('resource_not_found', { detail: 'The job posting no longer exists.' });
  return fields[field] ?? null;
}

/** Options of a field of the content, which is read by itself. */
const contentField = <Name extends keyof JobFields>(name: Name, description: string) => ({
  nullable: true as const,
  description,
  extensions: standsAt({ exposed: name, within: 'content' }),
  resolve: (job: JobPosting, _args: object, context: GraphQLContext) => loadField(job, name, context),
});

/** A posting by its id. */
export const jobItem: ItemSource<{ readonly jobId: string }> = {
  operation: findJobs,
  id: ({ jobId }) => jobId,
  pages: ({ jobs }) => jobs.found,
};

/** A checkpoint as a mutation opened it, or as it is read. */
export const CheckpointObject = builder.objectRef<JobCheckpointOpened | OpenCheckpoint>(
  'PnetJobPostingPublishCheckpoint',
);

export const PnetJobPostingObject = builder.objectRef<JobPosting>('PnetJobPosting').implement({
  description: 'A job posting, or a draft of one.',
  interfaces: [Node],
  extensions: postingMaxAge,
  isTypeOf: isOf<JobPosting>('PnetJobPosting'),
  fields: (t) => ({
    id: t.id(globalIdAt('Job', 'job_id')),
    jobId: t.exposeID('job_id', { description: 'Id of the job or draft.' }),
    accountId: t.exposeID('account_id', { description: 'Id of its account.' }),
    account: t.field({
      type: AccountObject,
      ...foundById('Its account.', accountItem, {
        ids: { accountId: 'account_id' },
      }),
      resolve: ({ account_id }, _args, { loaders }) => loaders.accounts.load(account_id),
    }),
    state: t.expose('job_state', { type: JobStateEnum, description: 'State.' }),
    checkpoint: t.expose('checkpoint', {
      type: CheckpointObject,
      nullable: true,
      description: 'Open checkpoint; null without one.',
    }),
    jobTitle: t.field({ type: JobNameObject, ...contentField('job_title', 'Job title.') }),
    company: t.field({ type: JobNameObject, ...contentField('company', 'The hiring company.') }),
    workplace: t.field({ type: WorkplaceEnum, ...contentField('workplace', 'Where the work takes place.') }),
    location: t.id(contentField('location', 'Numeric id from the lookup `LOCATION`.')),
    employmentStatus: t.field({
      type: EmploymentStatusEnum,
      ...contentField('employment_status', 'Type of employment.'),
    }),
    description: t.string(contentField('description', 'Text with HTML tags.')),
    autoRejectionTemplate: t.string(contentField('auto_rejection_template', 'Message to rejected applicants.')),
    screeningQuestions: t.field({
      type: [ScreeningQuestionObject],
      description: 'Questions for applicants.',
      extensions: listOf(5),
      resolve: async (job, _args, context) => (await loadField(job, 'screening_questions', context)) ?? [],
    }),
    recruiter: t.field({ type: RecruiterObject, ...contentField('recruiter', 'Settings of the recruiting service.') }),
    trackingPixelUrl: t.string(contentField('tracking_pixel_url', 'URL of a tracking pixel.')),
    companyJobId: t.id(contentField('company_job_id', 'Id in your own system.')),
    applyMethod: t.field({ type: ApplyMethodObject, ...contentField('apply_method', 'How to apply.') }),
    salary: t.field({ type: PayObject, ...contentField('salary', 'Salary range.') }),
    additionalCompensation: t.field({
      type: PayObject,
      ...contentField('additional_compensation', 'Pay on top of the salary.'),
    }),
    autoArchiveApplicants: t.field({
      type: AutoArchiveObject,
      description: 'Who is archived automatically.',
      resolve: async (job, _args, context) => (await loadField(job, 'auto_archive_applicants', context)) ?? {},
    }),
    hasRejectionNotification: t.boolean({
      description: 'Whether rejected applicants are notified.',
      resolve: async (job, _args, context) => (await loadField(job, 'send_rejection_notification', context)) ?? true,
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

interface NamesJob {
  readonly job_id: string;
}

/** Forgets what loaders have read before a mutation. */
export function forgetPosting({ job_id }: NamesJob, { loaders }: GraphQLContext): void {
  loaders.jobFields.clearAll();
  loaders.jobs.clear(job_id);
}

const readAfter = new WeakMap<NamesJob, Promise<JobPosting | null>>();

/** Reads the posting anew, once for all fields of the result of a mutation. */
export function postingAfter(result: NamesJob, context: GraphQLContext): Promise<JobPosting | null> {
  const known = readAfter.get(result);
  if (known !== undefined) return known;
  forgetPosting(result, context);
  const read = context.loaders.jobs.load(result.job_id);
  readAfter.set(result, read);
  return read;
}

const isRead = (checkpoint: JobCheckpointOpened | OpenCheckpoint): checkpoint is OpenCheckpoint =>
  'attempts_left' in checkpoint;

/** The open checkpoint; null if this one is no longer open, or another has followed. */
async function openOf(
  checkpoint: JobCheckpointOpened | OpenCheckpoint,
  context: GraphQLContext,
): Promise<OpenCheckpoint | null> {
  if (isRead(checkpoint)) return checkpoint;
  const open = (await postingAfter(checkpoint, context))?.checkpoint;
  return open?.type === checkpoint.type ? open : null;
}

CheckpointObject.implement({
  description: 'What the network asks for first: answer it with `solveJobCheckpoint`.',
  // No hint: it expires by itself.
  fields: (t) => ({
    jobId: t.exposeID('job_id', { description: 'Id of the draft.' }),
    checkpointType: t.expose('type', { type: CheckpointTypeEnum, ...required('What the network asks for.') }),
    attemptsLeft: t.int({
      needs: 'postings',
      nullable: true,
      description: 'Wrong solutions left before it closes; null if it has closed.',
      extensions: standsAt({ exposed: 'attempts_left' }),
      resolve: async (checkpoint, _args, context) => (await openOf(checkpoint, context))?.attempts_left,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      needs: 'postings',
      nullable: true,
      description: 'When it expires; null if it has closed.',
      extensions: standsAt({ exposed: 'expires_at' }),
      resolve: async (checkpoint, _args, context) => (await openOf(checkpoint, context))?.expires_at,
    }),
    jobPosting: t.field({
      type: PnetJobPostingObject,
      ...foundById('Its draft.', jobItem, { ids: { jobId: 'job_id' } }),
      resolve: (checkpoint, _args, context) =>
        isRead(checkpoint) ? context.loaders.jobs.load(checkpoint.job_id) : postingAfter(checkpoint, context),
    }),
  }),
});

/** The names of the fields that show content. */
export const contentFields: ReadonlySet<string> = new Set(keysOf(jobFields).map(camelCase));

registerNode('Job', ([jobId], { loaders }) => loaders.jobs.load(jobId), { rawIds: 1, type: PnetJobPostingObject.name });
