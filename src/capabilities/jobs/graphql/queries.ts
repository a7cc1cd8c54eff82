import { readsById } from '../../../graphql/cost/weights.ts';
import type { GraphQLContext } from '../../../graphql/graphql-context.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs } from '../../../graphql/kit/connection.ts';
import { connectCounted, countedConnectionType } from '../../../graphql/kit/counted-connection.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { listJobs } from '../operations.ts';
import { type JobFilter, type JobPosting, jobListLimits, jobListScope } from '../shapes.ts';
import { KnownJobStateEnum } from './enums.ts';
import { PnetJobPostingObject, postingMaxAge } from './posting.ts';

const PnetJobPostingConnection = countedConnectionType<JobPosting>(
  'PnetJobPosting',
  PnetJobPostingObject,
  'job postings',
  { hint: postingMaxAge },
);

const listArgs = builder.args((t) => ({
  state: t.field({ type: [KnownJobStateEnum], description: 'States of the jobs to list. Defaults to all states.' }),
  ...connectionArgs(jobListLimits, 'job postings'),
}));

interface ListArguments {
  readonly accountId?: string | null | undefined;
  readonly state?: JobFilter['job_state'] | null;
  readonly first: number;
  readonly after?: string | null | undefined;
}

function connectJobs(context: GraphQLContext, { accountId, state, ...page }: ListArguments) {
  const filter: JobFilter = { account_id: accountId ?? undefined, job_state: state ?? undefined };
  return connectCounted(
    context,
    {
      operation: listJobs,
      request: filter,
      limits: jobListLimits,
      list: ['jobPostings', context.caller.keyId, ...jobListScope(filter)],
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
      'The job posting or draft with this id. Null if the key cannot see one. Embedded backend only. Scope: `jobs:read`.',
    args: { jobId: t.arg.id({ required: true, description: 'Id of the job posting or draft.' }) },
    extensions: readsById,
    resolve: (_root, { jobId }, { loaders }) => loaders.jobs.load(jobId),
  }),
  jobPostings: t.field({
    type: PnetJobPostingConnection,
    nullable: true,
    description: 'Job postings and drafts, newest first. Embedded backend only. Scope: `jobs:read`.',
    args: { accountId: t.arg.id({ description: 'Returns only the jobs of this account.' }), ...listArgs },
    resolve: (_root, args, context) => connectJobs(context, args),
  }),
}));

builder.objectField(AccountObject, 'jobPostings', (t) =>
  t.field({
    type: PnetJobPostingConnection,
    nullable: true,
    description: 'Job postings and drafts of the account, newest first. Scope: `jobs:read`.',
    args: listArgs,
    resolve: ({ account_id }, args, context) => connectJobs(context, { ...args, accountId: account_id }),
  }),
);
