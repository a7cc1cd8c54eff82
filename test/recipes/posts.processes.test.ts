/** The recipe for a shape of posts, followed in a copy of the source that a program with a network of its own runs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql } from '../support/gateway.ts';
import { type CopyOfSource, followRecipes } from './copy-of-source.ts';
import { posts, program } from './posts.ts';

let copy: CopyOfSource;
let embedded: { readonly address: string; readonly key: string; readonly account: string };

beforeAll(async () => {
  copy = await followRecipes([posts]);
  await writeFile(join(copy.path, 'program.js'), program);
  const environment = { DATABASE_URL: `sqlite:${join(copy.path, 'data/postern.db')}` };
  const { address } = await copy.start(environment, 'program.js');
  const made = async (script: string, ...args: string[]) => {
    const { code, stdout, stderr } = await copy.run(script, args, environment);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  };
  const account = await made('src/app/cli/accounts.ts', 'connect', '--workspace', 'clips', '--type', 'MICROBLOG');
  const key = await made('src/app/cli/keys.ts', 'create', '--workspace', 'clips', '--name', 'test');
  embedded = { address, key, account };
});
afterAll(() => copy?.remove());

it('changes files of one folder', () => {
  const files = [...Object.keys(posts.newFiles), ...Object.keys(posts.edits)];
  expect(files.filter((file) => !file.startsWith('src/capabilities/posts/'))).toEqual([]);
});

it('compiles', async () => {
  expect(await copy.compile()).toBe('');
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

it('lists the posts over REST, and over GraphQL with what posts of all networks share', async () => {
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
