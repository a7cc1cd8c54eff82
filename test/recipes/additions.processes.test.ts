/** The recipes of the documentation, followed in a copy of the source: it compiles, and what they add works. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageAt, sectionOf } from '../support/docs.ts';
import { graphql } from '../support/gateway.ts';
import { additions } from './additions.ts';
import { type CopyOfSource, followRecipes, type Recipe } from './copy-of-source.ts';
import { posts, program } from './posts.ts';

let copy: CopyOfSource;
let address: string;
let key: string;
let metrics: string;
/** A program with a network of its own. */
let embedded: { readonly address: string; readonly key: string; readonly account: string };

const recipes: Readonly<Record<string, Recipe>> = { ...additions, 'Add a shape of posts': posts };

/** Followed by `test/examples/embed.test.ts`, and what no gateway shows: `test/response-cache/max-age.test.ts` finds a type without a hint. */
const elsewhere = ['Add a network', 'Cache a new type'];

beforeAll(async () => {
  copy = await followRecipes(Object.values(recipes));
  const started = await copy.start({ METRICS_PORT: '0' });
  address = started.address;
  [, metrics = ''] = await started.line(/(http:\/\/127\.0\.0\.1:\d+\/metrics)/);
  key = (await readFile(join(copy.path, '.data/demo-key'), 'utf8')).trim();

  await writeFile(join(copy.path, 'program.js'), program);
  const environment = { DATABASE_URL: `sqlite:${join(copy.path, 'data/postern.db')}` };
  const own = await copy.start(environment, 'program.js');
  const made = async (script: string, ...args: string[]) => {
    const { code, stdout, stderr } = await copy.run(script, args, environment);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  };
  embedded = {
    address: own.address,
    account: await made('src/app/cli/accounts.ts', 'connect', '--workspace', 'clips', '--type', 'MICROBLOG'),
    key: await made('src/app/cli/keys.ts', 'create', '--workspace', 'clips', '--name', 'test'),
  };
});
afterAll(() => copy?.remove());

