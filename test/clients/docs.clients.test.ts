/** The files of the pages for clients, as they stand there: generated, compiled and run against a gateway. */
import { Client, CombinedError, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { codeBlocks, sectionOf, snippetFiles } from '../support/docs.ts';
import { graphql } from '../support/gateway.ts';
import { wholeSelection } from '../support/selection.ts';
import { type ReadersProject, readersProject } from './readers-project.ts';

const pnet = 'pnet-----------------A';

/** All of a type that does not lead on to another list. */
const allOf = (type: string): string =>
  wholeSelection(type, [
    'PnetAuthor.posts',
    'PhotonetAuthor.posts',
    'PnetJobPosting.account',
    ...['accounts', 'deliveries', 'statistics'].map((field) => `${type}.${field}`),
  ]);
const documents = Object.entries({
  'posts of pnet': `posts(accountId: "${pnet}", identifier: "ACoSandboxGallery") ${allOf('PostConnection')}`,
  'posts of photonet': `posts(accountId: "photonet-------------A", identifier: "sandbox.gallery") ${allOf('PostConnection')}`,
  'job postings': `jobPostings ${allOf('PnetJobPostingConnection')}`,
  'samples of events': `eventSamples ${allOf('EventSample')}`,
  webhooks: `webhooks { nodes ${allOf('Webhook')} }`,
  'the workspace': 'viewer { id name workspace { id workspaceId name } }',
}).map(([name, selection]) => ({ name, document: `{ ${selection} }` }));

/** The feed of both networks, as the README shows it. */
const [feedOfBoth = ''] = codeBlocks(sectionOf('Schema'), 'graphql');
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
const watchJob = 'subscription Job { jobPostingUpdated(jobIds: ["1001"]) { id state } }';
const jobOf1001 = { jobPostingUpdated: { state: 'DRAFT' } };

let project: ReadersProject;
beforeAll(async () => {
  project = await readersProject(
    'TypeScript',
    'Apollo Client',
    'urql',
    'Client library',
    'Access tokens',
    'Subscriptions',
    'Verify a signature',
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
  const clientPages = ['TypeScript', 'Apollo Client', 'urql', 'Relay'];
  const text = clientPages.map(sectionOf).join('\n');
  const installed = new Set(
    [...text.matchAll(/npm install (?:-D )?([^`#]+?)(?:`|\n(?![@\w])|$)/g)].flatMap(([, names = '']) =>
      names
        .trim()
        .split(/\s+/)
        // The package of a gateway that was built.
        .map((name) => name.replace(/^\S*postern-[\d.]+\.tgz$/, 'postern')),
    ),
  );
  const files = clientPages.flatMap((heading) => Object.entries(snippetFiles(heading)));

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

describe('the README', () => {
  const files = Object.entries(snippetFiles('Clients'));

  test('has the clients, of five lines each', () => {
    expect(files.map(([name]) => name)).toEqual(['fetch.ts', 'apollo-client.ts', 'urql-client.ts', 'subscription.ts']);
    for (const [, code] of files) expect(code.trim().split('\n').slice(1).length).toBeLessThanOrEqual(5);
  });

  test.each(files)('%s prints what it reads', async (name, code) => {
    // In a folder that is not compiled: apollo.ts declares types for the defaults of every Apollo Client of its project.
    const path = `readme/${name}`;
    const once = code.replace(/^(for await .*\)) (console\.log\(.*\);)$/m, '$1 { $2 break; }');
    await project.write(path, `${once}\nprocess.exit();\n`);
    expect(await project.run(path)).toContain(name === 'subscription.ts' ? "name: 'Demo PNET'" : 'Demo');
  });
});

describe('the client library', () => {
  test('lists posts, and reports those that it leaves out', async () => {
    const { listPosts } = await project.load('page.ts');
    const { posts, skipped } = await listPosts('ACoSandboxOdd');
    expect(posts.length).toBeGreaterThan(0);
    expect(posts).not.toContain(null);
    expect(skipped.length).toBeGreaterThan(0);
  });

  test('follows deliveries, and reads them with each connection', async () => {
    const { newestDeliveries } = await project.load('follow-deliveries.ts');
    const end = new AbortController();
    const results = newestDeliveries(end.signal);
    const next = results.next();
    await expect.poll(() => project.gateway.app.streams.count('subscription')).toBe(1);
    const emit = `mutation { emitEvent(input: { accountId: "${pnet}", event: MESSAGE_RECEIVED }) { __typename } }`;
    expect((await graphql(project.gateway.address, project.key, emit)).errors).toEqual([]);
    expect((await next).value.size).toBeGreaterThan(0);
    end.abort();
    for await (const _ of results);
    await expect.poll(() => project.gateway.app.streams.count('subscription')).toBe(0);
  });
});

describe('the compiler', () => {
  test('finds nothing wrong', async () => {
    expect(await project.compile()).toBe('');
  });

  test('would find a field that was not selected', async () => {
    await project.write('wrong.ts', "import { client } from './urql.ts';\nclient.nothing;\n");
    expect(await project.compile()).toContain("Property 'nothing' does not exist");
    await project.write('wrong.ts', '');
  });
});

test('errors beyond those that are reported have no path, and hide no data', async () => {
  const urql = await project.load('urql.ts');
  const data = { viewer: { name: 'Demo key' }, posts: null };
  const errors = [
    { message: 'The network is down.', path: ['posts'], extensions: { code: 'NETWORK_DOWN' } },
    { message: 'There are 7 more errors.', extensions: { code: 'PROVIDER_ERROR' } },
  ];
  const result = urql.dataOf({ data, error: new CombinedError({ graphQLErrors: errors }) });
  expect(result.viewer).toEqual(data.viewer);
  expect(() => result.posts).toThrow('The network is down.');
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
    await expect.poll(() => received).toMatchObject([jobOf1001]);
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
