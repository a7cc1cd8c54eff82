/** The connection of posts: no page size and no edge loses or repeats a post. */
import { describe, expect, test } from 'vitest';
import { postLimits } from '../../src/capabilities/posts/shapes.ts';
import { allBackends, onOneDatabase } from '../support/backends.ts';
import { servePosts } from './served-posts.ts';

describe.each(onOneDatabase(allBackends))('connection of posts, $name backend', (backend) => {
  const posts = servePosts(backend);
  const { accountFor, list, failing } = posts;

  test('reads the same sequence with every page size, and stops', async () => {
    const whole = (await list({ identifier: 'ADoSandbox25' })).edges.map(({ node }) => node.id);
    expect(whole).toHaveLength(25);
    // Every size up to one more than there are, and the largest.
    for (const first of [...Array.from({ length: 26 }, (_, size) => size + 1), postLimits.limit.max]) {
      const read: string[] = [];
      let after: string | null = null;
      for (;;) {
        const { edges, pageInfo } = await list({ identifier: 'ADoSandbox25', first, after });
        expect(edges.length).toBe(Math.min(first, 25 - read.length));
        expect(pageInfo.hasPreviousPage).toBe(after !== null);
        expect(pageInfo.startCursor).toBe(edges[0]?.cursor ?? null);
        expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? null);
        read.push(...edges.map(({ node }) => node.id));
        if (!pageInfo.hasNextPage) break;
        after = pageInfo.endCursor;
      }
      expect(read, `first: ${first}`).toEqual(whole);
    }
  });

  test.each([
    ['pnet', 'ACoSandbox250', 250],
    ['photonet', 'sandbox.130', 130],
  ] as const)('resumes exactly after every edge: %s %s', async (network, identifier, count) => {
    const accountId = accountFor(network);
    const whole: { cursor: string; node: { id: string } }[] = [];
    let after: string | null = null;
    do {
      const page = await list({ accountId, identifier, first: 37, after });
      whole.push(...page.edges);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null);
    expect(new Set(whole.map(({ node }) => node.id)).size).toBe(count);
    for (const [index, edge] of whole.entries()) {
      // Some, and those around the ends of whole pages.
      if (index % 7 !== 0 && index % 100 > 2 && index % 100 < 97) continue;
      const first = 1 + ((index * 31) % 100);
      const { edges, pageInfo } = await list({ accountId, identifier, first, after: edge.cursor });
      expect(edges.map(({ node }) => node.id)).toEqual(
        whole.slice(index + 1, index + 1 + first).map(({ node }) => node.id),
      );
      expect(pageInfo.hasNextPage).toBe(index + 1 + first < count);
    }
  });

  test.each([
    ['pnet', 'ACoSandbox0'],
    ['photonet', 'sandbox.empty'],
  ] as const)('of a list without posts is empty: %s', async (network, identifier) => {
    expect(await list({ accountId: accountFor(network), identifier })).toEqual({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  test('reads 100 posts by default', async () => {
    const { data } = await posts.workspace.ask(
      'query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandbox250") { nodes { __typename } } }',
      { accountId: posts.pnet },
    );
    expect(data.posts.nodes).toHaveLength(postLimits.limit.default);
  });

  test.each([-1, 101, 2 ** 31 - 1])('refuses first: %i', async (first) => {
    expect(await failing({ identifier: 'ACoSandbox250', first })).toMatchObject({
      path: ['posts'],
      extensions: { code: 'UNPROCESSABLE_ENTITY', status: 422, issues: [{ path: ['first'] }] },
    });
  });

  test('refuses cursors that are not of this list', async () => {
    const { edges } = await list({ identifier: 'ACoSandbox250', first: 3 });
    const cursor = edges[1]?.cursor as string;
    const ofOther = (await list({ identifier: 'ACoSandbox100', first: 1 })).edges[0]?.cursor;
    const otherAccount = await posts.workspace.account();
    const ofAccount = (await list({ accountId: otherAccount, identifier: 'ACoSandbox250', first: 1 })).edges[0]?.cursor;
    const flip = (at: number) => `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
    const forged = [
      ofOther,
      ofAccount,
      '',
      'x',
      cursor.slice(0, -1),
      cursor.slice(1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      cursor.repeat(2),
      'x'.repeat(10_000),
      Buffer.from('[null,5]').toString('base64url'),
      ...Array.from({ length: cursor.length }, (_, at) => flip(at)),
    ];
    for (const after of forged) {
      expect(await failing({ identifier: 'ACoSandbox250', after }), String(after)).toMatchObject({
        path: ['posts'],
        extensions: { code: 'UNPROCESSABLE_ENTITY', issues: [{ path: ['after'] }] },
      });
    }
    expect(await failing({ accountId: otherAccount, identifier: 'ACoSandbox250', after: cursor })).toMatchObject({
      extensions: { code: 'UNPROCESSABLE_ENTITY' },
    });
  });
});
