/** `examples/react-apollo/src/apollo.ts` without a browser: what its cache, its lists and its links make of whole objects and failures. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { wholeSelection } from '../support/selection.ts';
import { fileOf, runExample } from './example.ts';
import { type Postern, startPostern } from './postern.ts';

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
  'the workspace': 'viewer { name workspace { workspaceId name } }',
});
const feed = (identifier: string) => `query Feed($after: String) {
  posts(accountId: "${pnet}", identifier: "${identifier}", first: 100, after: $after) {
    edges { node { ... on PnetPost { id text } } }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Result {
  readonly data?: { readonly posts?: { readonly edges: readonly object[]; readonly pageInfo: { endCursor: string } } };
  readonly error?: Error;
}
interface Watched {
  subscribe(next: (result: Result & { loading: boolean }) => void): { unsubscribe(): void };
  fetchMore(options: { variables: { after: string } }): Promise<Result>;
}
/** What is used of an Apollo Client here. Its package has types, but this project does not have the package. */
interface Client {
  clearStore(): Promise<unknown>;
  query(options: { query: unknown; fetchPolicy?: string; errorPolicy?: string }): Promise<Result>;
  readQuery(options: { query: unknown }): Result['data'] | null;
  watchQuery(options: { query: unknown; fetchPolicy?: string }): Watched;
  subscribe(options: { query: unknown }): { subscribe(next: (result: Result) => void): { unsubscribe(): void } };
}

