/** An API of its own: what a page needs, in the words of the page. */
import { GraphQLError } from 'graphql';
import { createSchema } from 'graphql-yoga';
import { Feed, Job, JobChanges, Publish } from './operations.ts';
import { ask, PosternError, readable, watch } from './postern.ts';
import type { Visitor } from './visitors.ts';

export interface Context {
  readonly visitor: Visitor;
}

const typeDefs = /* GraphQL */ `
  type Query {
    feed(accountId: ID!, of: String!, after: String): Feed!
  }
  type Feed {
    items: [Item!]!
    "The value of \`after\` for the next page; null at the end."
    next: String
  }
  type Item {
    text: String
    author: String!
  }
  type Mutation {
    publish(accountId: ID!, draftId: ID!): Publishing!
  }
  union Publishing = Posting | Question | Refusal
  type Posting {
    state: String!
  }
  type Question {
    "What the network asks for: EMAIL_VERIFICATION or OTP."
    about: String!
  }
  type Refusal {
    "An ErrorCode of the gateway."
    code: String!
    message: String!
  }
  type Subscription {
    posting(jobId: ID!): Posting!
  }
`;

// #region resolvers
/** @throws GraphQLError unless the visitor may see the account */
function assertSees({ accountIds }: Visitor, accountId: string | undefined): void {
  if (accountId === undefined || !accountIds.includes(accountId))
    throw new GraphQLError('There is nothing of this id.', { extensions: { code: 'NOT_FOUND' } });
}

/** What the gateway reports is told with its code. Its path is one of the gateway's schema, and stays behind. */
const fromGateway = <Result>(result: Promise<Result>) =>
  result.catch((error: unknown) => {
    if (!(error instanceof PosternError)) throw error;
    throw new GraphQLError(error.message, { extensions: { code: error.code } });
  });

export const schema = createSchema<Context>({
  typeDefs,
  resolvers: {
    Query: {
      async feed(_, args: { accountId: string; of: string; after?: string }, { visitor }) {
        assertSees(visitor, args.accountId);
        const { nodes, pageInfo } = await fromGateway(ask(Feed, args).then(({ posts }) => posts));
        return {
          items: readable(nodes, ({ text, author }) => ({ text, author: author.name })),
          next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        };
      },
    },
    Mutation: {
      async publish(_, args: { accountId: string; draftId: string }, { visitor }) {
        assertSees(visitor, args.accountId);
        const result = await fromGateway(ask(Publish, args).then(({ publishJob }) => publishJob));
        switch (result.__typename) {
          case 'PnetJobPostingPublished':
            return { __typename: 'Posting', state: result.state };
          case 'PnetJobPostingPublishCheckpoint':
            return { __typename: 'Question', about: result.checkpointType };
          default:
            return { ...result, __typename: 'Refusal' };
        }
      },
    },
    Subscription: {
      posting: {
        async subscribe(_, args: { jobId: string }, { visitor }) {
          const job = await fromGateway(ask(Job, args).then(({ jobPosting }) => jobPosting));
          assertSees(visitor, job?.account?.accountId);
          return watch(JobChanges, args);
        },
        resolve: ({ jobPostingUpdated }: { jobPostingUpdated: { state: string } }) => ({
          state: jobPostingUpdated.state,
        }),
      },
    },
  },
});
// #endregion
