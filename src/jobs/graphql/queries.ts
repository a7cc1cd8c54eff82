import { builder } from '../../graphql/builder.ts';
import { connect, connectionArgs, connectionType } from '../../graphql/connection.ts';
import { readsById } from '../../graphql/cost/weights.ts';
import { listJobs } from '../operations.ts';
import { jobListLimits } from '../shapes.ts';
import { JobStateEnum } from './enums.ts';
import { PnetJobPostingObject } from './posting.ts';

const PnetJobPostingConnection = connectionType('PnetJobPosting', PnetJobPostingObject, 'job postings');

builder.queryFields((t) => ({
  jobPosting: t.field({
    type: PnetJobPostingObject,
    nullable: true,
    description:
      'The job posting or draft with this id. Null if the key cannot see one. Embedded backend only. Scope: `jobs:write`.',
    args: { jobId: t.arg.id({ required: true, description: 'Id of the job posting or draft.' }) },
    extensions: readsById,
    resolve: (_root, { jobId }, { loaders }) => loaders.jobs.load(jobId),
  }),
  jobPostings: t.field({
    type: PnetJobPostingConnection,
    description: 'Job postings and drafts, newest first. Embedded backend only. Scope: `jobs:write`.',
    args: {
      accountId: t.arg.id({ description: 'Returns only the jobs of this account.' }),
      state: t.arg({ type: JobStateEnum, description: 'Returns only the jobs in this state.' }),
      ...connectionArgs(jobListLimits, 'job postings'),
    },
    resolve: (_root, { accountId, state, ...page }, context) =>
      connect(context, {
        operation: listJobs,
        request: { account_id: accountId ?? undefined, job_state: state ?? undefined },
        limits: jobListLimits,
        list: ['jobPostings', context.caller.keyId, accountId, state],
        ...page,
      }),
  }),
}));
