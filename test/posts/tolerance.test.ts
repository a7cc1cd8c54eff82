/** What the contract does not know: an unexpected value never costs the page. */
import { describe, expect, test } from 'vitest';
import { backends, onOneDatabase } from '../support/backends.ts';
import { type Fields, listDocument, servePosts } from './served-posts.ts';

describe.each(onOneDatabase(backends))('unexpected posts, $name backend', (backend) => {
  const posts = servePosts(backend);
  const { wireOf } = posts;

  const nodesOf = async (items: unknown[], selection: string) => {
    posts.unexpectedItems = items;
    const { data, errors } = await posts.workspace.ask(
      `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ACoOdd") { nodes { __typename ${selection} } } }`,
      { accountId: posts.pnet },
    );
    return { nodes: data?.posts?.nodes, errors };
  };
  const good = async () => structuredClone((await wireOf('pnet', 'ACoSandboxGallery'))[0]) as unknown as Fields;

  test('an unknown provider is a null node with an error at its path', async () => {
    const { nodes, errors } = await nodesOf(
      [await good(), { ...(await good()), provider: 'NEWNET' }, await good()],
      '... on PnetPost { providerId }',
    );
    expect(nodes).toMatchObject([{ __typename: 'PnetPost' }, null, { __typename: 'PnetPost' }]);
    const message = 'The post is from a network that this gateway does not support.';
    expect(errors).toMatchObject([
      { path: ['posts', 'nodes', 1], message, extensions: { code: 'PROVIDER_ERROR', status: 500 } },
    ]);
  });

  test.each([
    ['null', null],
    ['a text', 'text'],
    ['a number', 7],
    ['an empty object', {}],
    ['a list', []],
  ])('%s in the place of a post affects that post only', async (_what, item) => {
    const { nodes, errors } = await nodesOf([await good(), item, await good()], '... on PnetPost { providerId }');
    expect(nodes).toMatchObject([{ __typename: 'PnetPost' }, null, { __typename: 'PnetPost' }]);
    expect(errors).toMatchObject([{ path: ['posts', 'nodes', 1], extensions: { code: 'PROVIDER_ERROR' } }]);
  });

  test('an unknown type of attachment is UNRECOGNIZED', async () => {
    const hologram = { type: 'hologram', id: 'h1', unavailable: false, url: 'https://x.example', depth: 3 };
    const { nodes, errors } = await nodesOf(
      [{ ...(await good()), attachments: [hologram] }],
      '... on PnetPost { attachments { type providerId isUnavailable url width } }',
    );
    expect(errors).toEqual([]);
    expect(nodes[0].attachments).toEqual([
      { type: 'UNRECOGNIZED', providerId: 'h1', isUnavailable: false, url: 'https://x.example', width: null },
    ]);
  });

  test.each(['constructor', '__proto__', 'toString'])('so is one of type %s', async (type) => {
    const { nodes, errors } = await nodesOf(
      [{ ...(await good()), attachments: [{ type, id: 'h1', unavailable: true }] }],
      '... on PnetPost { attachments { type } }',
    );
    expect(errors).toEqual([]);
    expect(nodes[0].attachments).toEqual([{ type: 'UNRECOGNIZED' }]);
  });

  test.each(['constructor', '__proto__'])('the provider %s is unknown too', async (provider) => {
    const { nodes, errors } = await nodesOf([JSON.parse(`{ "provider": "${provider}" }`)], '');
    expect(nodes).toEqual([null]);
    expect(errors).toMatchObject([{ extensions: { code: 'PROVIDER_ERROR' } }]);
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

  test('objects without ids have global ids, equal for equal objects only', async () => {
    const { id: _, ...nameless } = await good();
    const anonymous = (name: string) => ({ ...nameless, author: { name } });
    const { nodes } = await nodesOf(
      [anonymous('Ada'), anonymous('Ada'), anonymous('Bo')],
      '... on PnetPost { id author { id } }',
    );
    const [first, same, other] = nodes.map((node: { id: string; author: { id: string } }) => [node.id, node.author.id]);
    expect(same).toEqual(first);
    expect(new Set([...first, ...other]).size).toBe(4);
  });

  test('the posts of an author without an id are null, and the rest of the author is there', async () => {
    const { nodes, errors } = await nodesOf(
      [{ ...(await good()), author: { name: 'Ada' } }],
      '... on PnetPost { author { name posts(first: 1) { nodes { __typename } } } }',
    );
    expect(nodes).toEqual([{ __typename: 'PnetPost', author: { name: 'Ada', posts: null } }]);
    expect(errors).toMatchObject([
      { path: ['posts', 'nodes', 0, 'author', 'posts'], extensions: { code: 'PROVIDER_ERROR' } },
    ]);
  });

  test('a post without a provider belongs to the one whose id it has, and is unknown with neither or both', async () => {
    const { nodes, errors } = await nodesOf(
      [{ id: '1' }, { provider_id: '1' }, { text: 'x' }, { id: '1', provider_id: '1' }],
      '... on PnetPost { providerId } ... on PhotonetPost { photo: providerId }',
    );
    expect(nodes).toEqual([
      { __typename: 'PnetPost', providerId: '1' },
      { __typename: 'PhotonetPost', photo: '1' },
      null,
      null,
    ]);
    expect(errors.map(({ path }) => path?.[2])).toEqual([2, 3]);
  });

  test('an adapter that breaks is masked, and logged under the id of the request', async () => {
    const before = posts.served.log.length;
    const { headers, data, errors } = await posts.workspace.ask(listDocument, {
      accountId: posts.pnet,
      identifier: 'ACoBroken',
    });
    expect(data).toEqual({ posts: null });
    const requestId = headers.get('x-request-id');
    expect(errors).toMatchObject([
      { path: ['posts'], extensions: { code: 'UNEXPECTED_ERROR', status: 500, requestId: requestId } },
    ]);
    expect(JSON.stringify(errors)).not.toContain('secret-detail');
    const lines = posts.served.log.slice(before).filter((line) => line.reqId === requestId && line.level === 50);
    expect(lines).toHaveLength(1);
  });
});
