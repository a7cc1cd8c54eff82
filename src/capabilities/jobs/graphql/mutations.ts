import { builder } from '../../../graphql/kit/builder.ts';
import { errorTypes } from '../../../graphql/kit/error-types.ts';
import { repeatedOfCreation } from '../../../graphql/kit/idempotent-mutation.ts';
import { mutationField, mutationResult } from '../../../graphql/kit/mutation.ts';
import { required } from '../../../graphql/kit/network-values.ts';
import { foundById } from '../../../graphql/kit/node.ts';
import { createJobDraft, editJob, findJobs, publishJob, solveJobCheckpointByForm } from '../operations.ts';
import type { JobCheckpointOpened, JobEdited, JobPosting, JobPublished } from '../shapes.ts';
import { UnsolvedCheckpoint } from '../unsolved-checkpoint.ts';
import { JobStateEnum } from './enums.ts';
import {
  CreateJobDraftInput,
  EditJobInput,
  jobRequest,
  PublishJobInput,
  publishRequest,
  SolveJobCheckpointInput,
  solutionRequest,
} from './inputs.ts';
import { CheckpointObject, forgetPosting, PnetJobPostingObject, postingAfter } from './posting.ts';

const postingField = {
  type: PnetJobPostingObject,
  ...foundById('The job afterwards.', findJobs),
} as const;

/** A payload that clients can add to a list, unlike the result union, which has errors. */
interface JobCreated {
  readonly object: 'PnetJobPostingCreated';
  readonly posting: JobPosting;
  readonly repeated: boolean;
}

const PnetJobPostingCreatedObject = builder.objectRef<JobCreated>('PnetJobPostingCreated').implement({
  description: 'A draft was created.',
  fields: (t) => ({
    jobId: t.id({
      description: 'Id of the draft.',
      resolve: ({ posting }) => posting.job_id,
    }),
    jobPosting: t.expose('posting', { type: PnetJobPostingObject, description: 'The draft.' }),
    isRepeated: t.exposeBoolean('repeated', repeatedOfCreation),
  }),
});

const PnetJobPostingEditedObject = builder.objectRef<JobEdited>('PnetJobPostingEdited').implement({
  description: 'A job was edited.',
  fields: (t) => ({
    jobId: t.exposeID('job_id', { description: 'Id of the job.' }),
    jobPosting: t.field({ ...postingField, resolve: (result, _args, context) => postingAfter(result, context) }),
  }),
});

const PnetJobPostingPublishedObject = builder.objectRef<JobPublished>('PnetJobPostingPublished').implement({
  description: 'A draft was published.',
  fields: (t) => ({
    jobId: t.exposeID('job_id', { description: 'Id of the job.' }),
    state: t.expose('job_state', { type: JobStateEnum, ...required('State afterwards.') }),
    jobPosting: t.field({ ...postingField, resolve: (result, _args, context) => postingAfter(result, context) }),
  }),
});

/** The error itself, or that of which the paths were translated. */
const unsolved = (error: Error): UnsolvedCheckpoint | undefined =>
  [error, error.cause].find((each) => each instanceof UnsolvedCheckpoint);

builder.objectField(errorTypes.checkpoint, 'checkpoint', (t) =>
  t.field({
    type: CheckpointObject,
    needs: 'postings',
    nullable: true,
    description: 'Checkpoint that is still open; null if none: publish again.',
    resolve({ error }, _args, context) {
      const checkpoint = unsolved(error)?.checkpoint ?? null;
      if (checkpoint !== null) forgetPosting(checkpoint, context);
      return checkpoint;
    },
  }),
);

const editResult = mutationResult<JobEdited>('EditJobResult', 'The job, or an error.', [PnetJobPostingEditedObject]);

const draftResult = mutationResult<JobCreated>('CreateJobDraftResult', 'The draft, or an error.', [
  PnetJobPostingCreatedObject,
]);

const publishResult = mutationResult<JobPublished | JobCheckpointOpened>(
  'PublishJobResult',
  'The job, a checkpoint to solve, or an error.',
  [PnetJobPostingPublishedObject, CheckpointObject],
);

const checkpointResult = mutationResult<JobPublished | JobCheckpointOpened>(
  'SolveJobCheckpointResult',
  'The job, the next checkpoint, or an error.',
  [PnetJobPostingPublishedObject, CheckpointObject],
  { solves: true },
);

mutationField('editJob', {
  description: 'Edits a job posting.',
  input: EditJobInput,
  inputDescription: 'The job and its changes.',
  result: editResult,
  operation: editJob,
  refusesNull: true,
  toRequest: jobRequest,
});

mutationField('createJobDraft', {
  description: 'Creates a draft, which `publishJob` publishes.',
  input: CreateJobDraftInput,
  inputDescription: 'The draft to create.',
  result: draftResult,
  operation: createJobDraft,
  oncePerKey: true,
  toRequest: jobRequest,
  toSuccess: (posting, _input, repeated) => ({ object: 'PnetJobPostingCreated', posting, repeated }),
});

mutationField('publishJob', {
  description: 'Publishes a draft. The network may require a checkpoint first.',
  input: PublishJobInput,
  inputDescription: 'The draft and how to publish it.',
  result: publishResult,
  operation: publishJob,
  toRequest: publishRequest,
});

mutationField('solveJobCheckpoint', {
  description: 'Solves the checkpoint of a draft. Another may follow.',
  input: SolveJobCheckpointInput,
  inputDescription: 'The solution.',
  result: checkpointResult,
  operation: solveJobCheckpointByForm,
  toRequest: solutionRequest,
});
