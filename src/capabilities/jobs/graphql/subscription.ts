import { readsById } from '../../../graphql/cost/weights.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { readAnew } from '../../../graphql/kit/subscription.ts';
import { run } from '../../../kernel/operation.ts';
import { maxWatched } from '../../../kernel/validation.ts';
import { watchJobs } from '../operations.ts';
import { PnetJobPostingObject } from './posting.ts';

builder.subscriptionField('jobPostingUpdated', (t) =>
  t.field({
    type: PnetJobPostingObject,
    description:
      'Emits each of these job postings at once as it is, and again whenever it changes. Embedded mode only. Scope: `jobs:read`.',
    args: {
      jobIds: t.arg.idList({ required: true, description: `Ids of 1 to ${maxWatched} job postings or drafts.` }),
    },
    extensions: readsById,
    subscribe: (_root, { jobIds }, context) => run(watchJobs, context.ports, context, { job_ids: jobIds }),
    resolve: readAnew,
  }),
);
