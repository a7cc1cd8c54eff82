import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import { readsById } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { connectionArgs, searchDescription } from '../../../graphql/kit/connection.ts';
import { countedConnectionType, countedList, countedListSource } from '../../../graphql/kit/counted-connection.ts';
import { foundById } from '../../../graphql/kit/node.ts';
import { readsFrom } from '../../../graphql/kit/source.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { AccountObject } from '../../accounts/graphql/account.ts';
import { listJobs, watchJobs } from '../operations.ts';
import { type JobPosting, jobListLimits, jobListScope } from '../shapes.ts';
import { JobOrderEnum, JobStateEnum } from './enums.ts';
import { contentFields, jobItem, PnetJobPostingObject, postingMaxAge } from './posting.ts';

const PnetJobPostingConnection = countedConnectionType<JobPosting>(
  'PnetJobPosting',
  PnetJobPostingObject,
  'job postings',
  { hint: postingMaxAge },
);

const jobListArgs = builder.args((t) => ({
  states: t.field({ type: [JobStateEnum], description: 'States to list.' }),
  query: t.string({ description: searchDescription('`jobTitle.text`') }),
  orderBy: t.field({ type: JobOrderEnum, description: 'Defaults to the newest first.' }),
  ...connectionArgs(jobListLimits),
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
    ...foundById('A job posting or draft; null if the key cannot see it.', jobItem),
    args: { jobId: t.arg.id({ required: true, description: 'Id of the job or draft.' }) },
    resolve: (_root, { jobId }, { loaders }) => loaders.jobs.load(jobId),
  }),
  jobPostings: t.field({
    type: PnetJobPostingConnection,
    nullable: true,
    description: 'Job postings and drafts.',
    args: { accountId: t.arg.id({ description: 'Account of the jobs.' }), ...jobListArgs },
    extensions: readsFrom(jobList),
    resolve: (_root, args, context, info) => connectJobs(info)(context, args),
  }),
}));

builder.objectField(AccountObject, 'jobPostings', (t) =>
  t.field({
    type: PnetJobPostingConnection,
    nullable: true,
    description: 'Job postings and drafts.',
    args: jobListArgs,
    extensions: readsFrom(jobList, { ids: { accountId: 'account_id' } }),
    resolve: ({ account_id }, args, context, info) => connectJobs(info)(context, { ...args, accountId: account_id }),
  }),
);

builder.subscriptionField('jobPostingUpdated', (t) =>
  t.field({
    type: PnetJobPostingObject,
    description: 'Emits each job at once, and again whenever it changes.',
    args: {
      jobIds: t.arg.idList({ required: true, description: `1 to ${maxWatched} job postings or drafts.` }),
    },
    runs: watchJobs,
    extensions: readsById,
    subscribe: (_root, { jobIds }, context) => run(watchJobs, context.ports, context, { job_ids: jobIds }),
    resolve: (posting) => posting,
  }),
);

/** Whether an operation selects a field of one of these names anywhere below a field: it may, if a directive decides. */
function selectsAny(
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  names: ReadonlySet<string>,
): boolean {
  const open: (SelectionSetNode | undefined)[] = fieldNodes.map(({ selectionSet }) => selectionSet);
  const spread = new Set<string>();
  for (const set of open) {
    for (const selection of set?.selections ?? []) {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.kind === Kind.FIELD && names.has(selection.name.value)) return true;
        open.push(selection.selectionSet);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        open.push(fragments[selection.name.value]?.selectionSet);
      }
    }
  }
  return false;
}
