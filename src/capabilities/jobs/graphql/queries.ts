import { readsById } from '../../../graphql/cost/weights.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, searchDescription } from '../../../graphql/kit/connection.ts';
import { connectCounted, countedConnectionType } from '../../../graphql/kit/counted-connection.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { listJobs } from '../operations.ts';
import { type JobFilter, type JobOrder, type JobPosting, jobListLimits, jobListScope } from '../shapes.ts';
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

interface JobListArguments {
  readonly accountId?: string | null | undefined;
  readonly state?: JobFilter['job_state'] | null;
  readonly query?: string | null | undefined;
  readonly orderBy?: JobOrder | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

function connectJobs(context: GraphQLContext, { accountId, state, query, orderBy, ...page }: JobListArguments) {
  const filter: JobFilter = {
    account_id: accountId ?? undefined,
    job_state: state ?? undefined,
    query: query ?? undefined,
  };
  const order_by = orderBy ?? undefined;
  return connectCounted(
    context,
    {
      operation: listJobs,
      request: { ...filter, order_by },
      limits: jobListLimits,
      list: ['jobPostings', context.caller.keyId, ...jobListScope({ ...filter, order_by })],
      ...page,
    },
    {
      load: (request) => context.loaders.jobPages.load(request),
      count: () => context.loaders.jobCounts.load(filter),
    },
  );
}

builder.queryFields((t) => ({
  jobPosting: t.field({
    type: PnetJobPostingObject,
    nullable: true,
    description:
      'The job posting or draft with this id. Null if the key cannot see one. Embedded mode only. Scope: `jobs:read`.',
    args: { jobId: t.arg.id({ required: true, description: 'Id of the job posting or draft.' }) },
    extensions: readsById,
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
