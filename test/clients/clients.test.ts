/** Third-party clients against the running server, end to end: Apollo Client and graphql-request. */
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { ClientError, GraphQLClient } from 'graphql-request';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { webhookSourceNames, webhookSources } from '../../src/events/sources.ts';
import { type ErrorName, errorTable } from '../../src/kernel/errors.ts';
import { type Backend, backends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { wholeSelection } from '../support/selection.ts';

/** What a client learns of a failure, from the data of a mutation or from a top-level error. */
interface Told {
  readonly code: string;
  readonly status: number;
}

const failure = '... on ServiceError { code status message requestId }';
const documents = {
  posts: `query Posts($accountId: ID!, $identifier: String!, $isCompany: Boolean, $first: Int, $after: String) {
    posts(accountId: $accountId, identifier: $identifier, isCompany: $isCompany, first: $first, after: $after) {
      edges { cursor node ${wholeSelection('Post', ['PnetAuthor.posts', 'PhotonetAuthor.posts'])} }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } }`,
  editJob: `mutation Edit($input: EditJobInput!) {
    editJob(input: $input) { __typename ... on PnetJobPostingEdited { jobId } ${failure} } }`,
  publishJob: `mutation Publish($input: PublishJobInput!) { publishJob(input: $input) {
    __typename ... on PnetJobPostingPublished { jobId state }
    ... on PnetJobPostingPublishCheckpoint { jobId checkpointType } ${failure} } }`,
  solveJobCheckpoint: `mutation Solve($input: SolveJobCheckpointInput!) { solveJobCheckpoint(input: $input) {
    __typename ... on PnetJobPostingPublished { jobId state }
    ... on PnetJobPostingPublishCheckpoint { jobId checkpointType } ${failure} } }`,
  createWebhook: `mutation Create($input: CreateWebhookInput!) { createWebhook(input: $input) {
    __typename ... on WebhookCreated { webhookId webhook { id webhookId events data { name key } } } ${failure} } }`,
  deleteWebhook: `mutation Delete($input: DeleteWebhookInput!) { deleteWebhook(input: $input) {
    __typename ... on WebhookDeleted { webhookId deletedId } ${failure} } }`,
  webhooks: `query Webhooks($first: Int, $after: String) { webhooks(first: $first, after: $after) {
    edges { cursor node { __typename id webhookId name type source trigger { icon } } }
    pageInfo { hasNextPage endCursor } } }`,
} as const;

type Name = keyof typeof documents;

/** A client as the suite below uses it. */
interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  run(name: Name, variables: Record<string, unknown>): Promise<any>;
  /** The error that the operation fails with at the top. */
  failure(name: Name, variables: Record<string, unknown>): Promise<Told>;
}

interface ClientKind {
  readonly client: string;
  connect(address: string, key: string): Promise<Client>;
}

const toTold = (extensions: unknown): Told => extensions as Told;

/** The possible types of each union and interface, read from the server as Apollo's documentation describes. */
async function possibleTypes(address: string): Promise<Record<string, string[]>> {
  const query = '{ __schema { types { kind name possibleTypes { name } } } }';
  const { __schema } = await new GraphQLClient(`${address}/graphql`).request<{
    __schema: { types: { name: string; possibleTypes: { name: string }[] | null }[] };
  }>(query);
  return Object.fromEntries(
    __schema.types.flatMap(({ name, possibleTypes: types }) =>
      types === null ? [] : [[name, types.map((type) => type.name)]],
    ),
  );
}

async function apollo(address: string, key: string): Promise<ApolloClient> {
  const lists = ['accountId', 'identifier', 'isCompany'];
  return new ApolloClient({
    link: new HttpLink({ uri: `${address}/graphql`, headers: { 'x-api-key': key } }),
    cache: new InMemoryCache({
      possibleTypes: await possibleTypes(address),
      typePolicies: {
        Query: { fields: { posts: relayStylePagination(lists), webhooks: relayStylePagination() } },
        PnetAuthor: { fields: { posts: relayStylePagination() } },
      },
    }),
  });
}

