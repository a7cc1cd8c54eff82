/** One GraphQL operation for every root field of the schema, for what must hold for all of them. */
import type { GraphQLObjectType } from 'graphql';
import type { Scope } from '../../src/accounts/shapes.ts';
import { globalId } from '../../src/graphql/node.ts';
import { schema } from '../../src/graphql/schema.ts';

/** Things of one workspace that operations name. */
export interface Named {
  readonly accountId: string;
  readonly draftId: string;
  readonly webhookId: string;
}

export interface FieldOperation {
  /** `Query.posts`, for example. */
  readonly field: string;
  /** What the key must be allowed to do; null for nothing. */
  readonly scope: Scope | null;
  readonly document: (named: Named) => string;
}

const text = JSON.stringify;
const failure = '__typename ... on ServiceError { type status detail message }';
const posting = 'id jobId accountId jobState jobTitle { text }';
const webhook = 'id webhookId name requestUrl accounts { accountId name } headers { key value } events';
const account = 'id accountId name type status';

/** By field: the scope, and the selection with its arguments. A field of the schema that is not here fails a test. */
const operations: Readonly<Record<string, readonly [Scope | null, (named: Named) => string]>> = {
  'Query.viewer': [null, () => 'viewer { keyId name accountIds workspace { workspaceId name } }'],
  'Query.account': ['accounts:read', ({ accountId }) => `account(accountId: ${text(accountId)}) { ${account} }`],
  'Query.accounts': ['accounts:read', () => `accounts { nodes { ${account} } edges { cursor } }`],
  'Query.jobPosting': ['jobs:write', ({ draftId }) => `jobPosting(jobId: ${text(draftId)}) { ${posting} }`],
  'Query.jobPostings': [
    'jobs:write',
    ({ accountId }) => `all: jobPostings { nodes { ${posting} } }
      jobPostings(accountId: ${text(accountId)}) { nodes { ${posting} } }`,
  ],
  'Query.node': [
    'webhooks:read',
    ({ webhookId }) => `node(id: ${text(globalId('Webhook', webhookId))}) { id ... on Webhook { ${webhook} } }`,
  ],
  'Query.nodes': [
    'webhooks:read',
    ({ accountId, draftId, webhookId }) => {
      const ids = [globalId('Account', accountId), globalId('Job', draftId), globalId('Webhook', webhookId)];
      return `nodes(ids: ${text(ids)}) { __typename id }`;
    },
  ],
  'Query.posts': [
    'posts:read',
    ({ accountId }) =>
      `posts(accountId: ${text(accountId)}, identifier: "ACoSandbox1") { nodes { ... on PnetPost { id text } } }`,
  ],
  'Query.webhook': ['webhooks:read', ({ webhookId }) => `webhook(webhookId: ${text(webhookId)}) { ${webhook} }`],
  'Query.webhooks': ['webhooks:read', () => `webhooks { nodes { ${webhook} } }`],
  'Mutation.createJobDraft': [
    'jobs:write',
    ({ accountId }) =>
      `createJobDraft(input: { accountId: ${text(accountId)}, jobTitle: { text: "New" } }) { ${failure} ... on PnetJobPosting { accountId } }`,
  ],
  'Mutation.editJob': [
    'jobs:write',
    ({ accountId, draftId }) =>
      `editJob(input: { accountId: ${text(accountId)}, jobId: ${text(draftId)}, description: "changed" }) { ${failure} ... on PnetJobPostingEdited { jobPosting { ${posting} } } }`,
  ],
  'Mutation.publishJob': [
    'jobs:write',
    ({ accountId, draftId }) =>
      `publishJob(input: { accountId: ${text(accountId)}, draftId: ${text(draftId)}, mode: FREE }) { ${failure} ... on PnetJobPostingPublishCheckpoint { jobPosting { ${posting} } } }`,
  ],
  'Mutation.solveJobCheckpoint': [
    'jobs:write',
    ({ accountId, draftId }) =>
      `solveJobCheckpoint(input: { accountId: ${text(accountId)}, draftId: ${text(draftId)}, input: "123456" }) { ${failure} ... on PnetJobPostingPublished { jobPosting { ${posting} } } }`,
  ],
  'Mutation.createWebhook': [
    'webhooks:write',
    ({ accountId }) =>
      `createWebhook(input: { requestUrl: "https://hooks.example/new", accountIds: [${text(accountId)}], source: { users: {} } }) { ${failure} ... on WebhookCreated { webhook { accounts { accountId name } } } }`,
  ],
  'Mutation.deleteWebhook': [
    'webhooks:write',
    ({ webhookId }) =>
      `deleteWebhook(input: { webhookId: ${text(webhookId)} }) { ${failure} ... on WebhookDeleted { webhookId } }`,
  ],
};

export const fieldOperations: readonly FieldOperation[] = Object.entries(operations).map(
  ([field, [scope, selection]]) => ({
    field,
    scope,
    document: (named) => `${field.startsWith('Mutation') ? 'mutation' : 'query'} { ${selection(named)} }`,
  }),
);

/** The root fields of queries and mutations, as they stand in the schema. */
export const rootFields = (): { readonly field: string; readonly description: string }[] =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values((type as GraphQLObjectType).getFields()).map(({ name, description }) => ({
      field: `${(type as GraphQLObjectType).name}.${name}`,
      description: description ?? '',
    })),
  );
