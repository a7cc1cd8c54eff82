/** The README's files for clients, as they stand there: generated, compiled and run against a gateway. */
import { type ApolloClient, CombinedGraphQLErrors, gql, type TypedDocumentNode } from '@apollo/client';
import { Client, CombinedError, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ReadersProject, readersProject } from '../support/readme-clients.ts';
import { codeBlocks, readmeSection, snippet, snippetFiles } from '../support/readme-section.ts';
import { wholeSelection } from '../support/selection.ts';

const pnet = 'pnet-----------------A';

/** All of a type that does not lead on to another list. */
const allOf = (type: string): string =>
  wholeSelection(type, [
    'PnetAuthor.posts',
    'PhotonetOwner.posts',
    'PnetJobPosting.account',
    ...['accounts', 'deliveries', 'statistics'].map((field) => `${type}.${field}`),
  ]);
const documents = Object.entries({
  'posts of pnet': `posts(accountId: "${pnet}", identifier: "ACoSandboxGallery") ${allOf('PostConnection')}`,
  'posts of photonet': `posts(accountId: "photonet-------------A", identifier: "sandbox.gallery") ${allOf('PostConnection')}`,
  'job postings': `jobPostings ${allOf('PnetJobPostingConnection')}`,
  'samples of events': `eventSamples ${allOf('EventSample')}`,
  webhooks: `webhooks { nodes { id ... on AutoWebhook ${allOf('AutoWebhook')} } }`,
  'trigger webhooks': `webhooks { nodes { id ... on TriggerWebhook ${allOf('TriggerWebhook')} } }`,
  'the workspace': 'viewer { name workspace { workspaceId name } }',
}).map(([name, selection]) => ({ name, document: `{ ${selection} }` }));

/** The feed of both networks, as the README shows it. */
const [feedOfBoth = ''] = codeBlocks(readmeSection('## What to know about the schema'), 'graphql');
const bothAccounts = { pnet, photonet: 'photonet-------------A' };
/** A list of jobs that belongs to an account. */
const jobsOfAccount = `query Jobs($after: String) {
  account(accountId: "${pnet}") {
    id
    jobPostings(first: 5, after: $after) { edges { node { id } } pageInfo { hasNextPage endCursor } }
  }
}`;
interface JobsOfAccount {
  readonly account: { readonly jobPostings: Feed['posts'] };
}

const feed = `query Feed($after: String) {
  posts(accountId: "${pnet}", identifier: "ACoSandbox250", first: 100, after: $after) {
    edges { node { ... on PnetPost { id text } } }
    pageInfo { hasNextPage endCursor }
  }
}`;
interface Feed {
  readonly posts: { readonly edges: readonly object[]; readonly pageInfo: { hasNextPage: boolean; endCursor: string } };
}
/** The cursor of the page after the last that was read; null if there is none. */
const next = (read: Feed | null | undefined): string | null => {
  if (!read) throw new Error('Nothing was read');
  const { hasNextPage, endCursor } = read.posts.pageInfo;
  return hasNextPage ? endCursor : null;
};
const watchJob = 'subscription Job { jobPostingUpdated(jobIds: ["1001"]) { id jobState } }';
const jobOf1001 = { jobPostingUpdated: { jobState: 'DRAFT' } };

let project: ReadersProject;
beforeAll(async () => {
  project = await readersProject(
    '### From TypeScript',
    '### Apollo Client',
    '### urql',
    '### A backend for frontend',
    '### Verify a signature',
  );
  await project.command('graphql-codegen', '--config', 'codegen.ts');
});
afterAll(() => project?.close());

