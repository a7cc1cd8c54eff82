/** The README's files for clients, as they stand there: generated, compiled and run against a gateway. */
import { type ApolloClient, gql, type TypedDocumentNode } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ReadersProject, readersProject } from '../support/readme-clients.ts';
import { snippet } from '../support/readme-section.ts';
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
  project = await readersProject('### From TypeScript', '### Apollo Client', '### urql', '### A backend for frontend');
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

describe('the compiler', () => {
  test('finds nothing wrong', async () => {
    expect(await project.compile()).toBe('');
  });

  test('would find a field that was not asked for', async () => {
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
    expect(refused).toContain('Error: ActionAlreadyPerformedError');
    expect(refused).toContain("code: 'ACTION_ALREADY_PERFORMED'");
  });

  test('what fails at the top is thrown with its code', async () => {
    const { ask } = await project.load('postern.ts');
    const data = await ask(
      parse(`{ posts(accountId: "mail-----------------A", identifier: "x") { __typename } viewer { name } }`),
      {},
    );
    expect(data.viewer).toEqual({ name: 'Demo key' });
    expect(() => data.posts).toThrow(
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'INVALID_ACCOUNT' }) }),
    );
    const invalid = ask(parse('{ nothing }'), {});
    await expect(invalid).rejects.toThrow(AggregateError);
    await expect(invalid).rejects.toMatchObject({ errors: [{ extensions: { code: 'INVALID_PARAMETERS' } }] });
  });
});

describe('Apollo Client', () => {
  let client: ApolloClient;
  beforeAll(async () => {
    ({ client } = await project.load('apollo.ts'));
  });

  test.each(documents)('its cache returns what was read of $name', async ({ document }) => {
    const written = complaints();
    const query = gql(document);
    const { data } = await client.query({ query });
    expect(data).toBeDefined();
    expect(client.readQuery({ query })).toEqual(data);
    expect(written).toEqual([]);
  });

  test('puts pages together, and keeps lists with other arguments apart', async () => {
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
    await expect(client.mutate({ mutation })).rejects.toThrow('fetch failed');
    expect(sent).toBe(1);
  });
});

describe('urql', () => {
  let client: Client;
  beforeAll(async () => {
    ({ client } = await project.load('urql.ts'));
  });

  test.each(documents)('Graphcache misses no key, and returns what was read of $name', async ({ document }) => {
    const written = complaints();
    const { data, error } = await client.query(document, {}).toPromise();
    expect(error).toBeUndefined();
    const cached = await client.query(document, {}, { requestPolicy: 'cache-only' }).toPromise();
    expect(cached).toMatchObject({ stale: false, data });
    expect(written).toEqual([]);
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

  test('puts pages together', async () => {
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
});
