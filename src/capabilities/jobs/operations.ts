import { z } from 'zod';
import { operation } from '../../kernel/operation.ts';
import { idList } from '../../kernel/validation.ts';
import {
  jobCheckpointShape,
  jobDraftShape,
  jobEditShape,
  jobFieldsShape,
  jobFilterShape,
  jobListShape,
  jobPublishShape,
  jobWatchShape,
} from './shapes.ts';

// The contract has no 400 for this endpoint.
export const editJob = operation('jobs:write', jobEditShape, ({ jobs }) => jobs.edit, {
  invalid: 'unprocessable_entity',
});
export const publishJob = operation('jobs:write', jobPublishShape, ({ jobs }) => jobs.publish);
export const solveJobCheckpoint = operation('jobs:write', jobCheckpointShape, ({ jobs }) => jobs.solveCheckpoint);
export const createJobDraft = operation('jobs:write', jobDraftShape, ({ jobs }) => jobs.createDraft, {
  isAtomic: true,
});
export const findJobs = operation('jobs:read', idList(), ({ jobs }) => jobs.find);
export const readJobFields = operation('jobs:read', jobFieldsShape, ({ jobs }) => jobs.fields);
export const listJobs = operation('jobs:read', jobListShape, ({ jobs }) => jobs.list);
export const countJobs = operation('jobs:read', z.array(jobFilterShape), ({ jobs }) => jobs.counts);
export const watchJobs = operation('jobs:read', jobWatchShape, ({ jobs }) => jobs.watch);