const kinds: readonly ClientKind[] = [
  {
    client: 'Apollo Client',
    async connect(address, key) {
      const client = await apollo(address, key);
      // Without the cache, which would merge each page with the pages before it.
      const ask = (name: Name, variables: Record<string, unknown>) => {
        const document = gql(documents[name]);
        return documents[name].startsWith('mutation')
          ? client.mutate({ mutation: document, variables })
          : client.query({ query: document, variables, fetchPolicy: 'no-cache' });
      };
      return {
        run: async (name, variables) => (await ask(name, variables)).data,
        async failure(name, variables) {
          const error = await ask(name, variables).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          if (!CombinedGraphQLErrors.is(error)) throw new Error('It did not fail as GraphQL does', { cause: error });
          return toTold(error.errors[0]?.extensions);
        },
      };
    },
  },
  {
    client: 'graphql-request',
    async connect(address, key) {
      const client = new GraphQLClient(`${address}/graphql`, { headers: { 'x-api-key': key } });
      return {
        run: (name, variables) => client.request(documents[name], variables),
        async failure(name, variables) {
          const error = await client.request(documents[name], variables).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          if (!(error instanceof ClientError)) throw new Error('It did not fail as GraphQL does', { cause: error });
          return toTold(error.response.errors?.[0]?.extensions);
        },
      };
    },
  },
];

const suites = kinds.flatMap((kind) =>
  onOneDatabase(backends).map((backend): ClientKind & Backend => ({ ...kind, ...backend })),
);

