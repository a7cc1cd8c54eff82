import { useMutation } from '@apollo/client/react';
import { reasonOf } from './apollo.ts';
import type { PublishJobMutation, SolveCheckpointMutation } from './gql/graphql.ts';
import { PublishJob, SolveCheckpoint } from './operations.ts';

export type { IssueCode } from './gql/graphql.ts';
export type Result = PublishJobMutation['publishJob'] | SolveCheckpointMutation['solveJobCheckpoint'];

const accountId = 'pnet-----------------A';

/** The two mutations. Either throws an Error if it has no result. */
export function usePublishing() {
  const [publish, publishing] = useMutation(PublishJob);
  const [solve, solving] = useMutation(SolveCheckpoint);
  async function resultOf<Data>(sent: Promise<{ data?: Data | null | undefined }>): Promise<Data> {
    const { data } = await sent.catch((error: unknown) => Promise.reject(new Error(reasonOf(error))));
    if (!data) throw new Error('There was no response.');
    return data;
  }
  return {
    isBusy: publishing.loading || solving.loading,
    publish: async (draftId: string): Promise<Result> =>
      (await resultOf(publish({ variables: { input: { accountId, jobId: draftId, mode: 'FREE' } } }))).publishJob,
    solve: async (draftId: string, input: string): Promise<Result> =>
      (await resultOf(solve({ variables: { input: { accountId, jobId: draftId, solution: input } } })))
        .solveJobCheckpoint,
  };
}
