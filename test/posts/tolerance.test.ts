/** What the contract does not know: an unexpected value never costs the page. */
import { describe, expect, test } from 'vitest';
import { backends } from '../support/backends.ts';
import { wholeSelection } from '../support/selection.ts';
import { type Fields, listDocument, servePosts } from './served-posts.ts';

describe.each(backends)('unexpected posts, $name backend', (backend) => {
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
    const { nodes, errors } = await nodesOf([await good(), { ...(await good()), [name]: value }, await good()], whole);
    expect(nodes).toMatchObject([{ __typename: 'PnetPost' }, null, { __typename: 'PnetPost' }]);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      expect(error.path?.slice(0, 3)).toEqual(['posts', 'nodes', 1]);
      expect(error.extensions).toMatchObject({ type: 'errors/provider_error', status: 500 });
    }
  });

  test('an adapter that breaks is masked, and logged under the id of the request', async () => {
    const before = posts.served.log.length;
    const { headers, data, errors } = await posts.workspace.ask(listDocument, {
      accountId: posts.pnet,
      identifier: 'ACoBroken',
    });
    expect(data).toBeNull();
    const requestId = headers.get('x-request-id');
    expect(errors).toMatchObject([
      { path: ['posts'], extensions: { type: 'errors/unexpected_error', status: 500, instance: requestId } },
    ]);
    expect(JSON.stringify(errors)).not.toContain('secret-detail');
    const lines = posts.served.log.slice(before).filter((line) => line.reqId === requestId && line.level === 50);
    expect(lines).toHaveLength(1);
  });
});
