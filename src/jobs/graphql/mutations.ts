import { builder } from '../../graphql/builder.ts';
import { withoutNulls } from '../../graphql/contract-mapping.ts';
import type { GraphQLContext } from '../../graphql/graphql-context.ts';
import { mutationField, mutationResult } from '../../graphql/mutation.ts';
import { createJobDraft, editJob, publishJob, solveJobCheckpoint } from '../operations.ts';
import type { JobCheckpointOpened, JobEdited, JobPosting, JobPublished } from '../shapes.ts';
import { CheckpointTypeEnum, JobStateEnum } from './enums.ts';
import { CreateJobDraftInput, EditJobInput, jobRequest, PublishJobInput, SolveJobCheckpointInput } from './inputs.ts';
import { PnetJobPosting } from './posting.ts';

/** Every result leads on to the posting as it is after the mutation, whatever was loaded before. */
function postingAfter(
  { job_id }: { readonly job_id: string },
  { loaders }: GraphQLContext,
): Promise<JobPosting | null> {
  return loaders.jobs.clear(job_id).load(job_id);
}

const postingField = {
  type: PnetJobPosting,
  nullable: true,
  description: 'The posting as it is now. Embedded backend only.',
} as const;

const PnetJobPostingEdited = builder.objectRef<JobEdited>('PnetJobPostingEdited').implement({
  description: 'The job was edited.',
  fields: (t) => ({
    jobId: t.exposeID('job_id', { description: 'The job.' }),
    jobPosting: t.field({ ...postingField, resolve: (result, _args, context) => postingAfter(result, context) }),
  }),
});

const PnetJobPostingPublished = builder.objectRef<JobPublished>('PnetJobPostingPublished').implement({
  description: 'The draft was published.',
  fields: (t) => ({
    jobId: t.exposeID('job_id', { description: 'The job.' }),
    jobState: t.expose('job_state', { type: JobStateEnum, description: 'The state it is in now.' }),
    jobPosting: t.field({ ...postingField, resolve: (result, _args, context) => postingAfter(result, context) }),
  }),
});

const PnetJobPostingPublishCheckpoint = builder
  .objectRef<JobCheckpointOpened>('PnetJobPostingPublishCheckpoint')
  .implement({
    description:
      'The network asks for one more step before it publishes the draft: answer it with `solveJobCheckpoint`. The draft is not published yet.',
    fields: (t) => ({
      jobId: t.exposeID('job_id', { description: 'The draft: the `draftId` of `solveJobCheckpoint`.' }),
      // Not `type`: an error of the same union has a `type` that is text, and GraphQL lets no selection have both.
      checkpointType: t.expose('type', { type: CheckpointTypeEnum, description: 'What the network asks for.' }),
      jobPosting: t.field({ ...postingField, resolve: (result, _args, context) => postingAfter(result, context) }),
    }),
  });

const editResult = mutationResult<JobEdited>(
  'EditJobResult',
  'The edited job, or why it was not edited.',
  [PnetJobPostingEdited],
  // A checkpoint stands in the way of an edit where the network asks the account itself for one.
  ['request', 'not_found', 'account', 'checkpoint', 'performed'],
);

const draftResult = mutationResult<JobPosting>(
  'CreateJobDraftResult',
  'The new draft, or why there is none.',
  [PnetJobPosting],
  ['request', 'not_found', 'account'],
);

const publishResult = mutationResult<JobPublished | JobCheckpointOpened>(
  'PublishJobResult',
  'The published job, the checkpoint that the network asks for, or why it was not published.',
  [PnetJobPostingPublished, PnetJobPostingPublishCheckpoint],
  ['request', 'not_found', 'account', 'checkpoint', 'payment', 'performed'],
);

const checkpointResult = mutationResult<JobPublished | JobCheckpointOpened>(
  'SolveJobCheckpointResult',
  'The published job, the next checkpoint, or why the solution was not taken.',
  [PnetJobPostingPublished, PnetJobPostingPublishCheckpoint],
  ['request', 'not_found', 'account', 'checkpoint', 'performed'],
);

mutationField('editJob', {
  description: 'Edits a job posting: only the fields that are present change.',
  input: EditJobInput,
  inputDescription: 'What to change.',
  result: editResult,
  operation: editJob,
  // The one mutation in which null is refused: it could be taken for "remove".
  toRequest: jobRequest,
});

mutationField('createJobDraft', {
  description:
    'Creates a draft, to be published with `publishJob`. Embedded backend only: the contract has no such call.',
  input: CreateJobDraftInput,
  inputDescription: 'What the draft says.',
  result: draftResult,
  operation: createJobDraft,
  toRequest: (input) => jobRequest(withoutNulls(input)),
});

mutationField('publishJob', {
  description: 'Publishes a draft as a free or a paid listing. The network may ask for a checkpoint first.',
  input: PublishJobInput,
  inputDescription: 'How to publish it.',
  result: publishResult,
  operation: publishJob,
});

mutationField('solveJobCheckpoint', {
  description:
    'Answers the checkpoint that publishing a draft has opened; another may follow. Five wrong inputs close it, and it expires after 15 minutes: publish again.',
  input: SolveJobCheckpointInput,
  inputDescription: 'The answer.',
  result: checkpointResult,
  operation: solveJobCheckpoint,
});
