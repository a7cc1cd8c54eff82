/** The recipes of the documentation, followed in a copy of the source: it compiles, and what they add works. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pageAt, sectionOf } from '../support/docs.ts';
import { graphql } from '../support/gateway.ts';
import { additions } from './additions.ts';
import { type CopyOfSource, followRecipes, type Recipe } from './copy-of-source.ts';

let copy: CopyOfSource;
let address: string;
let key: string;
let metrics: string;

const recipes: Readonly<Record<string, Recipe>> = additions;

/** Followed by `test/examples/embed.test.ts`, and what other tests ask for as soon as it is begun. */
const elsewhere = ['Add a network', 'Add a shape of posts', 'Cache a new type'];

beforeAll(async () => {
  copy = await followRecipes(Object.values(recipes));
  const started = await copy.start({ METRICS_PORT: '0' });
  address = started.address;
  [, metrics = ''] = await started.line(/(http:\/\/127\.0\.0\.1:\d+\/metrics)/);
  key = (await readFile(join(copy.path, '.data/demo-key'), 'utf8')).trim();
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
