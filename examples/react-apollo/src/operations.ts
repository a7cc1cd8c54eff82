import { graphql } from './gql/gql.ts';

export const Posts = graphql(`
  query Posts($accountId: ID!, $identifier: String!, $after: String) {
    posts(accountId: $accountId, identifier: $identifier, first: 20, after: $after) {
      edges { node { ...Entry } }
      pageInfo { hasNextPage endCursor }
    }
  }
  fragment Entry on NetworkPost {
    __typename
    id
    text
    reactionCount
    commentCount
    author { id name }
    ... on PnetPost { publishedAt author { profilePictureUrl } attachments { type url width height isUnavailable } }
    ... on PhotonetPost { caption { createdAt } author { picture: profilePictureUrl } previewImage { url width height } }
  }
`);

export const PublishJob = graphql(`
  mutation PublishJob($input: PublishJobInput!) {
    publishJob(input: $input) {
      __typename
      ... on PnetJobPostingPublished { jobId state }
      ... on PnetJobPostingPublishCheckpoint { checkpointType }
      ...Refusal
    }
  }
  fragment Refusal on ServiceError {
    code
    message
    ... on CheckpointError { checkpoint { attemptsLeft } issues { path code limit message } }
    ... on InvalidRequestError { issues { path code limit message } }
  }
`);

export const SolveCheckpoint = graphql(`
  mutation SolveCheckpoint($input: SolveJobCheckpointInput!) {
    solveJobCheckpoint(input: $input) {
      __typename
      ... on PnetJobPostingPublished { jobId state }
      ... on PnetJobPostingPublishCheckpoint { checkpointType }
      ...Refusal
    }
  }
`);

export const Webhooks = graphql(`
  query Webhooks {
    webhooks(first: 250, orderBy: NAME_ASC) { nodes { id webhookId name } }
  }
`);

export const DeliveryList = graphql(`
  query DeliveryList($states: [DeliveryState!], $webhookId: ID, $after: String) {
    deliveries(states: $states, webhookId: $webhookId, first: 20, after: $after) {
      edges { __typename node { ...Row } }
      pageInfo { hasNextPage endCursor }
    }
  }
  fragment Row on Delivery {
    id
    deliveryId
    webhookId
    event
    createdAt
    state
    attemptCount
    lastAttempt { status failure }
  }
`);

export const Updates = graphql(`subscription Updates { deliveryUpdated { ...Row } }`);

export const EmitEvent = graphql(`
  mutation EmitEvent($input: EmitEventInput!) {
    emitEvent(input: $input) {
      __typename
      ... on EventEmitted { deliveries { id } }
      ... on ServiceError { code message }
    }
  }
`);
