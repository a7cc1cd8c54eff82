import { z } from 'zod';
import { operation } from '../operation.ts';
import { identifier, pageLimit } from '../shape.ts';
import { jobCheckpointShape, jobDraftShape, jobEditShape, jobPublishShape, jobStates } from './shapes.ts';

/** Bounds of the list of postings, an addition to the contract. */
export const jobListLimits = { limit: { min: 1, max: 250, default: 100 } } as const;

export const editJob = operation({
  scope: 'jobs:write',
  shape: jobEditShape,
  // The contract lets this endpoint answer no 400.
  invalid: 'unprocessable_entity',
  run: (ports, call, request) => ports.jobs.edit(call, request),
});

export const publishJob = operation({
  scope: 'jobs:write',
  shape: jobPublishShape,
  run: (ports, call, request) => ports.jobs.publish(call, request),
});

export const solveJobCheckpoint = operation({
  scope: 'jobs:write',
  shape: jobCheckpointShape,
  run: (ports, call, request) => ports.jobs.solveCheckpoint(call, request),
});

export const createJobDraft = operation({
  scope: 'jobs:write',
  shape: jobDraftShape,
  run: (ports, call, request) => ports.jobs.createDraft(call, request),
});

export const findJobs = operation({
  scope: 'jobs:write',
  shape: z.array(identifier()),
  run: (ports, call, jobIds) => ports.jobs.find(call, jobIds),
});

export const listJobs = operation({
  scope: 'jobs:write',
  shape: z.strictObject({
    account_id: identifier().optional(),
    job_state: z.enum(jobStates).optional(),
    limit: pageLimit(jobListLimits.limit.max).optional(),
    cursor: z.string().min(1, 'must not be empty').optional(),
  }),
  run: (ports, call, request) => ports.jobs.list(call, request),
});
