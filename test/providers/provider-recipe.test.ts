/** The recipe for a provider with posts of its own, followed in a copy of the source. */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { graphql } from '../support/gateway.ts';
import { type Environment, runProcess, type Started, startProcess } from '../support/process.ts';
import { edits, newFiles } from './provider-recipe.ts';

const root = join(import.meta.dirname, '../..');
let copy: string;
const inCopy = (path: string): string => relative(root, join(copy, path));
const processes: Started[] = [];
let embedded: { readonly address: string; readonly key: string; readonly account: string };

async function start(environment: Environment): Promise<Started & { readonly address: string }> {
  const started = startProcess(inCopy('src/main.ts'), [], { PORT: '0', LOG_LEVEL: 'info', ...environment }, copy);
  processes.push(started);
  const [, address = ''] = await started.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
  return { ...started, address };
}

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'postern-provider-'));
  await cp(join(root, 'src'), join(copy, 'src'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) await cp(join(root, file), join(copy, file));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [path, text] of Object.entries(newFiles)) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await writeFile(join(copy, path), text);
  }
  for (const [path, replacements] of Object.entries(edits)) {
    let text = await readFile(join(copy, path), 'utf8');
    for (const [from, to] of replacements) {
      expect(text.split(from), `${path} has "${from}" once`).toHaveLength(2);
      text = text.replace(from, to);
    }
    await writeFile(join(copy, path), text);
  }

  const environment = { DATABASE_URL: `sqlite:${join(copy, 'data/postern.db')}` };
  const { address } = await start(environment);
  const made = async (script: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runProcess(inCopy(script), args, environment, copy);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  };
  const account = await made('src/app/cli/accounts.ts', 'connect', '--workspace', 'clips', '--type', 'MICROBLOG');
  const key = await made('src/app/cli/keys.ts', 'create', '--workspace', 'clips', '--name', 'test');
  embedded = { address, key, account };
});
afterAll(async () => {
  for (const { child, ended } of processes) {
    child.kill();
    await ended;
  }
  await rm(copy, { recursive: true, force: true });
});

it('changes files of three folders at most', () => {
  const folders = [...Object.keys(newFiles), ...Object.keys(edits)].map((path) =>
    path.split('/').slice(0, 2).join('/'),
  );
  expect(new Set(folders).size).toBeLessThanOrEqual(3);
});

it('compiles', async () => {
  const { code, stdout } = await runProcess('node_modules/typescript/bin/tsc', ['-p', inCopy('.')], {}, root);
  expect(stdout).toBe('');
  expect(code).toBe(0);
});

const feed = `query Clips($accountId: ID!) {
  posts(accountId: $accountId, identifier: "ada", first: 2) {
    nodes {
      ... on Node { id }
      ... on NetworkPost { __typename providerId text url publishedAt reactionCount commentCount hasReacted author { id name } }
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

it('compiles the list in front of a service, with the same response', async () => {
  const { address, key, account } = embedded;
  const proxy = await start({ UPSTREAM_URL: address, DATABASE_URL: `sqlite:${join(copy, 'proxy/postern.db')}` });
  const direct = await graphql(address, key, feed, { accountId: account });
  const { data, errors } = await graphql(proxy.address, key, feed, { accountId: account });
  expect({ data, errors }).toEqual({ data: direct.data, errors: [] });
  expect((await proxy.line(/"compiled":"([^"]*)"/))[1]).toBe('yes');
});
