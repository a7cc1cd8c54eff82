/** Posts over GraphQL: every field of both networks, connections that lose nothing, and lists that are read once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorName, errorTable } from '../../src/errors.ts';
import { type Post, postLimits } from '../../src/posts/shapes.ts';
import type { PostProvider, Providers } from '../../src/providers/provider.ts';
import { postIdentifiers, sandboxNetworks, sandboxToken } from '../../src/providers/sandbox/networks.ts';
import { backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { wholeSelection } from '../support/selection.ts';

const listDocument = `query ($accountId: ID!, $identifier: String!, $isCompany: Boolean, $first: Int! = 100, $after: String) {
  posts(accountId: $accountId, identifier: $identifier, isCompany: $isCompany, first: $first, after: $after) {
    edges { cursor node { ... on PnetPost { id } ... on PhotonetPost { id } } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

const wholeDocument = `query ($accountId: ID!, $identifier: String!, $isCompany: Boolean) {
  posts(accountId: $accountId, identifier: $identifier, isCompany: $isCompany) {
    nodes ${wholeSelection('Post', ['PnetAuthor.posts', 'PhotonetOwner.posts'])} } }`;

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** What only the wire says: GraphQL says it with the type. */
const saidByTheType = new Set(['object', 'provider']);

const graphqlName = (key: string): string =>
  key === 'id' ? 'providerId' : key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Expects what the adapter sent to stand in the answer under its GraphQL name, and nothing else beside it. */
function expectArrived(wire: unknown, answer: unknown, path: string, seen: Set<string>, lacking: Set<string>): void {
  if (Array.isArray(wire)) {
    expect(answer, path).toHaveLength(wire.length);
    for (const [index, item] of wire.entries()) expectArrived(item, (answer as unknown[])[index], path, seen, lacking);
  } else if (isFields(wire) && isFields(answer)) {
    const isAttachment = path.endsWith('.attachments');
    const kind = isAttachment ? `${answer.__typename}.` : '';
    const said = Object.keys(wire).filter((key) => !saidByTheType.has(key) && !(isAttachment && key === 'type'));
    for (const key of said) {
      const name = graphqlName(key);
      expect(answer, path).toHaveProperty(name);
      seen.add(`${path}.${kind}${name}`);
      expectArrived(wire[key], answer[name], `${path}.${name}`, seen, lacking);
    }
    const others = Object.keys(answer).filter((name) => !said.some((key) => graphqlName(key) === name));
    for (const name of others) {
      if (name === '__typename') continue;
      if (name === 'id') expect(answer.id, path).toMatch(/^[\w-]+$/);
      else {
        lacking.add(`${path}.${kind}${name}`);
        expect(answer[name], `${path}.${name}`).toBeNull();
      }
    }
  } else expect(answer, path).toEqual(wire);
}