/** What is written to the console in a test. */
function complaints(): string[] {
  const written: string[] = [];
  for (const level of ['warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((...text: unknown[]) => void written.push(text.join(' ')));
  onTestFinished(() => void vi.restoreAllMocks());
  return written;
}

describe('the install commands', () => {
  const text = readmeSection('## Clients');
  const installed = new Set(
    [...text.matchAll(/npm install (?:-D )?([^`#]+?)(?:`|\n(?![@\w])|$)/g)].flatMap(([, names = '']) =>
      names.trim().split(/\s+/),
    ),
  );
  const files = [
    '### From TypeScript',
    '### Apollo Client',
    '### urql',
    '### Relay',
    '### A backend for frontend',
  ].flatMap((heading) => Object.entries(snippetFiles(heading)));

  test.each(files)('name what %s imports', (_name, code) => {
    const imported = [...code.matchAll(/ from '([^'.][^']*)'/g)].map(([, module = '']) => module);
    const packages = imported
      .filter((module) => !module.startsWith('node:'))
      .map((module) => /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0]);
    expect(packages.filter((name = '') => !installed.has(name))).toEqual([]);
  });

  test('name the compiler, and the types of Node.js', () => {
    expect([...installed]).toEqual(expect.arrayContaining(['typescript', '@types/node']));
  });
});

describe('the compiler', () => {
  test('finds nothing wrong', async () => {
    expect(await project.compile()).toBe('');
  });

  test('would find a field that was not selected', async () => {
    await project.write('wrong.ts', "import { client } from './apollo.ts';\nclient.nothing;\n");
    expect(await project.compile()).toContain("Property 'nothing' does not exist");
    await project.write('wrong.ts', '');
  });
});

describe('From TypeScript', () => {
  test('the app prints what the README says, and throws what is refused', async () => {
    const printed = snippet('### From TypeScript', '');
    expect(await project.run('app.ts')).toBe(printed);
    const refused = await project.run('app.ts').catch(({ stderr }) => stderr);
    expect(refused).toContain('PosternError: ');
    expect(refused).toContain("code: 'ACTION_ALREADY_PERFORMED'");
  });

  test('every failure is a PosternError with its code', async () => {
    const { ask, PosternError, unwrap } = await project.load('postern.ts');
    const data = await ask(
      parse(`{ posts(accountId: "mail-----------------A", identifier: "x") { __typename } viewer { name } }`),
      {},
    );
    const caught = async (action: () => unknown) => {
      try {
        await action();
      } catch (error) {
        return error;
      }
    };
    expect(data.viewer).toEqual({ name: 'Demo key' });
    const failures = [
      [() => data.posts, 'INVALID_ACCOUNT'],
      [() => ask(parse('{ nothing }'), {}), 'INVALID_PARAMETERS'],
      [() => unwrap({ __typename: 'PaymentError', code: 'PAYMENT_ERROR' }), 'PAYMENT_ERROR'],
    ] as const;
    for (const [action, code] of failures) {
      const failure = await caught(action);
      expect(failure).toBeInstanceOf(PosternError);
      expect(failure).toMatchObject({ name: 'PosternError', code, retryAfter: 0, stack: expect.any(String) });
    }
  });

  test('a refusal says when it can be repeated', async () => {
    const { ask } = await project.load('postern.ts');
    const extensions = { code: 'SERVICE_UNAVAILABLE' };
    const body = { errors: [{ message: 'Too many requests.', extensions }] };
    vi.stubGlobal('fetch', async () => Response.json(body, { status: 503, headers: { 'retry-after': '7' } }));
    onTestFinished(() => void vi.unstubAllGlobals());
    await expect(ask(parse('{ viewer { name } }'), {})).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: 7,
    });
  });

  test('errors beyond those that are reported have no path, and hide no data', async () => {
    const [{ ask }, apollo, urql] = await Promise.all(['postern.ts', 'apollo.ts', 'urql.ts'].map(project.load));
    const data = { viewer: { name: 'Demo key' }, posts: null };
    const errors = [
      { message: 'The network is down.', path: ['posts'], extensions: { code: 'NETWORK_DOWN' } },
      { message: 'There are 7 more errors.', extensions: { code: 'PROVIDER_ERROR' } },
    ];
    vi.stubGlobal('fetch', async () => Response.json({ data, errors }));
    onTestFinished(() => void vi.unstubAllGlobals());
    const results = [
      await ask(parse('{ viewer { name } posts }'), {}),
      apollo.dataOf({ data, error: new CombinedGraphQLErrors({ data, errors }) }),
      urql.dataOf({ data, error: new CombinedError({ graphQLErrors: errors }) }),
    ];
    for (const result of results) {
      expect(result.viewer).toEqual(data.viewer);
      expect(() => result.posts).toThrow('The network is down.');
    }
  });

  test('posts of several lists are merged, as far as their order is known', async () => {
    const { merge } = await project.load('merge.ts');
    const list = (hasNextPage: boolean, ...times: (string | null)[]) => ({
      nodes: times.map((publishedAt) => ({ publishedAt })),
      pageInfo: { hasNextPage },
    });
    const merged = (...lists: object[]) => merge(lists).map((post: { publishedAt: string | null }) => post.publishedAt);
    const [photos, posts] = [list(false, '9', null, '5', '1'), list(false, '8', '6', '2')];
    expect(merged(photos, posts)).toEqual(['9', null, '8', '6', '5', '2', '1']);
    expect(merged(posts, photos)).toEqual(['9', null, '8', '6', '5', '2', '1']);
    // The next page may have posts that are newer than 5.
    expect(merged(photos, list(true, '8', '6'))).toEqual(['9', null, '8', '6']);
    expect(merged(list(false, null, '3'), list(false, '4'))).toEqual([null, '4', '3']);
    expect(merged(list(false), list(false))).toEqual([]);
    expect(merged()).toEqual([]);
  });

  test('the client does not start without a key', async () => {
    await project.write('keyless.ts', "process.env.POSTERN_KEY = '';\nawait import('./postern.ts');\n");
    const failed = await project.run('keyless.ts').catch(({ stderr }) => stderr);
    expect(failed).toContain('Set POSTERN_KEY to an API key');
  });

  test('a subscription connects again, says so, and misses nothing that happens from then on', async () => {
    const { ask } = await project.load('postern.ts');
    const real = globalThis.fetch;
    const connections: AbortController[] = [];
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      const connection = new AbortController();
      connections.push(connection);
      return real(url, { ...init, signal: connection.signal });
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    // The wait before a connection is random.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    await project.write('watching.ts', snippetFiles('### From TypeScript')['postern.ts'] ?? '');
    const { watch } = await project.load('watching.ts');

    const told: boolean[] = [];
    const event = `emitEvent(input: { accountId: "${pnet}", event: NEW_RELATION }) { __typename }`;
    const changes = watch(parse('subscription { deliveryUpdated { deliveryId } }'), {}, (isReconnected: boolean) => {
      told.push(isReconnected);
      void ask(parse(`mutation { ${event} }`), {});
    });
    const before = new Set<string>();
    for await (const { deliveryUpdated } of changes) {
      const { deliveryId } = deliveryUpdated;
      if (told.length === 2 && !before.has(deliveryId)) break;
      before.add(deliveryId);
      connections[0]?.abort(new TypeError('terminated'));
    }
    expect(told).toEqual([false, true]);
    expect(before.size).toBeGreaterThan(0);
  });
});

