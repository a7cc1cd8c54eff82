/** Supergraphs: running gateways in front of a running Postern and of another subgraph, composed by each of the composers. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { globalId } from '../../src/graphql/kit/global-ids.ts';
import { backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import type { GraphQLResponse } from '../support/gateway.ts';
import { statementsOf } from '../support/statements.ts';
import {
  composers,
  type Running,
  sdlOf,
  startTasks,
  supergraphGateways,
  type TasksSubgraph,
  tasksSdl,
} from './supergraph.ts';

/** What each composer makes is a supergraph in the same terms: each gateway runs that of one. */
const supergraphs = Object.keys(supergraphGateways).map((gateway, at) => ({
  gateway,
  composer: Object.keys(composers)[at] ?? '',
}));

describe.each(supergraphs)('$gateway, composed by $composer', ({ gateway, composer }) => {
  let served: Served;
  let tasks: TasksSubgraph;
  let supergraph: Running;
  let workspace: SeededWorkspace;
  let accounts: readonly string[];
  let jobs: readonly string[];

  beforeAll(async () => {
    const [backend] = backends;
    if (backend === undefined) throw new Error('There is no backend');
    served = await backend.start({ environment: { FEDERATION: 'on' } });
    tasks = await startTasks();
    const postern = `${served.address}/graphql`;
    const composed = composers[composer]?.([
      { name: 'postern', url: postern, sdl: await sdlOf(postern) },
      { name: 'tasks', url: tasks.url, sdl: tasksSdl },
    ]);
    const running = await supergraphGateways[gateway]?.(composed ?? '', served.address);
    if (running === undefined) throw new Error(`There is no ${gateway}`);
    supergraph = running;
    workspace = await served.workspace();
    accounts = await several(() => workspace.account());
    jobs = await several(() => workspace.draft({ accountId: accounts[0] ?? '' }));
    tasks.tasks = jobs.map((jobId, at) => ({ jobId, accountId: accounts[at] ?? '' }));
  });
  afterAll(async () => {
    await supergraph[Symbol.asyncDispose]();
    await tasks[Symbol.asyncDispose]();
    await served.close();
  });
  beforeEach(() => {
    tasks.batches.length = 0;
  });

  const several = <Made>(make: () => Promise<Made>) => Promise.all(Array.from({ length: 20 }, make));

  async function ask(
    query: string,
    variables: object = {},
    key = workspace.key,
  ): Promise<Omit<GraphQLResponse, 'headers'>> {
    const response = await fetch(supergraph.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data = null, errors = [] } = (await response.json()) as Partial<GraphQLResponse>;
    return { status: response.status, data, errors };
  }

  /** The requests of GraphQL that Postern gets for `work`. */
  async function requestsOf(work: () => Promise<unknown>): Promise<number> {
    const requests = () => served.log.filter(({ path }) => path === '/graphql').length;
    const before = requests();
    await work();
    return requests() - before;
  }

  test('objects that the other subgraph refers to are read in one request for each type, and one statement', async () => {
    const query = '{ tasks { title posting { jobTitle { text } applicants } account { name owner } } }';
    // What gateways and Postern remember of a document is not counted.
    const { data, errors } = await ask(query);
    expect(errors).toEqual([]);
    expect(data.tasks).toEqual(
      tasks.tasks.map(({ jobId, accountId }) => ({
        title: `Task of ${jobId}`,
        posting: { jobTitle: { text: 'Software Engineer' }, applicants: jobId.length },
        account: { name: 'PNET', owner: `owner of ${accountId}` },
      })),
    );
    let requests = 0;
    const statements = await statementsOf(workspace.workspaceId, async () => {
      requests = await requestsOf(() => ask(query));
    });
    expect(requests).toBeLessThanOrEqual(2);
    // Postings, the sizes of their fields, those that are selected, and accounts.
    expect(statements).toHaveLength(4);
  });

  test('objects of Postern get fields of the other subgraph, in one batch', async () => {
    const { data, errors } = await ask('{ accounts(first: 50) { nodes { accountId name owner } totalCount } }');
    expect(errors).toEqual([]);
    expect(data.accounts.totalCount).toBe(accounts.length);
    for (const node of data.accounts.nodes)
      expect(node).toMatchObject({ name: 'PNET', owner: `owner of ${node.accountId}` });
    expect(data.accounts.nodes).toHaveLength(accounts.length);
    expect(tasks.batches).toEqual([accounts.length]);
    tasks.batches.length = 0;
    const postings = await ask('{ jobPostings(first: 50) { nodes { jobId applicants jobTitle { text } } } }');
    expect(postings.errors).toEqual([]);
    for (const { jobId, applicants } of postings.data.jobPostings.nodes) expect(applicants).toBe(jobId.length);
    expect(tasks.batches).toEqual([jobs.length]);
  });

  test('an interface is extended for all that implement it', async () => {
    const query = `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandboxGallery", first: 2) { nodes { ... on NetworkPost { id } } } }`;
    const { data } = await ask(query, { accountId: accounts[0] });
    const ids: string[] = data.posts.nodes.map(({ id }: { id: string }) => id);
    tasks.bookmarks = ids.slice(0, 1);
    const bookmarks = await ask('{ bookmarks { __typename id text bookmarked author { name } } }');
    expect(bookmarks.errors).toEqual([]);
    expect(bookmarks.data.bookmarks).toMatchObject([
      { __typename: 'PnetPost', id: ids[0], text: expect.any(String), bookmarked: true },
    ]);
    // Hive Gateway follows references to an interface, but does not extend the objects that implement it.
    if (gateway === 'Hive Gateway') return;
    const extended = await ask(query.replace('{ id }', '{ id bookmarked }'), { accountId: accounts[0] });
    expect(extended.errors).toEqual([]);
    expect(extended.data.posts.nodes).toEqual(ids.map((id, at) => ({ id, bookmarked: at === 0 })));
  });

  test('a mutation that fails returns its error in the union', async () => {
    const { data, errors } = await ask(
      `mutation ($input: PublishJobInput!) { publishJob(input: $input) {
        __typename
        ... on PnetJobPostingPublished { state }
        ... on ServiceError { code status message }
      } }`,
      { input: { accountId: accounts[0], jobId: '404', mode: 'FREE' } },
    );
    expect(errors).toEqual([]);
    expect(data.publishJob).toMatchObject({
      __typename: 'RequestError',
      code: 'RESOURCE_NOT_FOUND',
      status: 404,
      message: expect.any(String),
    });
  });

  test('a draft is published by way of its checkpoint', async () => {
    const accountId = accounts[0] ?? '';
    const draftId = await workspace.draft({ accountId, scenario: 'otp' });
    const published = await ask(
      `mutation ($input: PublishJobInput!) { publishJob(input: $input) {
        __typename
        ... on PnetJobPostingPublishCheckpoint { checkpointType jobPosting { applicants } }
      } }`,
      { input: { accountId, jobId: draftId, mode: 'FREE' } },
    );
    expect(published.errors).toEqual([]);
    expect(published.data.publishJob).toEqual({
      __typename: 'PnetJobPostingPublishCheckpoint',
      checkpointType: 'OTP',
      jobPosting: { applicants: draftId.length },
    });
    const solve = `mutation ($input: SolveJobCheckpointInput!) { solveJobCheckpoint(input: $input) {
      __typename
      ... on PnetJobPostingPublished { state }
      ... on ServiceError { code }
    } }`;
    const wrong = await ask(solve, { input: { accountId, jobId: draftId, solution: '000000' } });
    expect(wrong.data.solveJobCheckpoint).toEqual({
      __typename: 'CheckpointError',
      code: 'INVALID_CHECKPOINT_SOLUTION',
    });
    const right = await ask(solve, { input: { accountId, jobId: draftId, solution: '123456' } });
    expect(right.data.solveJobCheckpoint).toEqual({ __typename: 'PnetJobPostingPublished', state: 'ACTIVE' });
  });

  test('exactly one of the fields of a one-of is given, also where the gateway does not look', async () => {
    const publish = (budget: string) =>
      `mutation { publishJob(input: { accountId: "x", jobId: "1", mode: PROMOTED, budget: ${budget} }) { ... on ServiceError { code } } }`;
    const inVariable =
      'mutation ($budget: PnetJobBudgetInput!) { publishJob(input: { accountId: "x", jobId: "1", mode: PROMOTED, budget: $budget }) { __typename } }';
    const amount = { currency: 'EUR', amount: 5 };
    const inText = '{ currency: "EUR", amount: 5 }';
    const refused = [
      await ask(publish(`{ daily: ${inText}, monthly: ${inText} }`)),
      await ask(publish('{}')),
      await ask(inVariable, { budget: { daily: amount, monthly: amount } }),
      await ask(inVariable, { budget: {} }),
    ];
    for (const { errors } of refused) {
      expect(errors[0]?.message).toMatch(/exactly one key/i);
      // A supergraph that Apollo composes has no one-ofs: the error is that of Postern.
      if (composer === '@apollo/composition')
        expect(errors[0]?.extensions).toMatchObject({ code: 'INVALID_PARAMETERS' });
    }
    const { data } = await ask(publish(`{ daily: ${inText} }`));
    expect(data).toEqual({ publishJob: { code: 'INVALID_RESOURCE_IDENTIFIER' } });
  });

  test('a failed read is an error with its code at its path, and leaves the rest', async () => {
    const { data, errors } = await ask(
      '{ viewer { name } posts(accountId: "nobody", identifier: "ACoSandbox1") { nodes { __typename } } }',
    );
    expect(data).toEqual({ viewer: { name: 'test' }, posts: null });
    expect(errors).toMatchObject([
      {
        path: ['posts'],
        extensions: {
          code: 'WRONG_ACCOUNT',
          status: 401,
          requestId: expect.any(String),
        },
      },
    ]);
  });

  test('Postern receives the key of the client', async () => {
    const wrong = await ask('{ viewer { name } }', {}, 'wrong');
    expect(wrong.data).toEqual({ viewer: null });
    expect(wrong.errors[0]?.extensions).toMatchObject({
      code: 'INVALID_CREDENTIALS',
    });
    const stranger = await served.workspace();
    const others = await ask('{ tasks { account { name owner } } }', {}, stranger.key);
    expect(others.data.tasks[0]).toMatchObject({ account: { name: null, owner: `owner of ${accounts[0]}` } });
  });

  test('an object that the key has no scope for is an error with its code, and the fields of the other subgraph are there', async () => {
    const key = await workspace.newKey({ scopes: ['accounts:read'] });
    const { data, errors } = await ask(
      '{ tasks { title posting { jobTitle { text } applicants } account { name } } }',
      {},
      key,
    );
    expect(data.tasks).toHaveLength(jobs.length);
    expect(data.tasks[0]).toMatchObject({
      posting: { jobTitle: null, applicants: expect.any(Number) },
      account: { name: 'PNET' },
    });
    expect(errors.length).toBeGreaterThan(0);
    for (const { extensions } of errors) expect(extensions.code).toBe('INSUFFICIENT_PRIVILEGES');
  });

  test('objects are read again by their global ids', async () => {
    const id = globalId('Account', accounts[0] ?? '');
    const { data, errors } = await ask(
      'query ($id: ID!) { node(id: $id) { __typename id ... on Account { name owner } } }',
      { id },
    );
    expect(errors).toEqual([]);
    expect(data.node).toEqual({ __typename: 'Account', id, name: 'PNET', owner: `owner of ${accounts[0]}` });
  });

  const subscription = () => `subscription { accountUpdated(accountIds: ["${accounts[0]}"]) { status owner } }`;

  if (gateway === 'Apollo Gateway') {
    test('there are no subscriptions', async () => {
      const { data, errors } = await ask(subscription());
      expect(data).toBeNull();
      expect(errors).toHaveLength(1);
    });
    return;
  }

  test('a subscription goes on over server-sent events, with fields of both', async () => {
    const client = new AbortController();
    const response = await fetch(supergraph.url, {
      method: 'POST',
      signal: client.signal,
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${workspace.key}`,
      },
      body: JSON.stringify({ query: subscription() }),
    });
    if (response.body === null) throw new Error('There is no stream');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const [accountId = ''] = accounts;
    let text = '';
    const until = async (status: string) => {
      while (!text.includes(`{"accountUpdated":{"status":"${status}","owner":"owner of ${accountId}"}}`)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`The stream ended: ${text}`);
        text += value;
      }
    };
    await until('OK');
    await served.database.updateTable('accounts').set({ status: 'STOPPED' }).where('id', '=', accountId).execute();
    await until('STOPPED');
    client.abort();
  });
});
