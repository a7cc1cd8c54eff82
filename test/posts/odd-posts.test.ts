/** The odd posts of the sandbox: one of an unknown network on the first page, one that lacks required values on the second. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let key: string;
let accountId: string;

beforeAll(async () => {
  gateway = await startGateway();
  const space = await gateway.workspace();
  key = space.key;
  accountId = await space.account();
});
afterAll(() => gateway.close());

const page = (after: string | null) =>
  graphql(
    gateway.address,
    key,
    `query ($accountId: ID!, $after: String) {
      posts(accountId: $accountId, identifier: "ACoSandboxOdd", first: 100, after: $after) {
        nodes { ... on NetworkPost { text author { name } } }
        pageInfo { endCursor hasNextPage }
      }
    }`,
    { accountId, after },
  );

it('cost nothing but themselves', async () => {
  const first = await page(null);
  expect(first.status).toBe(200);
  expect(first.data.posts.nodes).toHaveLength(100);
  expect(first.data.posts.nodes[2]).toBeNull();
  expect(first.data.posts.nodes.filter((node: unknown) => node !== null)).toHaveLength(99);
  expect(first.errors.map(({ path }) => path)).toEqual([['posts', 'nodes', 2]]);

  const second = await page(first.data.posts.pageInfo.endCursor);
  expect(second.data.posts.nodes).toHaveLength(50);
  expect(second.errors.length).toBeGreaterThan(0);
  for (const { path } of second.errors) expect(path?.slice(0, 3)).toEqual(['posts', 'nodes', 2]);
  expect(second.data.posts.nodes.filter((node: { text?: string } | null) => node?.text).length).toBe(49);
});
