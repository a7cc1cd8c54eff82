import { builder } from '../../graphql/builder.ts';
import { readsById } from '../../graphql/cost/weights.ts';
import { readAnew } from '../../graphql/subscription.ts';
import { run } from '../../operation.ts';
import { maxWatched } from '../../validation.ts';
import { watchJobs } from '../operations.ts';
import { PnetJobPostingObject } from './posting.ts';

builder.subscriptionField('jobPostingUpdated', (t) =>
  t.field({
    type: PnetJobPostingObject,
    description:
      'Emits each of these job postings at once as it is, and again whenever it changes. Embedded backend only. Scope: `jobs:read`.',
    args: {
      jobIds: t.arg.idList({ required: true, description: `Ids of 1 to ${maxWatched} job postings or drafts.` }),
    },
    extensions: readsById,
    subscribe: (_root, { jobIds }, context) => run(watchJobs, context.ports, context, { job_ids: jobIds }),
    resolve: readAnew,
  }),
);
