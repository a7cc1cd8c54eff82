/** `examples/react-relay/src/environment.ts` without a browser: what its store makes of pages, mutations, subscriptions and failures. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../support/process.ts';
import { fileOf } from './example.ts';
import { type Postern, startPostern } from './postern.ts';

const pnet = 'pnet-----------------A';
/** As they stand in a page; the compiler takes them from there. */
const source = `import { graphql } from 'relay-runtime';
graphql\`query appFeedQuery($identifier: String!, $count: Int!, $cursor: String) {
  posts(accountId: "${pnet}", identifier: $identifier, first: $count, after: $cursor)
    @connection(key: "app_posts") { edges { node { ... on NetworkPost @alias(as: "post") { text author { name } } } } }
}\`;
graphql\`query appViewerQuery { viewer { name } }\`;
graphql\`query appJobQuery($jobId: ID!) { jobPosting(jobId: $jobId) { state } }\`;
graphql\`subscription appJobSubscription($jobId: ID!) { jobPostingUpdated(jobIds: [$jobId]) { state } }\`;
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
  deleteWebhook(input: $input) { ... on WebhookDeleted { deletedId @deleteEdge(connections: $lists) } }
}\`;
`;

type Variables = Readonly<Record<string, unknown>>;
interface Feed {
  readonly posts: { readonly edges: readonly object[]; readonly pageInfo: { hasNextPage: boolean; endCursor: string } };
}
/** What is used of Relay here. Its package has types, but this project does not have the package. */
interface Relay {
  fetchQuery(environment: Environment, query: unknown, variables: Variables): { toPromise(): Promise<unknown> };
  createOperationDescriptor(query: unknown, variables: Variables): { readonly fragment: unknown };
  commitMutation(environment: Environment, config: object): unknown;
  requestSubscription(environment: Environment, config: object): { dispose(): void };
}
interface Environment {
  lookup(fragment: unknown): { readonly data: unknown };
}

