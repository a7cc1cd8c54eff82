/** What this server asks of the gateway. */
import { graphql } from './gql/gql.ts';

export const Feed = graphql(`query Feed($accountId: ID!, $of: String!, $after: String) {
  posts(accountId: $accountId, identifier: $of, first: 20, after: $after) {
    nodes { ... on NetworkPost { text author { name } } }
    pageInfo { hasNextPage endCursor }
  }
}`);
export const Publish = graphql(`mutation Publish($accountId: ID!, $draftId: ID!) {
  publishJob(input: { accountId: $accountId, jobId: $draftId, mode: FREE }) {
    __typename
    ... on PnetJobPostingPublished { state }
    ... on PnetJobPostingPublishCheckpoint { checkpointType }
    ...Failure
  }
}`);
export const Job = graphql(`query Job($jobId: ID!) { jobPosting(jobId: $jobId) { account { accountId } } }`);
export const JobChanges = graphql(`subscription JobChanges($jobId: ID!) {
  jobPostingUpdated(jobIds: [$jobId]) { state }
}`);
