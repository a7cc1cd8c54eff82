/** Posts of the authors of posts: each list is read once, within the limits of an operation. */
import { describe, expect, test } from 'vitest';
import { backends, onOneDatabase } from '../support/backends.ts';
import { servePosts } from './served-posts.ts';

describe.each(onOneDatabase(backends))('posts of the authors of posts, $name backend', (backend) => {
  const posts = servePosts(backend);
  const { wireOf } = posts;

  const cost = async (work: () => Promise<void>) => {
    posts.calls.length = 0;
    await work();
    return posts.calls.length;
  };

  test('author.posts of 100 posts of one author is one more read, whatever their `first`', async () => {
    const spent = await cost(async () => {
      const { data, errors } = await posts.workspace.ask(
        `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandbox100", first: 100) { nodes {
          ... on PnetPost { author {
            five: posts(first: 5) { nodes { ... on PnetPost { providerId } } }
            ten: posts(first: 10) { nodes { ... on PnetPost { providerId } } pageInfo { hasNextPage } }
          } } } } }`,
        { accountId: posts.pnet },
      );
      expect(errors).toEqual([]);
      expect(data.posts.nodes).toHaveLength(100);
      const wire = (await wireOf('pnet', 'ACoSandbox100')).map((post) => ('id' in post ? post.id : ''));
      for (const { author } of data.posts.nodes) {
        const of = (nodes: { providerId: string }[]) => nodes.map(({ providerId }) => providerId);
        expect(of(author.five.nodes)).toEqual(wire.slice(0, 5));
        expect(of(author.ten.nodes)).toEqual(wire.slice(0, 10));
        expect(author.ten.pageInfo.hasNextPage).toBe(true);
      }
    });
    expect(spent).toBe(2);
  });

  test('five aliases of one list are one read', async () => {
    const spent = await cost(async () => {
      const field = 'posts(accountId: $accountId, identifier: "ACoSandbox100", first:';
      const { data, errors } = await posts.workspace.ask(
        `query ($accountId: ID!) { ${[3, 9, 9, 40, 1]
          .map((first, index) => `p${index}: ${field} ${first}) { nodes { __typename } pageInfo { hasNextPage } }`)
          .join(' ')} }`,
        { accountId: posts.pnet },
      );
      expect(errors).toEqual([]);
      expect([0, 1, 2, 3, 4].map((index) => data[`p${index}`].nodes.length)).toEqual([3, 9, 9, 40, 1]);
    });
    expect(spent).toBe(1);
  });

  test('the authors of what is reposted are read once each', async () => {
    const spent = await cost(async () => {
      const { data, errors } = await posts.workspace.ask(
        `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandboxReposts", first: 30) { nodes {
          ... on PnetPost { repostedBy { providerId } author { providerId posts(first: 2) { nodes {
            ... on PnetPost { author { providerId } } } } } } } } }`,
        { accountId: posts.pnet },
      );
      expect(errors).toEqual([]);
      for (const { author, repostedBy } of data.posts.nodes) {
        expect(repostedBy.providerId).toBe('ACoSandboxReposts');
        for (const node of author.posts.nodes) expect(node.author.providerId).toBe(author.providerId);
      }
    });
    expect(spent).toBe(1 + 3);
  });

  test("a company's own posts, and a photonet owner's", async () => {
    const company = await posts.workspace.ask(
      `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "900043", isCompany: true, first: 1) { nodes {
        ... on PnetPost { author { isCompany posts(first: 2) { nodes { __typename } } } } } } }`,
      { accountId: posts.pnet },
    );
    expect(company.errors).toEqual([]);
    expect(company.data.posts.nodes[0].author).toMatchObject({ isCompany: true, posts: { nodes: [{}, {}] } });
    const spent = await cost(async () => {
      const owner = await posts.workspace.ask(
        `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "sandbox.sixty", first: 60) { nodes {
          ... on PhotonetPost { author { username posts(first: 2) { nodes { __typename } } } } } } }`,
        { accountId: posts.photonet },
      );
      expect(owner.errors).toEqual([]);
      expect(owner.data.posts.nodes[0].author).toMatchObject({
        username: 'sandbox.sixty',
        posts: { nodes: [{}, {}] },
      });
    });
    expect(spent).toBe(2);
  });

  test('an operation that costs too much is refused before anything is read', async () => {
    const nested = (depth: number): string =>
      depth === 0
        ? 'nodes { __typename }'
        : `nodes { ... on PnetPost { author { posts(first: 100) { ${nested(depth - 1)} } } } }`;
    for (const [what, selection] of [
      ['cost', nested(2)],
      ['depth', nested(6).replaceAll('first: 100', 'first: 1')],
      ['aliases', Array.from({ length: 2_500 }, (_, index) => `a${index}: __typename`).join(' ')],
    ] as const) {
      posts.calls.length = 0;
      const { data, errors } = await posts.workspace.ask(
        `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandbox250", first: ${
          what === 'depth' ? 1 : 100
        }) { ${selection} } }`,
        { accountId: posts.pnet },
      );
      expect(data, what).toBeNull();
      expect(errors, what).toMatchObject([{ extensions: { code: 'LIMIT_TOO_HIGH', status: 400 } }]);
      expect(errors[0]?.message, what).toContain(what);
      expect(posts.calls).toEqual([]);
    }
  });
});