describe.skipIf(!existsSync(fileOf('react-relay', 'node_modules')))('environment.ts', () => {
  const run = (cwd: string, ...args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd });
  const artifacts = new Map<string, unknown>();
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let postern: Postern;
  let relay: Relay;
  let environment: Environment;
  let reasonOf: (error: unknown) => string;
  let sent = 0;
  let lost = 0;

  beforeAll(async () => {
    postern = await startPostern();
    directory = await temporaryDirectory();
    const fileOfOperations = (name: string) => join(directory.path, name);
    await mkdir(fileOfOperations('gql'));
    await writeFile(fileOfOperations('app.ts'), source);
    const schema = await fetch(`${postern.address}/schema.graphql`);
    await writeFile(fileOfOperations('gateway.graphql'), await schema.text());
    const config = JSON.parse(await readFile(fileOf('react-relay', 'relay.config.json'), 'utf8'));
    const own = { ...config, src: '.', artifactDirectory: 'gql' };
    await writeFile(fileOfOperations('relay.config.json'), JSON.stringify(own));
    await run(directory.path, fileOf('react-relay', 'node_modules/relay-compiler/cli.js'));
    for (const [, name = ''] of source.matchAll(/(?:query|mutation|subscription) (\w+)/g))
      artifacts.set(name, (await import(fileOfOperations(`gql/${name}.graphql.ts`))).default);

    vi.stubGlobal('location', new URL(postern.address));
    // In the place of the proxy, which adds the key, and of a network, which loses what it is told to.
    const authorization = `Bearer ${postern.key}`;
    const real = globalThis.fetch;
    const proxy: typeof fetch = async (input, init) => {
      sent += 1;
      lost -= 1;
      if (lost >= 0) throw new TypeError('fetch failed');
      const headers = new Headers(init?.headers);
      headers.set('authorization', authorization);
      return real(input, { ...init, headers });
    };
    vi.stubGlobal('fetch', proxy);
    class WithKey extends WebSocket {
      constructor(url: string, protocol: string) {
        super(url, { protocols: protocol, headers: { authorization } } as unknown as string);
      }
    }
    vi.stubGlobal('WebSocket', WithKey);
    ({ environment, reasonOf } = await import(fileOf('react-relay', 'src/environment.ts')));
    relay = (await import(fileOf('react-relay', 'node_modules/relay-runtime/index.js'))).default;
  });
  afterAll(async () => {
    vi.unstubAllGlobals();
    await directory?.[Symbol.asyncDispose]();
    await postern?.close();
  });
  beforeEach(() => {
    sent = 0;
    lost = 0;
  });

  const read = (name: string, variables: Variables = {}) =>
    relay.fetchQuery(environment, artifacts.get(name), variables).toPromise();
  /** What the store has for a query. */
  const stored = (name: string, variables: Variables = {}): unknown =>
    environment.lookup(relay.createOperationDescriptor(artifacts.get(name), variables).fragment).data;
  const mutate = (name: string, variables: Variables) =>
    new Promise<unknown>((resolve, reject) => {
      const mutation = artifacts.get(name);
      relay.commitMutation(environment, { mutation, variables, onCompleted: resolve, onError: reject });
    });

  test('merges pages', async () => {
    const first = { identifier: 'ACoSandbox250', count: 100 };
    const posts = () => (stored('appFeedQuery', first) as Feed).posts;
    await read('appFeedQuery', first);
    while (posts().pageInfo.hasNextPage) await read('appFeedQuery', { ...first, cursor: posts().pageInfo.endCursor });
    expect(posts().edges).toHaveLength(250);
    expect(posts().edges[249]).toMatchObject({ node: { post: { author: { name: 'Amara Lindqvist' } } } });
    await expect(read('appFeedQuery', { ...first, cursor: 'of no list' })).rejects.toThrow('cursor');
    expect(posts().edges).toHaveLength(250);
  });

  test('what failed is an error, each time, and not null', async () => {
    for (let reads = 1; reads <= 2; reads += 1) {
      const failed = await read('appFeedQuery', { identifier: 'ACoSandboxNetworkDown', count: 20 }).catch(reasonOf);
      expect(failed).toBe('The network is down. Try again shortly. (NETWORK_DOWN)');
    }
  });

  test('mutations append and delete in a list', async () => {
    await read('appWebhooksQuery');
    const list = () =>
      stored('appWebhooksQuery') as { webhooks: { __id: string; edges: { node: { name: string } }[] } };
    const names = () => list().webhooks.edges.map(({ node }) => node.name);
    const before = names();
    const lists = [list().webhooks.__id];
    const input = { name: 'Added', requestUrl: 'https://hooks.example/in', source: 'USERS' };
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
    expect(stored('appJobQuery', variables)).toEqual({ jobPosting: { state: 'DRAFT' } });
    const subscription = artifacts.get('appJobSubscription');
    const { dispose } = relay.requestSubscription(environment, { subscription, variables });
    await mutate('appPublishMutation', { input: { accountId: pnet, jobId: '1001', mode: 'FREE' } });
    await expect.poll(() => stored('appJobQuery', variables)).toEqual({ jobPosting: { state: 'ACTIVE' } });
    dispose();
  });

  test('a subscription that is refused for good says why', async () => {
    const onError = vi.fn();
    const subscription = artifacts.get('appJobSubscription');
    relay.requestSubscription(environment, { subscription, variables: { jobId: 'of no job' }, onError });
    await expect.poll(() => onError.mock.calls.length).toBe(1);
    expect(reasonOf(onError.mock.calls[0]?.[0])).toMatch(/\(\w+\)$/);
  });

  test('sends a query until it arrives, and a mutation once', async () => {
    lost = 3;
    expect(await read('appViewerQuery')).toMatchObject({ viewer: { name: 'Demo key' } });
    expect(sent).toBe(4);
    sent = 0;
    lost = 1;
    const deleted = mutate('appDeleteMutation', { input: { webhookId: 'hook-users-----------A' }, lists: [] });
    await expect(deleted).rejects.toThrow('fetch failed');
    expect(sent).toBe(1);
  });
});
