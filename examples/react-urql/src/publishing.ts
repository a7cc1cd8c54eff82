import { type OperationResult, useMutation } from 'urql';
import type { PublishJobMutation, SolveCheckpointMutation } from './gql/graphql.ts';
import { PublishJob, SolveCheckpoint } from './operations.ts';
import { reasonOf } from './urql.ts';

export type { IssueCode } from './gql/graphql.ts';
export type Result = PublishJobMutation['publishJob'] | SolveCheckpointMutation['solveJobCheckpoint'];

const accountId = 'pnet-----------------A';

function dataOf<Data>({ data, error }: Pick<OperationResult<Data>, 'data' | 'error'>): Data {
  if (error) throw new Error(reasonOf(error));
  if (!data) throw new Error('There was no response.');
  return data;
}

/** The two mutations. Either throws an Error if it has no result. */
export function usePublishing() {
  const [publishing, publish] = useMutation(PublishJob);
  const [solving, solve] = useMutation(SolveCheckpoint);
  return {
    isBusy: publishing.fetching || solving.fetching,
    publish: async (draftId: string): Promise<Result> =>
      dataOf(await publish({ input: { accountId, jobId: draftId, mode: 'FREE' } })).publishJob,
    solve: async (draftId: string, input: string): Promise<Result> =>
      dataOf(await solve({ input: { accountId, jobId: draftId, solution: input } })).solveJobCheckpoint,
  };
}