describe.each(suites)('$client, $name backend', ({ connect, start }) => {
  let served: Served;
  let workspace: SeededWorkspace;
  let client: Client;
  let accountId: string;

  beforeAll(async () => {
    served = await start();
    workspace = await served.workspace();
    accountId = await workspace.account();
    client = await connect(served.address, workspace.key);
  });
  afterAll(() => served.close());

  const told = (name: ErrorName) => {
    const { status } = errorTable[name];
    return { code: name.toUpperCase(), status };
  };
  /** The failure of a mutation: as data where a caller must expect it, else at the top. */
  async function mutationFailure(name: Name, input: Record<string, unknown>, error: ErrorName): Promise<Told> {
    const { family } = errorTable[error];
    if (family === 'key' || family === 'system') return client.failure(name, { input });
    const data = await client.run(name, { input });
    return data[name];
  }

  test.each([
    ['PNET', 'ACoSandbox250', 250, 100],
    ['PNET', 'ACoSandbox250', 250, 33],
    ['PHOTONET', 'sandbox.130', 130, 100],
    ['PHOTONET', 'sandbox.sixty', 60, 7],
  ] as const)('pages through the %s posts of %s: %i, %i at a time', async (type, identifier, count, first) => {
    const account = await workspace.account({ type });
    const ids: string[] = [];
    let after: string | null = null;
    do {
      const { posts } = await client.run('posts', { accountId: account, identifier, first, after });
      ids.push(...posts.edges.map((edge: { node: { id: string } }) => edge.node.id));
      after = posts.pageInfo.hasNextPage ? posts.pageInfo.endCursor : null;
    } while (after !== null);
    expect(ids).toHaveLength(count);
    expect(new Set(ids).size).toBe(count);
  });

  test('edits a job, publishes one draft at once and one through e-mail and OTP', async () => {
    const jobId = await workspace.draft({ accountId });
    const edit = {
      accountId,
      jobId,
      posting: { description: 'Edited', applyMethod: { external: { url: 'https://jobs.example' } } },
    };
    const { editJob } = await client.run('editJob', { input: edit });
    expect(editJob).toEqual({ __typename: 'PnetJobPostingEdited', jobId });
    expect((await workspace.job(jobId)).fields).toMatchObject({
      description: 'Edited',
      apply_method: { type: 'external', url: 'https://jobs.example' },
    });
    const { publishJob } = await client.run('publishJob', { input: { accountId, jobId, mode: 'FREE' } });
    expect(publishJob).toEqual({ __typename: 'PnetJobPostingPublished', jobId, state: 'ACTIVE' });

    const draftId = await workspace.draft({ accountId, scenario: 'email-then-otp' });
    const opened = await client.run('publishJob', { input: { accountId, jobId: draftId, mode: 'PROMOTED' } });
    const checkpoint = { __typename: 'PnetJobPostingPublishCheckpoint', jobId: draftId };
    expect(opened.publishJob).toEqual({ ...checkpoint, checkpointType: 'EMAIL_VERIFICATION' });
    const solve = (input: string) =>
      client.run('solveJobCheckpoint', { input: { accountId, jobId: draftId, solution: input } });
    expect((await solve('wrong')).solveJobCheckpoint).toMatchObject({
      __typename: 'CheckpointError',
      ...told('invalid_checkpoint_solution'),
    });
    expect((await solve('sandbox-email-token')).solveJobCheckpoint).toEqual({ ...checkpoint, checkpointType: 'OTP' });
    expect((await solve('123456')).solveJobCheckpoint).toEqual({
      __typename: 'PnetJobPostingPublished',
      jobId: draftId,
      state: 'ACTIVE',
    });
    expect((await workspace.job(draftId)).state).toBe('active');
  });

  test('creates, lists and deletes a webhook of every source', async () => {
    await workspace.webhook({ trigger: { icon: 'CableIcon', name: 'Go', context: 'CHAT' } });
    const made = new Map<string, string>();
    for (const source of webhookSourceNames) {
      const input = { requestUrl: 'https://hooks.example/in', source: source.toUpperCase() };
      const { createWebhook } = await client.run('createWebhook', { input });
      expect(createWebhook.webhook.events).toHaveLength(webhookSources[source].events.length);
      made.set(createWebhook.webhookId, source);
    }
    const { webhooks } = await client.run('webhooks', { first: 250 });
    const listed = new Map<string, { source?: string; id: string }>(
      webhooks.edges.map(({ node }: { node: { webhookId: string } }) => [node.webhookId, node]),
    );
    expect(listed.size).toBe(webhookSourceNames.length + 1);
    for (const [webhookId, source] of made) {
      expect(listed.get(webhookId)?.source).toBe(source.toUpperCase());
      const { deleteWebhook } = await client.run('deleteWebhook', { input: { webhookId } });
      expect(deleteWebhook).toEqual({
        __typename: 'WebhookDeleted',
        webhookId,
        deletedId: listed.get(webhookId)?.id,
      });
      expect((await client.run('deleteWebhook', { input: { webhookId } })).deleteWebhook).toMatchObject(
        told('resource_not_found'),
      );
    }
    expect((await client.run('webhooks', { first: 250 })).webhooks.edges).toHaveLength(1);
  });

  describe('gets the typed error', () => {
    test('of a mutation, of a session and of a list', async () => {
      const jobId = await workspace.draft({ accountId, scenario: 'unprocessable' });
      const publication = await mutationFailure(
        'publishJob',
        { accountId, jobId, mode: 'FREE' },
        'unprocessable_entity',
      );
      expect(publication).toMatchObject(told('unprocessable_entity'));
      const broken = await workspace.account({ session: 'disconnected_feature' });
      const listing = { accountId: broken, identifier: 'ACoSandbox1', first: 1 };
      expect(await client.failure('posts', listing)).toMatchObject(told('disconnected_feature'));
      const nobody = { accountId, identifier: 'nobody', first: 1 };
      expect(await client.failure('posts', nobody)).toMatchObject(told('invalid_recipient'));
    });

    test('of keys that are missing, unknown, expired or too narrow', async () => {
      const expired = await workspace.newKey({ expiresAt: new Date(served.clock.now.getTime() - 1) });
      const narrow = await workspace.newKey({ scopes: ['posts:read'] });
      for (const [key, name] of [
        ['', 'missing_credentials'],
        [`${workspace.key.slice(0, -1)}${workspace.key.endsWith('A') ? 'B' : 'A'}`, 'invalid_credentials'],
        [expired, 'expired_credentials'],
        [narrow, 'insufficient_privileges'],
      ] as const) {
        const other = await connect(served.address, key);
        expect(await other.failure('webhooks', { first: 1 }), name).toMatchObject(told(name));
      }
    });
  });
});

