import { graphql } from './gql/gql.ts';
import { ask, pages, readable, unwrap, watch } from './postern.ts';

const Feed = graphql(`query Feed($accountId: ID!, $identifier: String!, $after: String) {
  posts(accountId: $accountId, identifier: $identifier, first: 100, after: $after) {
    nodes {
      ... on NetworkPost { text author { name } }
      ... on PnetPost { publishedAt }
      ... on PhotonetPost { caption { createdAt } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`);
const Publish = graphql(`mutation Publish($input: PublishJobInput!) {
  publishJob(input: $input) {
    __typename ... on PnetJobPostingPublishCheckpoint { checkpointType } ...Failure
  }
}`);
const Solve = graphql(`mutation Solve($input: SolveJobCheckpointInput!) {
  solveJobCheckpoint(input: $input) {
    __typename ... on PnetJobPostingPublishCheckpoint { checkpointType } ...Failure
    ... on CheckpointError { checkpoint { attemptsLeft } issues { code } }
  }
}`);
const Job = graphql(`subscription Job($jobIds: [ID!]!) { jobPostingUpdated(jobIds: $jobIds) { state } }`);

const accountId = 'pnet-----------------A';
const feed = pages(async (after) => (await ask(Feed, { accountId, identifier: 'ACoSandbox250', after })).posts);
for await (const { nodes } of feed) {
  const authors = readable(nodes, (post) => post.author.name);
  console.log(authors.length, 'posts by', authors[0]);
}

const draftId = '1011'; // the sandbox asks for a code and then for a token
const inputs = { EMAIL_VERIFICATION: ['sandbox-email-token'], OTP: ['', 'abc', '000000', '123456'], UNRECOGNIZED: [] };
let job = unwrap((await ask(Publish, { input: { accountId, jobId: draftId, mode: 'FREE' } })).publishJob);
while (job.__typename === 'PnetJobPostingPublishCheckpoint') {
  const input = inputs[job.checkpointType].shift(); // in its place ask the user
  if (input === undefined) throw new Error(`Nobody answered ${job.checkpointType}`);
  const { solveJobCheckpoint: solved } = await ask(Solve, { input: { accountId, jobId: draftId, solution: input } });
  // The checkpoint stays open: ask again.
  if (solved.__typename === 'CheckpointError' && solved.checkpoint)
    console.log(`"${input}" is ${solved.issues[0]?.code}. Attempts left: ${solved.checkpoint.attemptsLeft}`);
  else job = unwrap(solved);
}
for await (const { jobPostingUpdated } of watch(Job, { jobIds: [draftId] })) {
  console.log('The posting is', jobPostingUpdated.state);
  break; // it ends the subscription
}