it('follows each recipe of the page', () => {
  const headings = [...pageAt('docs/develop/recipes.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  expect([...Object.keys(recipes), ...elsewhere].sort()).toEqual(headings.sort());
});

/** Where a reader counts the metric and throws the error, which is nobody's but the reader's choice. */
const ownChoice = ['src/http/observed-requests.ts', 'src/capabilities/jobs/embedded.ts'];

it.each(Object.entries(recipes))(
  '%s: the page names the files that are touched',
  (heading, { edits, newFiles = {} }: Recipe) => {
    const text = sectionOf(heading);
    const isNamed = (file: string) => text.includes(basename(file)) || ownChoice.includes(file);
    expect(Object.keys(edits).filter((file) => !isNamed(file))).toEqual([]);
    expect(Object.keys(newFiles).filter((file) => !isNamed(file) && !text.includes(dirname(file)))).toEqual([]);
  },
);

it('compiles', async () => {
  expect(await copy.compile()).toBe('');
});

const accountId = 'pnet-----------------A';

it('has the field of posts, over both faces', async () => {
  const { data, errors } = await graphql(
    address,
    key,
    `{ posts(accountId: "${accountId}", identifier: "ACoSandbox250", first: 2) { nodes { ... on PnetPost { isPinned } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data.posts.nodes).toEqual([{ isPinned: true }, { isPinned: null }]);
  const response = await fetch(`${address}/v1/users/ACoSandbox250/posts?account_id=${accountId}&limit=2`, {
    headers: { 'x-api-key': key },
  });
  const { items } = await response.json();
  expect(items.map(({ is_pinned }: { is_pinned?: boolean }) => is_pinned)).toEqual([true, undefined]);
});

it('has the event', async () => {
  const { data, errors } = await graphql(
    address,
    key,
    `mutation { createWebhook(input: { requestUrl: "https://hooks.example", source: USERS, events: [RELATION_REMOVED] }) {
      ... on WebhookCreated { webhook { events } }
    } }`,
  );
  expect(errors).toEqual([]);
  expect(data.createWebhook.webhook.events).toEqual(['RELATION_REMOVED']);
});

it('has the source, with its event and its payload key', async () => {
  const { data, errors } = await graphql(
    address,
    key,
    `mutation { createWebhook(input: { requestUrl: "https://hooks.example", source: CALLS, data: [{ key: CALL_MINUTES, name: "length" }] }) {
      ... on WebhookCreated { webhook { events } }
    } }`,
  );
  expect(errors).toEqual([]);
  expect(data.createWebhook.webhook.events).toEqual(['CALL_ENDED']);
});

it('has the mutation, and the error code that it ends with', async () => {
  const close = `mutation { closeJob(input: { accountId: "${accountId}", jobId: "2001" }) {
    __typename
    ... on PnetJobPostingEdited { jobPosting { state } }
    ... on ServiceError { code }
  } }`;
  const first = await graphql(address, key, close);
  expect(first.errors).toEqual([]);
  expect(first.data.closeJob).toEqual({ __typename: 'PnetJobPostingEdited', jobPosting: { state: 'CLOSED' } });
  const second = await graphql(address, key, close);
  expect(second.data.closeJob).toMatchObject({ code: 'ALREADY_CLOSED' });
});

it('has the column', () => {
  using database = new DatabaseSync(join(copy.path, '.data/postern.db'), { readOnly: true });
  expect(database.prepare('select note from jobs').all().length).toBeGreaterThan(0);
});

it('has the setting', async () => {
  const { stdout } = await copy.run('src/app/main.js', ['--help'], {});
  expect(stdout).toMatch(/^ *REGION +Where the gateway runs, for its log\. Default: home$/m);
});

it('has the metric', async () => {
  await fetch(`${address}/schema.graphql`);
  const read = async () => (await fetch(metrics)).text();
  await expect.poll(read).toMatch(/^postern_requests_keyless\S* [1-9]/m);
});

it('a shape of posts changes files of one folder', () => {
  const files = [...Object.keys(posts.newFiles), ...Object.keys(posts.edits)];
  expect(files.filter((file) => !file.startsWith('src/capabilities/posts/'))).toEqual([]);
});

const feed = `query Clips($accountId: ID!) {
  posts(accountId: $accountId, identifier: "ada", first: 2) {
    nodes {
      ... on Node { id }
      ... on NetworkPost { __typename providerId text reactionCount commentCount hasReacted author { id name } } ... on ClipnetPost { publishedAt }
    }
    pageInfo { hasNextPage }
  }
}`;

it('lists the posts of the network over REST, and over GraphQL with what posts of all networks share', async () => {
  const { address, key, account } = embedded;
  const response = await fetch(`${address}/v1/users/ada/posts?account_id=${account}&limit=2`, {
    headers: { 'x-api-key': key },
  });
  expect(await response.json()).toMatchObject({ items: [{ clip_id: 'ada-0' }, { clip_id: 'ada-1' }] });
  const { data, errors } = await graphql(address, key, feed, { accountId: account });
  expect(errors).toEqual([]);
  expect(data.posts).toMatchObject({
    nodes: [
      { __typename: 'ClipnetPost', providerId: 'ada-0', reactionCount: 0, author: { name: 'nick of ada' } },
      { __typename: 'ClipnetPost', providerId: 'ada-1', reactionCount: 1, publishedAt: '2026-11-20T12:00:00.000Z' },
    ],
    pageInfo: { hasNextPage: true },
  });
});

it('refetches posts and their authors by id', async () => {
  const { address, key, account } = embedded;
  const { data } = await graphql(address, key, feed, { accountId: account });
  const [, second] = data.posts.nodes;
  const refetched = await graphql(
    address,
    key,
    'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on ClipnetCreator { name } } }',
    { ids: [second.id, second.author.id] },
  );
  expect(refetched.errors).toEqual([]);
  expect(refetched.data.nodes).toEqual([
    { __typename: 'ClipnetPost', id: second.id },
    { __typename: 'ClipnetCreator', id: second.author.id, name: 'nick of ada' },
  ]);
});

it('compiles the list in proxy mode, with the same response', async () => {
  const { address, key, account } = embedded;
  const proxy = await copy.start({
    UPSTREAM_URL: address,
    DATABASE_URL: `sqlite:${join(copy.path, 'proxy/postern.db')}`,
  });
  const direct = await graphql(address, key, feed, { accountId: account });
  const { data, errors } = await graphql(proxy.address, key, feed, { accountId: account });
  expect({ data, errors }).toEqual({ data: direct.data, errors: [] });
  expect((await proxy.line(/"compiled":"([^"]*)"/))[1]).toBe('yes');
});
