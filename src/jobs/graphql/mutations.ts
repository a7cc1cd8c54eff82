import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { mutationResult } from '../../graphql/errors.ts';
import { toContract, withoutNulls } from '../../graphql/words.ts';
import { createJobDraft, editJob, publishJob, solveJobCheckpoint } from '../operations.ts';
import type { JobCheckpointOpened, JobEdited, JobPosting, JobPublished } from '../shapes.ts';
import { CreateJobDraftInput, EditJobInput, jobRequest, PublishJobInput, SolveJobCheckpointInput } from './inputs.ts';
import { findJob, PnetJobPosting } from './posting.ts';
import { CheckpointTypeEnum, JobStateEnum } from './vocabularies.ts';

/** Every result leads on to the posting as it is after the mutation, whatever was loaded before. */
function postingAfter({ job_id }: { readonly job_id: string }, context: Context): Promise<JobPosting | null> {
  context.loaders.jobs.clear(job_id);
  return findJob(job_id, context);
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
  [PnetJobPostingPublished, PnetJobPostingPublishCheckpoint] as never,
  ['request', 'not_found', 'account', 'checkpoint', 'payment', 'performed'],
);

const checkpointResult = mutationResult<JobPublished | JobCheckpointOpened>(
  'SolveJobCheckpointResult',
  'The published job, the next checkpoint, or why the solution was not taken.',
  [PnetJobPostingPublished, PnetJobPostingPublishCheckpoint] as never,
  ['request', 'not_found', 'account', 'checkpoint', 'performed'],
);

builder.mutationFields((t) => ({
  editJob: t.field({
    type: editResult.type,
    description: 'Edits a job posting: only the fields that are present change. Scope: `jobs:write`.',
    args: { input: t.arg({ type: EditJobInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, context) => {
      const request = jobRequest(input);
      return editResult.attempt(request, editJob(context, request));
    },
  }),
  createJobDraft: t.field({
    type: draftResult.type,
    description:
      'Makes a draft, to be published with `publishJob`. Embedded backend only: the contract has no such call. Scope: `jobs:write`.',
    args: { input: t.arg({ type: CreateJobDraftInput, required: true, description: 'What the draft says.' }) },
    resolve: (_root, { input }, context) => {
      const request = jobRequest(withoutNulls(input));
      return draftResult.attempt(request, createJobDraft(context, request));
    },
  }),
  publishJob: t.field({
    type: publishResult.type,
    description:
      'Publishes a draft as a free or a paid listing. The network may ask for a checkpoint first. Scope: `jobs:write`.',
    args: { input: t.arg({ type: PublishJobInput, required: true, description: 'How to publish it.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(withoutNulls(input));
      return publishResult.attempt(request, publishJob(context, request));
    },
  }),
  solveJobCheckpoint: t.field({
    type: checkpointResult.type,
    description:
      'Answers the checkpoint that publishing a draft has opened; another may follow. Five wrong inputs close it, and it expires after 15 minutes: publish again. Scope: `jobs:write`.',
    args: { input: t.arg({ type: SolveJobCheckpointInput, required: true, description: 'The answer.' }) },
    resolve: (_root, { input }, context) => {
      const request = toContract(input);
      return checkpointResult.attempt(request, solveJobCheckpoint(context, request));
    },
  }),
}));
