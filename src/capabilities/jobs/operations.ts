import { z } from 'zod';
import { ServiceError } from '../../kernel/errors.ts';
import { operation, operationThatNeeds } from '../../kernel/operation.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import { idList } from '../../kernel/validation.ts';
import {
  type JobCheckpoint,
  jobCheckpointShape,
  jobDraftShape,
  jobEditShape,
  jobFieldsShape,
  jobFilterShape,
  jobListShape,
  jobPublishShape,
  jobWatchShape,
  type OpenCheckpoint,
} from './shapes.ts';
import { solutionFailure, UnsolvedCheckpoint } from './unsolved-checkpoint.ts';

const ofPostings = operationThatNeeds('postings');

// The contract has no 400 for this endpoint.
export const editJob = operation('jobs:write', jobEditShape, ({ jobs }) => jobs.edit, {
  invalid: 'unprocessable_entity',
});
export const publishJob = operation('jobs:write', jobPublishShape, ({ jobs }) => jobs.publish);
export const solveJobCheckpoint = operation('jobs:write', jobCheckpointShape, ({ jobs }) => jobs.solveCheckpoint);
/** For a form: an input that is refused before its checkpoint is looked for is told as one that the network refuses. */
export const solveJobCheckpointByForm: typeof solveJobCheckpoint = {
  ...solveJobCheckpoint,
  async perform(ports, context, request) {
    try {
      return await solveJobCheckpoint.perform(ports, context, request);
    } catch (error) {
      if (!isAboutInput(error)) throw error;
      throw solutionFailure(error, await openCheckpoint(ports, context, request));
    }
  },
};
export const createJobDraft = ofPostings('jobs:write', jobDraftShape, ({ jobs }) => jobs.createDraft, {
  isAtomic: true,
});
export const findJobs = ofPostings('jobs:read', idList(), ({ jobs }) => jobs.find);
export const readJobFields = ofPostings('jobs:read', jobFieldsShape, ({ jobs }) => jobs.fields);
export const listJobs = ofPostings('jobs:read', jobListShape, ({ jobs }) => jobs.list);
export const countJobs = ofPostings('jobs:read', z.array(jobFilterShape), ({ jobs }) => jobs.counts);
export const watchJobs = ofPostings('jobs:read', jobWatchShape, ({ jobs }) => jobs.watch);

const isAboutInput = (error: unknown): error is ServiceError =>
  error instanceof ServiceError &&
  !(error instanceof UnsolvedCheckpoint) &&
  error.issues.length > 0 &&
  error.issues.every(({ path }) => path[0] === 'input');

/** What the form can still solve; a service does not tell. */
async function openCheckpoint(ports: Ports, context: RequestContext, request: unknown): Promise<OpenCheckpoint | null> {
  if (ports.serviceJudges('jobs:write')) return null;
  const { account_id, draft_id } = request as JobCheckpoint;
  const [posting] = await ports.jobs.find(context, [draft_id]);
  return posting != null && !(posting instanceof Error) && posting.account_id === account_id
    ? posting.checkpoint
    : null;
}