describe("Apollo's cache", () => {
  let served: Served;
  let workspace: SeededWorkspace;
  const embedded = backends[0] as Backend;

  beforeAll(async () => {
    served = await embedded.start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  test('merges pages with relayStylePagination, normalizes objects by id, and loses nothing', async () => {
    const complaints = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
    const client = await apollo(served.address, workspace.key);
    const query = gql(documents.posts);
    const [one, two] = [await workspace.account(), await workspace.account()];
    const photonet = await workspace.account({ type: 'PHOTONET' });

    const variables = { accountId: one, identifier: 'ACoSandbox250', first: 60, after: null };
    await client.query({ query, variables });
    const watched = client.watchQuery({ query, variables });
    const subscription = watched.subscribe(() => {});
    for (;;) {
      const { posts } = client.readQuery({ query, variables }) as {
        posts: { pageInfo: { hasNextPage: boolean; endCursor: string } };
      };
      if (!posts.pageInfo.hasNextPage) break;
      await watched.fetchMore({ variables: { after: posts.pageInfo.endCursor } });
    }
    const whole = client.readQuery({ query, variables }) as { posts: { edges: { node: { id: string } }[] } };
    expect(new Set(whole.posts.edges.map(({ node }) => node.id)).size).toBe(250);
    subscription.unsubscribe();

    const lists = [
      { accountId: one, identifier: 'ACoSandboxGallery', first: 100 },
      { accountId: one, identifier: 'ACoSandboxReposts', first: 100 },
      { accountId: two, identifier: 'ACoSandboxGallery', first: 100 },
      { accountId: one, identifier: '900043', isCompany: true, first: 100 },
      { accountId: photonet, identifier: 'sandbox.gallery', first: 100 },
    ];
    for (const list of lists) {
      const { data } = await client.query({ query, variables: list });
      // The cache returns what the server sent: possibleTypes work, and no object has overwritten another.
      expect(client.readQuery({ query, variables: list })).toEqual(data);
      const { posts } = (await workspace.ask(documents.posts, list)).data;
      expect((data as { posts: { edges: object[] } }).posts.edges).toMatchObject(posts.edges);
    }
    const entries = Object.entries(client.cache.extract() as Record<string, { __typename?: string; id?: string }>);
    for (const [key, { __typename, id }] of entries.filter(([name]) => name !== 'ROOT_QUERY' && name !== '__META')) {
      expect(key).toBe(`${__typename}:${id}`);
    }
    const types = new Set(entries.map(([, { __typename }]) => __typename));
    expect([...types].filter((type) => type !== undefined).sort()).toEqual([
      'PhotonetAuthor',
      'PhotonetPost',
      'PnetAuthor',
      'PnetPost',
      'Query',
    ]);
    for (const complaint of complaints) expect(complaint).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test('evicts a deleted webhook by its deletedId', async () => {
    const client = await apollo(served.address, workspace.key);
    const [webhookId] = [await workspace.webhook(), await workspace.webhook()];
    const query = gql(documents.webhooks);
    await client.query({ query, variables: { first: 10 } });
    await client.mutate({
      mutation: gql(documents.deleteWebhook),
      variables: { input: { webhookId } },
      update(cache, { data }) {
        const { deletedId } = (data as { deleteWebhook: { deletedId: string } }).deleteWebhook;
        expect(cache.evict({ id: `Webhook:${deletedId}` })).toBe(true);
        cache.gc();
      },
    });
    const { webhooks } = client.readQuery({ query, variables: { first: 10 } }) as {
      webhooks: { edges: { node: { webhookId: string } }[] };
    };
    expect(webhooks.edges.map(({ node }) => node.webhookId)).not.toContain(webhookId);
    expect(webhooks.edges).toHaveLength(1);
  });
});
