import { graphql, type UseMutationConfig, useMutation } from 'react-relay';
import type { Disposable, MutationParameters } from 'relay-runtime';
import { reasonOf } from './environment.ts';
import type { publishingPublishMutation } from './gql/publishingPublishMutation.graphql.ts';
import type { publishingSolveMutation } from './gql/publishingSolveMutation.graphql.ts';

type AnyResult =
  | publishingPublishMutation['response']['publishJob']
  | publishingSolveMutation['response']['solveJobCheckpoint'];
export type Result = Exclude<NonNullable<AnyResult>, { readonly __typename: '%other' }>;
export type { IssueCode } from './gql/publishingPublishMutation.graphql.ts';

const accountId = 'pnet-----------------A';

const PublishJob = graphql`
  mutation publishingPublishMutation($input: PublishJobInput!) {
    publishJob(input: $input) {
      __typename
      ... on PnetJobPostingPublished { jobId state }
      ... on PnetJobPostingPublishCheckpoint { checkpointType }
      ... on InvalidRequestError { message issues { path code limit message } }
      ... on RequestError { code message }
    }
  }
`;

const SolveCheckpoint = graphql`
  mutation publishingSolveMutation($input: SolveJobCheckpointInput!) {
    solveJobCheckpoint(input: $input) {
      __typename
      ... on PnetJobPostingPublished { jobId state }
      ... on PnetJobPostingPublishCheckpoint { checkpointType }
      ... on CheckpointError { message checkpoint { attemptsLeft } issues { path code limit message } }
      ... on InvalidRequestError { message issues { path code limit message } }
      ... on RequestError { code message }
    }
  }
`;

type Commit<Mutation extends MutationParameters> = (config: UseMutationConfig<Mutation>) => Disposable;

const responseOf = <Mutation extends MutationParameters>(
  commit: Commit<Mutation>,
  variables: Mutation['variables'],
): Promise<Mutation['response']> =>
  new Promise((resolve, reject) => {
    commit({ variables, onCompleted: resolve, onError: (error) => reject(new Error(reasonOf(error))) });
  });

function known(result: AnyResult): Result {
  // A type that the gateway has got since this page was built.
  if (!result || result.__typename === '%other') throw new Error('There was no response.');
  return result;
}

/** The two mutations. Either throws an Error if it has no result. */
export function usePublishing() {
  const [publish, isPublishing] = useMutation<publishingPublishMutation>(PublishJob);
  const [solve, isSolving] = useMutation<publishingSolveMutation>(SolveCheckpoint);
  return {
    isBusy: isPublishing || isSolving,
    publish: async (draftId: string): Promise<Result> =>
      known((await responseOf(publish, { input: { accountId, jobId: draftId, mode: 'FREE' } })).publishJob),
    solve: async (draftId: string, input: string): Promise<Result> =>
      known((await responseOf(solve, { input: { accountId, jobId: draftId, solution: input } })).solveJobCheckpoint),
  };
}
