import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, searchDescription } from '../../../graphql/kit/connection.ts';
import { countedConnectionType, countedList } from '../../../graphql/kit/counted-connection.ts';
import { foundById } from '../../../graphql/kit/found-by-id.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { listJobs } from '../operations.ts';
import { type JobPosting, jobListLimits, jobListScope } from '../shapes.ts';
import { JobOrderEnum, KnownJobStateEnum } from './enums.ts';
import { PnetJobPostingObject, postingMaxAge } from './posting.ts';

const PnetJobPostingConnection = countedConnectionType<JobPosting>(
  'PnetJobPosting',
  PnetJobPostingObject,
  'job postings',
  { hint: postingMaxAge },
);

const jobListArgs = builder.args((t) => ({
  state: t.field({ type: [KnownJobStateEnum], description: 'States of the jobs to list. Defaults to all states.' }),
  query: t.string({ description: searchDescription('job postings', 'whose `jobTitle.text` contains') }),
  orderBy: t.field({ type: JobOrderEnum, description: 'Order of the list. Defaults to the newest first.' }),
  ...connectionArgs(jobListLimits, 'job postings'),
}));

const connectJobs = countedList({
  operation: listJobs,
  limits: jobListLimits,
  scope: (request, { caller }) => ['jobPostings', caller.keyId, ...jobListScope(request)],
  load: (request, { loaders }) => loaders.jobPages.load(request),
  count: (filter, { loaders }) => loaders.jobCounts.load(filter),
});

builder.queryFields((t) => ({
  jobPosting: t.field({
    type: PnetJobPostingObject,
    ...foundById(
      'The job posting or draft with this id. Null if the key cannot see one. Embedded mode only. Scope: `jobs:read`.',
    ),
    args: { jobId: t.arg.id({ required: true, description: 'Id of the job posting or draft.' }) },
    resolve: (_root, { jobId }, { loaders }) => loaders.jobs.load(jobId),
  }),
  jobPostings: t.field({
    type: PnetJobPostingConnection,
    nullable: true,
    description: 'Job postings and drafts. Embedded mode only. Scope: `jobs:read`.',
    args: { accountId: t.arg.id({ description: 'Returns only the jobs of this account.' }), ...jobListArgs },
    resolve: (_root, args, context) => connectJobs(context, args),
  }),
}));

builder.objectField(AccountObject, 'jobPostings', (t) =>
  t.field({
    type: PnetJobPostingConnection,
    nullable: true,
    description: 'Job postings and drafts of the account. Scope: `jobs:read`.',
    args: jobListArgs,
    resolve: ({ account_id }, args, context) => connectJobs(context, { ...args, accountId: account_id }),
  }),
);