describe.each(backends)('posts, $name backend', ({ start }) => {
  let served: Served;
  let workspace: SeededWorkspace;
  let pnet: string;
  let photonet: string;
  /** The pages that the networks have been asked for. */
  const calls: { identifier: string; limit: number }[] = [];
  /** What the network sends in the place of the list of `ACoOdd`. */
  let odd: unknown[] = [];

  const counted = (network: PostProvider): Pick<PostProvider, 'listPosts'> => ({
    async listPosts(session, query, signal) {
      calls.push({ identifier: query.identifier, limit: query.limit });
      if (query.identifier === 'ACoOdd') return { items: odd as Post[], cursor: null };
      if (query.identifier === 'ACoBroken') throw new Error('the adapter has a bug: secret-detail');
      return network.listPosts(session, query, signal);
    },
  });

  beforeAll(async () => {
    served = await start({
      providers: (sandbox): Providers => ({
        PNET: { ...sandbox.PNET, ...counted(sandbox.PNET) },
        PHOTONET: counted(sandbox.PHOTONET),
      }),
    });
    workspace = await served.workspace();
    pnet = await workspace.account();
    photonet = await workspace.account({ type: 'PHOTONET' });
  });
  afterAll(() => served.close());

  const accountFor = (network: 'pnet' | 'photonet') => (network === 'pnet' ? pnet : photonet);

  async function list(variables: Record<string, unknown>) {
    const { data, errors } = await workspace.ask(listDocument, { accountId: pnet, ...variables });
    expect(errors).toEqual([]);
    return data.posts as {
      edges: { cursor: string; node: { id: string } }[];
      pageInfo: {
        hasNextPage: boolean;
        hasPreviousPage: boolean;
        startCursor: string | null;
        endCursor: string | null;
      };
    };
  }

  async function failing(variables: Record<string, unknown>) {
    const { data, errors } = await workspace.ask(listDocument, { accountId: pnet, ...variables });
    expect(data).toBeNull();
    expect(errors).toHaveLength(1);
    return errors[0];
  }

  /** The wire objects of a whole list, from the sandbox itself. */
  async function wireOf(network: 'pnet' | 'photonet', identifier: string, isCompany = false): Promise<Post[]> {
    const type = network === 'pnet' ? 'PNET' : 'PHOTONET';
    const sandbox = sandboxNetworks({ clock: () => served.clock.now })[type];
    const session = { accountId: 'x', type, token: sandboxToken('ok') } as const;
    const items: Post[] = [];
    let cursor: string | null = null;
    do {
      const page = await sandbox.listPosts(
        session,
        { identifier, isCompany, cursor, limit: 100 },
        new AbortController().signal,
      );
      items.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== null);
    return items;
  }

  describe('fields', () => {
    const galleries = [
      { network: 'pnet', identifier: 'ACoSandboxGallery' },
      { network: 'pnet', identifier: 'ACoSandboxReposts' },
      { network: 'pnet', identifier: '900043', isCompany: true },
      { network: 'photonet', identifier: 'sandbox.gallery' },
      { network: 'photonet', identifier: 'sandbox.video' },
    ] as const;

    const arrived = async (
      gallery: (typeof galleries)[number],
      seen = new Set<string>(),
      lacking = new Set<string>(),
    ) => {
      const { network, identifier } = gallery;
      const isCompany = 'isCompany' in gallery;
      const { data, errors } = await workspace.ask(wholeDocument, {
        accountId: accountFor(network),
        identifier,
        ...(isCompany ? { isCompany } : {}),
      });
      expect(errors).toEqual([]);
      const wire = await wireOf(network, identifier, isCompany);
      expect(wire.length).toBeGreaterThan(0);
      expectArrived(wire, data.posts.nodes, network, seen, lacking);
    };

    test.each(galleries)('of $identifier arrive as $network sent them', (gallery) => arrived(gallery));

    test('the galleries show every field of the contract, so that none is left untested', async () => {
      const seen = new Set<string>();
      const lacking = new Set<string>();
      for (const gallery of galleries) await arrived(gallery, seen, lacking);
      // What is no file has neither a media type nor a size.
      expect([...lacking].filter((path) => !seen.has(path)).sort()).toEqual(
        ['SharedPostAttachment', 'VideoMeetingAttachment'].flatMap((type) =>
          ['fileSize', 'mimetype', 'urlExpiresAt'].map((name) => `pnet.attachments.${type}.${name}`),
        ),
      );
      expect(seen.size).toBeGreaterThan(100);
    });

    test('ids are unique over everything that has one, and the same for the same thing', async () => {
      const ids = new Map<string, string>();
      const collect = (value: unknown): void => {
        if (!isFields(value)) return;
        if (typeof value.id === 'string') {
          const what = `${value.__typename} ${value.providerId}`;
          expect(ids.get(value.id) ?? what).toBe(what);
          ids.set(value.id, what);
        }
        Object.values(value).forEach(collect);
      };
      for (const { network, identifier, ...more } of galleries) {
        const { data } = await workspace.ask(wholeDocument, { accountId: accountFor(network), identifier, ...more });
        collect(data);
      }
      expect(new Set(ids.values()).size).toBe(ids.size);
    });
  });

  describe('connection', () => {
    test('reads the same sequence with every page size from 1 to 100, and stops', async () => {
      const whole = (await list({ identifier: 'ADoSandbox25' })).edges.map(({ node }) => node.id);
      expect(whole).toHaveLength(25);
      for (let first = 1; first <= 100; first += 1) {
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

    test('reads 100 posts unless told otherwise', async () => {
      const { data } = await workspace.ask(
        'query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandbox250") { nodes { __typename } } }',
        { accountId: pnet },
      );
      expect(data.posts.nodes).toHaveLength(postLimits.limit.default);
    });

    test.each([0, -1, 101, 2 ** 31 - 1])('refuses first: %i', async (first) => {
      expect(await failing({ identifier: 'ACoSandbox250', first })).toMatchObject({
        path: ['posts'],
        extensions: { type: 'errors/unprocessable_entity', status: 422, issues: [{ path: ['first'] }] },
      });
    });

    test('refuses cursors that are not of this list', async () => {
      const { edges } = await list({ identifier: 'ACoSandbox250', first: 3 });
      const cursor = edges[1]?.cursor as string;
      const ofOther = (await list({ identifier: 'ACoSandbox100', first: 1 })).edges[0]?.cursor;
      const otherAccount = await workspace.account();
      const ofAccount = (await list({ accountId: otherAccount, identifier: 'ACoSandbox250', first: 1 })).edges[0]
        ?.cursor;
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
          extensions: { type: 'errors/unprocessable_entity', issues: [{ path: ['after'] }] },
        });
      }
      expect(await failing({ accountId: otherAccount, identifier: 'ACoSandbox250', after: cursor })).toMatchObject({
        extensions: { type: 'errors/unprocessable_entity' },
      });
    });
  });

  describe('walking on from a post', () => {
    const cost = async (work: () => Promise<void>) => {
      calls.length = 0;
      await work();
      return calls.length;
    };

    test('author.posts of 100 posts of one author is one more read, whatever lengths are asked for', async () => {
      const spent = await cost(async () => {
        const { data, errors } = await workspace.ask(
          `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandbox100", first: 100) { nodes {
            ... on PnetPost { author {
              five: posts(first: 5) { nodes { ... on PnetPost { providerId } } }
              ten: posts(first: 10) { nodes { ... on PnetPost { providerId } } pageInfo { hasNextPage } }
            } } } } }`,
          { accountId: pnet },
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
        const { data, errors } = await workspace.ask(
          `query ($accountId: ID!) { ${[3, 9, 9, 40, 1]
            .map((first, index) => `p${index}: ${field} ${first}) { nodes { __typename } pageInfo { hasNextPage } }`)
            .join(' ')} }`,
          { accountId: pnet },
        );
        expect(errors).toEqual([]);
        expect([0, 1, 2, 3, 4].map((index) => data[`p${index}`].nodes.length)).toEqual([3, 9, 9, 40, 1]);
      });
      expect(spent).toBe(1);
    });

    test('the authors of what is reposted are read once each', async () => {
      const spent = await cost(async () => {
        const { data, errors } = await workspace.ask(
          `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandboxReposts", first: 30) { nodes {
            ... on PnetPost { repostedBy { providerId } author { providerId posts(first: 2) { nodes {
              ... on PnetPost { author { providerId } } } } } } } } }`,
          { accountId: pnet },
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
      const company = await workspace.ask(
        `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "900043", isCompany: true, first: 1) { nodes {
          ... on PnetPost { author { isCompany posts(first: 2) { nodes { __typename } } } } } } }`,
        { accountId: pnet },
      );
      expect(company.errors).toEqual([]);
      expect(company.data.posts.nodes[0].author).toMatchObject({ isCompany: true, posts: { nodes: [{}, {}] } });
      const spent = await cost(async () => {
        const owner = await workspace.ask(
          `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "sandbox.sixty", first: 60) { nodes {
            ... on PhotonetPost { owner { username posts(first: 2) { nodes { __typename } } } } } } }`,
          { accountId: photonet },
        );
        expect(owner.errors).toEqual([]);
        expect(owner.data.posts.nodes[0].owner).toMatchObject({
          username: 'sandbox.sixty',
          posts: { nodes: [{}, {}] },
        });
      });
      expect(spent).toBe(2);
    });

    test('an operation that asks for too much is refused before anything is read', async () => {
      const nested = (depth: number): string =>
        depth === 0
          ? 'nodes { __typename }'
          : `nodes { ... on PnetPost { author { posts(first: 100) { ${nested(depth - 1)} } } } }`;
      for (const [what, selection] of [
        ['complexity', nested(2)],
        ['depth', nested(6).replaceAll('first: 100', 'first: 1')],
        ['breadth', Array.from({ length: 2_500 }, (_, index) => `a${index}: __typename`).join(' ')],
      ] as const) {
        calls.length = 0;
        const { data, errors } = await workspace.ask(
          `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoSandbox250", first: ${
            what === 'depth' ? 1 : 100
          }) { ${selection} } }`,
          { accountId: pnet },
        );
        expect(data, what).toBeNull();
        expect(errors, what).toMatchObject([{ extensions: { type: 'errors/limit_too_high', status: 400 } }]);
        expect(errors[0]?.message, what).toContain(what);
        expect(calls).toEqual([]);
      }
    });
  });

  describe('what nobody expected from a network', () => {
    const nodesOf = async (items: unknown[], selection: string) => {
      odd = items;
      const { data, errors } = await workspace.ask(
        `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoOdd") { nodes { __typename ${selection} } } }`,
        { accountId: pnet },
      );
      return { nodes: data?.posts?.nodes, errors };
    };
    const whole = `... on PnetPost ${wholeSelection('PnetPost', ['PnetAuthor.posts'])}`;
    const good = async () => structuredClone((await wireOf('pnet', 'ACoSandboxGallery'))[0]) as unknown as Fields;

    test('an unknown provider is a null node with an error at its path', async () => {
      const { nodes, errors } = await nodesOf(
        [await good(), { ...(await good()), provider: 'NEWNET' }, await good()],
        '... on PnetPost { providerId }',
      );
      expect(nodes).toMatchObject([{ __typename: 'PnetPost' }, null, { __typename: 'PnetPost' }]);
      expect(errors).toMatchObject([
        { path: ['posts', 'nodes', 1], extensions: { type: 'errors/provider_error', status: 500 } },
      ]);
    });

    test.each([
      ['null', null],
      ['a text', 'text'],
      ['a number', 7],
      ['an empty object', {}],
      ['a list', []],
    ])('%s in the place of a post costs that post only', async (_what, item) => {
      const { nodes, errors } = await nodesOf([await good(), item, await good()], '... on PnetPost { providerId }');
      expect(nodes).toMatchObject([{ __typename: 'PnetPost' }, null, { __typename: 'PnetPost' }]);
      expect(errors).toMatchObject([{ path: ['posts', 'nodes', 1], extensions: { type: 'errors/provider_error' } }]);
    });

    test('an unknown type of attachment is an UnknownAttachment', async () => {
      const hologram = { type: 'hologram', id: 'h1', unavailable: false, url: 'https://x.example', depth: 3 };
      const { nodes, errors } = await nodesOf(
        [{ ...(await good()), attachments: [hologram] }],
        '... on PnetPost { attachments { __typename providerId unavailable url ... on UnknownAttachment { type } } }',
      );
      expect(errors).toEqual([]);
      expect(nodes[0].attachments).toEqual([
        {
          __typename: 'UnknownAttachment',
          providerId: 'h1',
          unavailable: false,
          url: 'https://x.example',
          type: 'hologram',
        },
      ]);
    });

    test.each(['constructor', '__proto__', 'toString'])('so is one of type %s', async (type) => {
      const { nodes, errors } = await nodesOf(
        [{ ...(await good()), attachments: [{ type, id: 'h1', unavailable: true }] }],
        '... on PnetPost { attachments { __typename } }',
      );
      expect(errors).toEqual([]);
      expect(nodes[0].attachments).toEqual([{ __typename: 'UnknownAttachment' }]);
    });

    test.each(['constructor', '__proto__'])('the provider %s is unknown too', async (provider) => {
      const { nodes, errors } = await nodesOf([JSON.parse(`{ "provider": "${provider}" }`)], '');
      expect(nodes).toEqual([null]);
      expect(errors).toMatchObject([{ extensions: { type: 'errors/provider_error' } }]);
    });

    test('an unknown reaction is UNRECOGNIZED', async () => {
      const { nodes, errors } = await nodesOf(
        [{ ...(await good()), user_reacted: 'CURIOSITY' }],
        '... on PnetPost { userReacted }',
      );
      expect({ nodes, errors }).toEqual({
        nodes: [{ __typename: 'PnetPost', userReacted: 'UNRECOGNIZED' }],
        errors: [],
      });
    });

    test('null where the contract has an optional field is null', async () => {
      const optional = ['title', 'user_reacted', 'written_by', 'repost_id', 'reposted_by', 'repost_content', 'poll'];
      const nulls = Object.fromEntries([...optional, 'group', 'analytics'].map((name) => [name, null]));
      const { nodes, errors } = await nodesOf([{ ...(await good()), ...nulls }], whole);
      expect(errors).toEqual([]);
      expect(nodes[0]).toMatchObject({
        title: null,
        repostContent: null,
        repostedBy: null,
        poll: null,
        analytics: null,
      });
    });

    test.each([
      ['text', undefined],
      ['text', null],
      ['author', undefined],
      ['author', 'someone'],
      ['permissions', null],
      ['attachments', undefined],
      ['mentions', 'none'],
      ['reaction_counter', 'many'],
      ['reaction_counter', 1.5],
      ['parsed_datetime', 'yesterday'],
      ['id', undefined],
      ['is_repost', undefined],
    ])('a required field %s that is %j costs that post only', async (name, value) => {
      const { nodes, errors } = await nodesOf(
        [await good(), { ...(await good()), [name]: value }, await good()],
        whole,
      );
      expect(nodes).toMatchObject([{ __typename: 'PnetPost' }, null, { __typename: 'PnetPost' }]);
      expect(errors.length).toBeGreaterThan(0);
      for (const error of errors) {
        expect(error.path?.slice(0, 3)).toEqual(['posts', 'nodes', 1]);
        expect(error.extensions).toMatchObject({ type: 'errors/provider_error', status: 500 });
      }
    });

    test('an adapter that breaks is masked, and logged under the id of the request', async () => {
      const before = served.log.length;
      const { headers, data, errors } = await workspace.ask(listDocument, { accountId: pnet, identifier: 'ACoBroken' });
      expect(data).toBeNull();
      const requestId = headers.get('x-request-id');
      expect(errors).toMatchObject([
        { path: ['posts'], extensions: { type: 'errors/unexpected_error', status: 500, instance: requestId } },
      ]);
      expect(JSON.stringify(errors)).not.toContain('secret-detail');
      const lines = served.log.slice(before).filter((line) => line.reqId === requestId && line.level === 50);
      expect(lines).toHaveLength(1);
    });
  });

  describe('failures', () => {
    const rows = (['pnet', 'photonet'] as const).flatMap((network) =>
      Object.entries(postIdentifiers[network] as Record<string, { fails?: ErrorName; detail?: string }>)
        .filter(([, { fails }]) => fails !== undefined)
        .map(([identifier, { fails, detail }]) => ({ network, identifier, fails: fails as ErrorName, detail })),
    );
    test.each(rows)('$network $identifier is errors/$fails', async ({ network, identifier, fails, detail }) => {
      const { data, errors } = await workspace.ask(listDocument, {
        accountId: accountFor(network),
        identifier,
        isCompany: /^9\d+$/.test(identifier) ? true : undefined,
      });
      expect(data).toBeNull();
      const { status, title } = errorTable[fails];
      expect(errors).toMatchObject([
        { path: ['posts'], message: detail, extensions: { type: `errors/${fails}`, status, title, detail } },
      ]);
    });

    test.each([
      ['pnet', 'nobody'],
      ['pnet', 'ACoNobody'],
      ['pnet', '900043'],
      ['pnet', '424242'],
      ['photonet', 'nobody'],
      ['photonet', 'no spaces'],
      ['photonet', 'constructor'],
    ] as const)('%s %s is no recipient', async (network, identifier) => {
      expect(await failing({ accountId: accountFor(network), identifier })).toMatchObject({
        path: ['posts'],
        extensions: { type: 'errors/invalid_recipient', status: 422 },
      });
    });

    test.each(['', 'x'.repeat(256)])('an identifier of a wrong length is unprocessable', async (identifier) => {
      expect(await failing({ identifier })).toMatchObject({
        extensions: { type: 'errors/unprocessable_entity', issues: [{ path: ['identifier'] }] },
      });
    });

    test('a page behind what the network can read is an error, the pages before it are not', async () => {
      const { edges, pageInfo } = await list({ identifier: 'ACoSandboxBreaks' });
      expect(edges).toHaveLength(100);
      expect(await failing({ identifier: 'ACoSandboxBreaks', after: pageInfo.endCursor })).toMatchObject({
        extensions: { type: 'errors/provider_error', status: 500 },
      });
    });

    test('accounts that cannot list posts', async () => {
      const foreign = await (await served.workspace()).account();
      const identifier = 'ACoSandbox1';
      for (const accountId of [foreign, 'malformed', 'A'.repeat(22)]) {
        expect(await failing({ accountId, identifier })).toMatchObject({
          extensions: { type: 'errors/wrong_account' },
        });
      }
      const mail = await workspace.account({ type: 'MAIL' });
      expect(await failing({ accountId: mail, identifier })).toMatchObject({
        extensions: { type: 'errors/invalid_account', status: 422 },
      });
    });
  });
});
