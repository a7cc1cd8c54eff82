/** The README's configuration and environment for Relay: relay-compiler and relay-runtime against a gateway. */
import {
  type ConcreteRequest,
  commitMutation,
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  type GraphQLTaggedNode,
  requestSubscription,
  type Variables,
} from 'relay-runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReadersProject, readersProject } from '../support/readme-clients.ts';
import { snippet } from '../support/readme-section.ts';

const source = `import { graphql } from 'relay-runtime';
graphql\`query appFeedQuery($count: Int!, $cursor: String) {
  posts(accountId: "pnet-----------------A", identifier: "ACoSandbox250", first: $count, after: $cursor)
    @connection(key: "app_posts") { edges { node { ... on NetworkPost { text author { name } } } } }
}\`;
graphql\`query appJobQuery($jobId: ID!) { jobPosting(jobId: $jobId) { jobState } }\`;
graphql\`subscription appJobSubscription($jobId: ID!) { jobPostingUpdated(jobIds: [$jobId]) { jobState } }\`;
graphql\`mutation appPublishMutation($input: PublishJobInput!) { publishJob(input: $input) { __typename } }\`;
graphql\`query appWebhooksQuery {
  webhooks(first: 50) @connection(key: "app_webhooks") { __id edges { node { name } } }
}\`;
graphql\`mutation appCreateMutation($input: CreateWebhookInput!, $lists: [ID!]!) {
  createWebhook(input: $input) {
    ... on WebhookCreated { webhook @appendNode(connections: $lists, edgeTypeName: "WebhookEdge") { webhookId name } }
  }
}\`;
graphql\`mutation appDeleteMutation($input: DeleteWebhookInput!, $lists: [ID!]!) {
  deleteWebhook(input: $input) { ... on WebhookDeleted { deletedWebhookId @deleteEdge(connections: $lists) } }
}\`;
`;

interface Feed {
  readonly posts: { readonly edges: readonly object[]; readonly pageInfo: { hasNextPage: boolean; endCursor: string } };
}

let project: ReadersProject;
let environment: Environment;
const artifacts = new Map<string, ConcreteRequest>();

beforeAll(async () => {
  project = await readersProject('### Relay');
  const schema = await fetch(`${project.gateway.address}/schema.graphql`);
  await project.write('gateway.graphql', await schema.text());
  await project.write('relay.config.json', snippet('### Relay', 'json'));
  await project.write('app.ts', source);
  await project.write('__generated__/.keep', '');
  await project.command('relay-compiler', '--noWatchman');
  for (const [, name = ''] of source.matchAll(/(?:query|mutation|subscription) (\w+)/g))
    artifacts.set(name, (await project.load(`__generated__/${name}.graphql.ts`)).default);
  ({ environment } = await project.load('environment.ts'));
});
afterAll(() => project?.close());

const artifact = (name: string): ConcreteRequest => {
  const found = artifacts.get(name);
  if (found === undefined) throw new Error(`${name} was not compiled`);
  return found;
};
const read = (name: string, variables: Variables = {}) =>
  fetchQuery(environment, artifact(name) as unknown as GraphQLTaggedNode, variables).toPromise();
/** What the store has for a query. */
const stored = (name: string, variables: Variables = {}): unknown =>
  environment.lookup(createOperationDescriptor(artifact(name), variables).fragment).data;
const mutate = (name: string, variables: Variables) =>
  new Promise<unknown>((resolve, reject) => {
    const mutation = artifact(name) as unknown as GraphQLTaggedNode;
    commitMutation(environment, { mutation, variables, onCompleted: resolve, onError: reject });
  });

test('TypeScript finds nothing wrong', async () => {
  expect(await project.compile()).toBe('');
});

test('pages are merged', async () => {
  const first = { count: 100 };
  const posts = () => (stored('appFeedQuery', first) as Feed).posts;
  await read('appFeedQuery', first);
  while (posts().pageInfo.hasNextPage) await read('appFeedQuery', { count: 100, cursor: posts().pageInfo.endCursor });
  expect(posts().edges).toHaveLength(250);
  expect(posts().edges[249]).toMatchObject({ node: { author: { name: 'Amara Lindqvist' } } });
});

test('mutations append and delete in a list', async () => {
  await read('appWebhooksQuery');
  const list = () => stored('appWebhooksQuery') as { webhooks: { __id: string; edges: { node: { name: string } }[] } };
  const names = () => list().webhooks.edges.map(({ node }) => node.name);
  const before = names();
  const lists = [list().webhooks.__id];
  const input = { name: 'Added', requestUrl: 'https://hooks.example/in', source: { users: {} } };
  const { createWebhook } = (await mutate('appCreateMutation', { input, lists })) as {
    createWebhook: { webhook: { webhookId: string } };
  };
  expect(names()).toEqual([...before, 'Added']);
  const { webhookId } = createWebhook.webhook;
  await mutate('appDeleteMutation', { input: { webhookId }, lists });
  expect(names()).toEqual(before);
});

test('a subscription changes what is stored', async () => {
  const variables = { jobId: '1001' };
  await read('appJobQuery', variables);
  expect(stored('appJobQuery', variables)).toEqual({ jobPosting: { jobState: 'DRAFT' } });
  const { dispose } = requestSubscription(environment, {
    subscription: artifact('appJobSubscription') as unknown as GraphQLTaggedNode,
    variables,
  });
  await mutate('appPublishMutation', {
    input: { accountId: 'pnet-----------------A', draftId: '1001', mode: 'FREE' },
  });
  await expect
    .poll(() => stored('appJobQuery', variables), { timeout: 5_000 })
    .toEqual({ jobPosting: { jobState: 'ACTIVE' } });
  dispose();
});