describe.skipIf(!existsSync(fileOf('react-apollo', 'node_modules')))('apollo.ts', () => {
  let postern: Postern;
  let client: Client;
  let sent = 0;
  beforeAll(async () => {
    postern = await startPostern();
    await runExample('react-apollo', 'generate', { POSTERN_URL: postern.address });
    vi.stubGlobal('location', new URL(postern.address));
    // In the place of the proxy, which adds the key.
    const real = globalThis.fetch;
    const proxy: typeof fetch = async (input, init) => {
      sent += 1;
      return real(input, { ...init, headers: { ...init?.headers, authorization: `Bearer ${postern.key}` } });
    };
    vi.stubGlobal('fetch', proxy);
    ({ client } = await import(fileOf('react-apollo', 'src/apollo.ts')));
  });
  afterAll(async () => {
    vi.unstubAllGlobals();
    await postern?.close();
  });
  beforeEach(() => {
    sent = 0;
  });

  test.each(documents)('its cache returns what was read of %s', async (_name, selection) => {
    const written: string[] = [];
    for (const level of ['warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((...text: unknown[]) => void written.push(text.join(' ')));
    onTestFinished(() => void vi.restoreAllMocks());
    const query = parse(`{ ${selection} }`);
    const { data } = await client.query({ query });
    expect(data).toBeDefined();
    expect(client.readQuery({ query })).toEqual(data);
    expect(written).toEqual([]);
  });

  test('adds up what components select of an object without an id: each sends one request, and nothing is warned', async () => {
    const written: string[] = [];
    for (const level of ['warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((...text: unknown[]) => void written.push(text.join(' ')));
    onTestFinished(() => void vi.restoreAllMocks());
    // Not from the caches of the tests before.
    await client.clearStore();
    sent = 0;
    const results: Result[] = [];
    const components = [
      'viewer { name }',
      'viewer { scopes }',
      'viewer { workspace { name } }',
      'viewer { workspace { workspaceId } }',
    ];
    const watched = components.map((selection) =>
      client
        .watchQuery({ query: parse(`{ ${selection} }`) })
        .subscribe((result) => !result.loading && void results.push(result)),
    );
    await expect.poll(() => results.length).toBeGreaterThanOrEqual(components.length);
    // A request that one result causes for another is sent by now.
    await client.query({ query: parse('{ viewer { keyId } }') });
    for (const subscription of watched) subscription.unsubscribe();
    expect({ sent, written }).toEqual({ sent: components.length + 1, written: [] });
  });

  test('merges pages, and keeps lists with other arguments apart', async () => {
    const query = parse(feed('ACoSandbox250'));
    await client.query({ query });
    const watched = client.watchQuery({ query });
    const subscription = watched.subscribe(() => {});
    for (const length of [200, 250]) {
      const after = client.readQuery({ query })?.posts?.pageInfo.endCursor ?? '';
      await watched.fetchMore({ variables: { after } });
      expect(client.readQuery({ query })?.posts?.edges).toHaveLength(length);
    }
    subscription.unsubscribe();
    expect((await client.query({ query: parse(feed('ADoSandbox25')) })).data?.posts?.edges).toHaveLength(25);
  });

  test("Apollo's relayStylePagination merges them, too, with the arguments that tell lists apart", async () => {
    const installed = createRequire(fileOf('react-apollo', 'package.json'));
    const { ApolloClient, HttpLink, InMemoryCache } = installed('@apollo/client');
    const { relayStylePagination } = installed('@apollo/client/utilities');
    const posts = relayStylePagination(['accountId', 'identifier']);
    const cache = new InMemoryCache({ typePolicies: { Query: { fields: { posts } } } });
    const plain: Client = new ApolloClient({ cache, link: new HttpLink({ uri: `${postern.address}/graphql` }) });
    const query = parse(feed('ACoSandbox250'));
    await plain.query({ query });
    const watched = plain.watchQuery({ query });
    const subscription = watched.subscribe(() => {});
    const after = plain.readQuery({ query })?.posts?.pageInfo.endCursor ?? '';
    await watched.fetchMore({ variables: { after } });
    expect(plain.readQuery({ query })?.posts?.edges).toHaveLength(200);
    subscription.unsubscribe();
    expect((await plain.query({ query: parse(feed('ADoSandbox25')) })).data?.posts?.edges).toHaveLength(25);
  });

  test('starts a list anew when its first page is read again', async () => {
    const query = parse(feed('ACoSandbox100'));
    for (let reads = 1; reads <= 2; reads += 1)
      expect((await client.query({ query, fetchPolicy: 'network-only' })).data?.posts?.edges).toHaveLength(100);
  });

  test.each(['no-cache', 'network-only', 'cache-first'] as const)(
    'a list that failed is an error with %s, each time, and is not read for ever',
    async (fetchPolicy) => {
      const query = parse(feed('ACoSandboxNetworkDown'));
      for (let reads = 1; reads <= 2; reads += 1)
        await expect(client.query({ query, fetchPolicy })).rejects.toThrow('The network is down.');
      expect(client.readQuery({ query })).toBeNull();
      sent = 0;
      const results: Result[] = [];
      const subscription = client.watchQuery({ query, fetchPolicy }).subscribe((result) => results.push(result));
      await expect.poll(() => results.at(-1)).toMatchObject({ loading: false, error: expect.anything() });
      subscription.unsubscribe();
      expect(sent).toBe(1);
    },
  );

  test('a page that failed is an error, and does not affect those before it', async () => {
    const query = parse(feed('ACoSandbox250'));
    await client.query({ query, fetchPolicy: 'network-only' });
    const watched = client.watchQuery({ query });
    const subscription = watched.subscribe(() => {});
    await expect(watched.fetchMore({ variables: { after: 'of no list' } })).rejects.toThrow('cursor');
    expect(client.readQuery({ query })?.posts?.edges).toHaveLength(100);
    subscription.unsubscribe();
  });

  test('subscribes, with the answer of the gateway to a page without a key', async () => {
    const received: Result[] = [];
    const query = parse('subscription { nothing }');
    const subscription = client.subscribe({ query }).subscribe((result) => received.push(result));
    await expect.poll(() => received).toMatchObject([{ error: expect.anything() }]);
    subscription.unsubscribe();
  });
});
