import type { GraphQLResolveInfo } from 'graphql';
import { readsById } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, searchDescription } from '../../../graphql/kit/connection.ts';
import { countedConnectionType, countedList, countedListSource } from '../../../graphql/kit/counted-connection.ts';
import { foundById } from '../../../graphql/kit/node.ts';
import { selectsAny } from '../../../graphql/kit/selected.ts';
import { readsFrom } from '../../../graphql/kit/source.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { findJobs, listJobs, watchJobs } from '../operations.ts';
import { type JobPosting, jobListLimits, jobListScope } from '../shapes.ts';
import { JobOrderEnum, JobStateEnum } from './enums.ts';
import { contentFields, PnetJobPostingObject, postingMaxAge } from './posting.ts';

const PnetJobPostingConnection = countedConnectionType<JobPosting>(
  'PnetJobPosting',
  PnetJobPostingObject,
  'job postings',
  { hint: postingMaxAge },
);

const jobListArgs = builder.args((t) => ({
  state: t.field({ type: [JobStateEnum], description: 'States of the jobs to list. Defaults to all states.' }),
  query: t.string({ description: searchDescription('job postings', 'whose `jobTitle.text` contains') }),
  orderBy: t.field({ type: JobOrderEnum, description: 'Order of the list. Defaults to the newest first.' }),
  ...connectionArgs(jobListLimits, 'job postings'),
}));

const jobPostings = {
  operation: listJobs,
  limits: jobListLimits,
  name: 'jobPostings',
  scope: jobListScope,
};

const connectJobs = (info: GraphQLResolveInfo) =>
  countedList({
    ...jobPostings,
    load: (request, { loaders }) => loaders.jobPages.load({ ...request, withContent: selectsAny(info, contentFields) }),
    count: (filter, { loaders }) => loaders.jobCounts.load(filter),
  });

const jobList = countedListSource(jobPostings, (ports) => ports.jobs.pages);

builder.queryFields((t) => ({
  jobPosting: t.field({
    type: PnetJobPostingObject,
    ...foundById('The job posting or draft with this id. Null if the key cannot see one.', {
      operation: findJobs,
      id: ({ jobId }: { readonly jobId: string }) => jobId,
      pages: ({ jobs }) => jobs.found,
    }),
    args: { jobId: t.arg.id({ required: true, description: 'Id of the job posting or draft.' }) },
    resolve: (_root, { jobId }, { loaders }) => loaders.jobs.load(jobId),
  }),
  jobPostings: t.field({
    type: PnetJobPostingConnection,
    nullable: true,
    description: 'Job postings and drafts.',
    args: { accountId: t.arg.id({ description: 'Returns only the jobs of this account.' }), ...jobListArgs },
    extensions: readsFrom(jobList),
    resolve: (_root, args, context, info) => connectJobs(info)(context, args),
  }),
}));

builder.objectField(AccountObject, 'jobPostings', (t) =>
  t.field({
    type: PnetJobPostingConnection,
    nullable: true,
    description: 'Job postings and drafts of the account.',
    args: jobListArgs,
    extensions: readsFrom(jobList, { ids: { accountId: 'account_id' } }),
    resolve: ({ account_id }, args, context, info) => connectJobs(info)(context, { ...args, accountId: account_id }),
  }),
);

builder.subscriptionField('jobPostingUpdated', (t) =>
  t.field({
    type: PnetJobPostingObject,
    description: 'Emits each of these job postings at once as it is, and again whenever it changes.',
    args: {
      jobIds: t.arg.idList({ required: true, description: `Ids of 1 to ${maxWatched} job postings or drafts.` }),
    },
    runs: watchJobs,
    extensions: readsById,
    subscribe: (_root, { jobIds }, context) => run(watchJobs, context.ports, context, { job_ids: jobIds }),
    resolve: (posting) => posting,
  }),
);