describe('Apollo Client', () => {
  let client: ApolloClient;
  let dataOf: <Data>(result: { data?: Data; error?: Error }) => Data;
  beforeAll(async () => {
    ({ client, dataOf } = await project.load('apollo.ts'));
  });

  test.each(documents)('its cache returns what was read of $name', async ({ document }) => {
    const written = complaints();
    const query = gql(document);
    const { data } = await client.query({ query });
    expect(data).toBeDefined();
    expect(client.readQuery({ query })).toEqual(data);
    expect(written).toEqual([]);
  });

  test('merges pages, and keeps lists with other arguments apart', async () => {
    const query: TypedDocumentNode<Feed> = gql(feed);
    await client.query({ query });
    const watched = client.watchQuery({ query });
    const subscription = watched.subscribe({});
    for (let after = next(client.readQuery({ query })); after !== null; after = next(client.readQuery({ query })))
      await watched.fetchMore({ variables: { after } });
    expect(client.readQuery({ query })).toMatchObject({ posts: { edges: { length: 250 } } });
    subscription.unsubscribe();
    const other = gql(feed.replace('ACoSandbox250', 'ADoSandbox25'));
    expect((await client.query({ query: other })).data).toMatchObject({ posts: { edges: { length: 25 } } });
  });

  test.each(['no-cache', 'network-only', 'cache-first'] as const)(
    'a list that failed is an error with %s, each time',
    async (fetchPolicy) => {
      const query = gql(`{
      viewer { name }
      posts(accountId: "${pnet}", identifier: "ACoSandboxNetworkDown") { edges { node { ... on PnetPost { text } } } pageInfo { hasNextPage endCursor } }
    }`);
      const ask = () => client.query<{ viewer: object; posts: object }>({ query, fetchPolicy });
      for (const result of [await ask(), await ask()]) {
        const data = dataOf(result);
        expect(data.viewer).toMatchObject({ name: 'Demo key' });
        expect(() => data.posts).toThrow('network');
        // Not a mere object: it has a stack, and whatever reports errors can name it.
        expect(() => data.posts).toThrow(Error);
      }
      // A page that watches such a list does not read it for ever.
      const watched: unknown[] = [];
      const sent = vi.spyOn(globalThis, 'fetch');
      onTestFinished(() => void sent.mockRestore());
      const subscription = client.watchQuery({ query, fetchPolicy }).subscribe((result) => watched.push(result));
      await expect.poll(() => watched.at(-1)).toMatchObject({ loading: false, error: expect.anything() });
      await client.query({ query, fetchPolicy: 'network-only' });
      subscription.unsubscribe();
      expect(sent.mock.calls.length).toBeLessThanOrEqual(3);
    },
  );

  test('another field that failed is null when the cache returns it', async () => {
    const { data } = await client.query<{ account: { id: string } }>({
      query: gql(`{ account(accountId: "${pnet}") { id } }`),
    });
    const query = gql(
      `{ viewer { name workspace { workspaceId name } } webhook(webhookId: "${data?.account.id}") { id } }`,
    );
    expect(await client.query({ query })).toMatchObject({ data: { webhook: null }, error: expect.anything() });
    const again = await client.query({ query });
    expect(again).toMatchObject({ data: { webhook: null } });
    expect(again.error).toBeUndefined();
    expect((await client.query({ query, fetchPolicy: 'network-only' })).error).toBeDefined();
  });

  test('a page that failed does not affect those before it', async () => {
    const query: TypedDocumentNode<Feed> = gql(feed);
    await client.query({ query, fetchPolicy: 'network-only' });
    const watched = client.watchQuery({ query });
    const subscription = watched.subscribe({});
    const after = 'of no list';
    const { error } = await watched.fetchMore({ variables: { after }, errorPolicy: 'all' });
    expect(error).toBeDefined();
    expect(client.readQuery({ query })).toMatchObject({ posts: { edges: { length: 100 } } });
    subscription.unsubscribe();
  });

  test('an error without a response is thrown', () => {
    expect(() => dataOf({ error: new TypeError('fetch failed') })).toThrow('fetch failed');
  });

  test('subscribes', async () => {
    const received: unknown[] = [];
    const subscription = client.subscribe({ query: gql(watchJob) }).subscribe(({ data }) => void received.push(data));
    await expect.poll(() => received, { timeout: 5_000 }).toMatchObject([jobOf1001]);
    subscription.unsubscribe();
  });

  test('sends a query again that did not arrive, and no mutation', async () => {
    const real = globalThis.fetch;
    let sent = 0;
    vi.stubGlobal('fetch', (...request: Parameters<typeof fetch>) => {
      sent += 1;
      return sent === 1 ? Promise.reject(new TypeError('fetch failed')) : real(...request);
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { data } = await client.query({ query: gql('{ viewer { name } }'), fetchPolicy: 'no-cache' });
    expect(data).toMatchObject({ viewer: { name: 'Demo key' } });
    expect(sent).toBe(2);
    sent = 0;
    const mutation = gql('mutation { deleteWebhook(input: { webhookId: "hook-users-----------A" }) { __typename } }');
    const { error } = await client.mutate({ mutation });
    expect(error).toMatchObject({ message: 'fetch failed' });
    expect(sent).toBe(1);
  });
});

describe('urql', () => {
  let client: Client;
  let dataOf: <Data>(result: { data?: Data | undefined; error?: Error | undefined }) => Data;
  beforeAll(async () => {
    ({ client, dataOf } = await project.load('urql.ts'));
  });

  test.each(documents)('Graphcache misses no key, and returns what was read of $name', async ({ document }) => {
    const written = complaints();
    const { data, error } = await client.query(document, {}).toPromise();
    expect(error).toBeUndefined();
    const cached = await client.query(document, {}, { requestPolicy: 'cache-only' }).toPromise();
    expect(cached).toMatchObject({ stale: false, data });
    expect(written).toEqual([]);
  });

  test('Graphcache misses no key of the feed of both networks', async () => {
    const written = complaints();
    expect((await client.query(feedOfBoth, bothAccounts).toPromise()).error).toBeUndefined();
    expect(written).toEqual([]);
  });

  test('puts pages of a list together that belongs to an object', async () => {
    const jobs = async (variables: object) => {
      const { data } = await client.query<JobsOfAccount>(jobsOfAccount, variables).toPromise();
      return data?.account.jobPostings;
    };
    const first = await jobs({});
    expect(first?.edges).toHaveLength(5);
    expect((await jobs({ after: first?.pageInfo.endCursor }))?.edges).toHaveLength(10);
  });

  test('Graphcache would complain without the keys', async () => {
    const written = complaints();
    const bare = new Client({
      url: `${project.gateway.address}/graphql`,
      fetchOptions: { headers: { 'x-api-key': project.key } },
      preferGetMethod: false,
      exchanges: [cacheExchange({}), fetchExchange],
    });
    await bare.query('{ viewer { name } }', {}).toPromise();
    expect(written).toEqual([expect.stringContaining('create a custom `keys` config for `Viewer`')]);
  });

  test('merges pages', async () => {
    let after: string | null = null;
    do {
      const page = await client.query<Feed>(feed, { after }).toPromise();
      after = next(page.data);
    } while (after !== null);
    const { data } = await client.query(feed, {}, { requestPolicy: 'cache-only' }).toPromise();
    expect(data).toMatchObject({ posts: { edges: { length: 250 } } });
  });

  test('subscribes', async () => {
    const received: unknown[] = [];
    const { unsubscribe } = client.subscription(watchJob, {}).subscribe(({ data }) => void received.push(data));
    await expect.poll(() => received, { timeout: 5_000 }).toMatchObject([jobOf1001]);
    unsubscribe();
  });

  test('a field that failed throws its error, and so does a response without data', async () => {
    const document = `{ viewer { name } posts(accountId: "${pnet}", identifier: "ACoSandboxNetworkDown") { pageInfo { hasNextPage } } }`;
    const data = dataOf(await client.query<{ viewer: object; posts: object }>(document, {}).toPromise());
    expect(data.viewer).toMatchObject({ name: 'Demo key' });
    expect(() => data.posts).toThrow('network');
    const invalid = await client.query<object>('{ nothing }', {}).toPromise();
    expect(() => dataOf(invalid)).toThrow('nothing');
  });
});
