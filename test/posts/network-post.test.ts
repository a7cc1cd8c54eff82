/** What the posts of all networks have: one fragment reads a feed of them, compiled or not. */
import { assertObjectType, getNamedType, isInterfaceType } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { PhotonetPost, PnetPost, Post } from '../../src/capabilities/posts/shapes.ts';
import { backends, onOneDatabase } from '../support/backends.ts';
import { schema } from '../support/schema.ts';
import { wholeSelection } from '../support/selection.ts';
import { sharedNames } from './contract-places.ts';
import { type Fields, servePosts } from './served-posts.ts';

const feed = `query Feed($accountId: ID!, $identifier: String!) {
  posts(accountId: $accountId, identifier: $identifier) {
    nodes {
      __typename
      ... on NetworkPost {
        id providerId text reactionCount commentCount hasReacted
        author { id providerId name profilePictureUrl }
      }
    } } }`;

const lists = [
  { network: 'pnet', identifier: 'ACoSandboxGallery' },
  { network: 'pnet', identifier: 'ACoSandboxReposts' },
  { network: 'photonet', identifier: 'sandbox.gallery' },
  { network: 'photonet', identifier: 'sandbox.video' },
] as const;

const shownOf = (post: Post): object => (post.provider === 'PNET' ? shown.pnet(post) : shown.photonet(post));

/** The fields of the interface, from what the network sent. */
const shown = {
  pnet: (post: PnetPost) => ({
    providerId: post.id,
    text: post.text,
    reactionCount: post.reaction_counter,
    commentCount: post.comment_counter,
    hasReacted: post.user_reacted !== undefined,
    author: {
      providerId: post.author.id,
      name: post.author.name,
      profilePictureUrl: post.author.profile_picture_url ?? null,
    },
  }),
  photonet: (post: PhotonetPost) => ({
    providerId: post.provider_id,
    text: post.caption?.text ?? null,
    reactionCount: post.like_count,
    commentCount: post.comment_count,
    hasReacted: post.has_liked,
    author: {
      providerId: post.owner.id,
      name: post.owner.username,
      profilePictureUrl: post.owner.profile_pic_url,
    },
  }),
};

test('every kind of post, and every author, has the interface that its network shares with the others', () => {
  const names = (name: string) =>
    schema
      .getPossibleTypes(interfaceOf(name))
      .map((type) => type.name)
      .sort();
  expect(names('NetworkPost')).toEqual(postTypes().sort());
  expect(names('NetworkAuthor')).toEqual(postTypes().map(authorOf).sort());
  expect(sharedNames).toEqual(
    expect.arrayContaining(['PnetPost.hasReacted', 'PhotonetPost.text', 'PhotonetAuthor.name']),
  );
});

function interfaceOf(name: string) {
  const type = schema.getType(name);
  if (!isInterfaceType(type)) throw new Error(`${name} is no interface`);
  return type;
}

const authorOf = (post: string): string => {
  const { author } = assertObjectType(schema.getType(post)).getFields();
  return getNamedType(author?.type)?.name ?? '';
};

const postTypes = () => {
  const union = schema.getType('Post');
  return union && 'getTypes' in union ? union.getTypes().map(({ name }) => name) : [];
};

describe.each(onOneDatabase(backends))('posts of a network, $name backend', (backend) => {
  const posts = servePosts(backend);

  test.each(lists)('$identifier: the fragment reads what $network sent', async ({ network, identifier }) => {
    const variables = { accountId: posts.accountFor(network), identifier };
    const { data, errors } = await posts.workspace.ask(feed, variables);
    expect(errors).toEqual([]);
    const wire = await posts.wireOf(network, identifier);
    expect(wire.length).toBeGreaterThan(0);
    expect(data.posts.nodes).toMatchObject(wire.map(shownOf));
  });

  test('posts and authors are nodes: their ids read them again', async () => {
    for (const { network, identifier } of lists) {
      const accountId = posts.accountFor(network);
      const { data } = await posts.workspace.ask(feed, { accountId, identifier });
      const nodes: (Fields & { author: Fields })[] = data.posts.nodes;
      const found = await posts.workspace.ask(
        `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
           ... on NetworkPost { providerId text hasReacted reactionCount author { id } }
           ... on NetworkAuthor { providerId name } } }`,
        { ids: nodes.slice(0, 20).flatMap(({ id, author }) => [id, author.id]) },
      );
      expect(found.errors).toEqual([]);
      expect(found.data.nodes).toMatchObject(
        nodes.slice(0, 20).flatMap(({ __typename, id, providerId, text, author }) => [
          { __typename, id, providerId, text, author: { id: author.id } },
          { id: author.id, providerId: author.providerId, name: author.name },
        ]),
      );
    }
  });

  test.each([
    ['PnetPost', 'ACoSandboxGallery', 100],
    ['PnetPost', 'ACoSandboxReposts', 3],
    ['PhotonetPost', 'sandbox.gallery', 3],
  ] as const)('a whole %s of %s is read by its id', async (typeName, identifier, first) => {
    const network = typeName === 'PnetPost' ? 'pnet' : 'photonet';
    const selection = wholeSelection(typeName, ['PnetAuthor.posts', 'PhotonetAuthor.posts']);
    const { data } = await posts.workspace.ask(
      `query ($accountId: ID!, $identifier: String!, $first: Int!) {
         posts(accountId: $accountId, identifier: $identifier, first: $first) { nodes { ... on ${typeName} ${selection} } } }`,
      { accountId: posts.accountFor(network), identifier, first },
    );
    for (const post of data.posts.nodes) {
      const node = await posts.workspace.ask(`query ($id: ID!) { node(id: $id) { ... on ${typeName} ${selection} } }`, {
        id: post.id,
      });
      expect(node).toMatchObject({ data: { node: post }, errors: [] });
    }
  });

  test('an id that is not found or not visible is null, and a text that is no global id is an error', async () => {
    const accountId = posts.accountFor('pnet');
    const id = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const ids = [
      id('PnetPost', accountId, 'ACoSandboxGallery', 'no-such-post'),
      id('PnetPost', accountId, 'nobody at all', 'p1'),
      id('PnetPost', 'no-such-account', 'ACoSandboxGallery', 'p1'),
      id('PnetPost', accountId, 'p1'),
      id('PnetPost', accountId, '', 'a digest'),
      id('PnetAuthor', accountId, 'ACoSandboxNobody', ''),
      id('PnetAuthor', accountId),
      id('PnetAuthor'),
      id('Nothing', accountId),
    ];
    const texts = [id(), Buffer.from('["PnetPost",1]').toString('base64url'), 'WyI', ''];
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    const { data, errors } = await posts.workspace.ask(query, { ids: [...ids, ...texts] });
    expect(errors).toMatchObject(
      texts.map((_, at) => ({
        path: ['nodes', ids.length + at],
        extensions: { code: 'INVALID_PARAMETERS', issues: [{ code: 'MALFORMED' }] },
      })),
    );
    expect(data.nodes).toEqual([...ids, ...texts].map(() => null));
  });

  test('an operation searches the posts of a few authors only, and reports that for the others', async () => {
    const accountId = posts.accountFor('pnet');
    const ids = Array.from({ length: 30 }, (_, n) =>
      Buffer.from(JSON.stringify(['PnetPost', accountId, `ACoSandbox${n}`, 'p1'])).toString('base64url'),
    );
    const before = posts.calls.length;
    const { errors } = await posts.workspace.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(errors).toHaveLength(5);
    expect(errors[0]).toMatchObject({ extensions: { code: 'LIMIT_TOO_HIGH' } });
    expect(posts.calls.length - before).toBeLessThanOrEqual(75);
  });

  test.each([
    ['a person', 'ACoSandbox250', false, 2],
    ['a company', '900043', true, 1],
  ])('posts of %s are searched on pages that are read once', async (_whose, identifier, isCompany, pages) => {
    const list = `query ($accountId: ID!, $identifier: String!, $isCompany: Boolean, $after: String) {
      posts(accountId: $accountId, identifier: $identifier, isCompany: $isCompany, first: 100, after: $after) {
        nodes { ... on NetworkPost { id author { id } } } pageInfo { endCursor } } }`;
    const variables = { accountId: posts.accountFor('pnet'), identifier, isCompany };
    let { nodes, pageInfo } = (await posts.workspace.ask(list, variables)).data.posts;
    if (pages > 1)
      ({ nodes, pageInfo } = (await posts.workspace.ask(list, { ...variables, after: pageInfo.endCursor })).data.posts);
    const ids = (nodes as Fields[]).slice(-2).map(({ id }) => id);
    const before = posts.calls.length;
    const { data } = await posts.workspace.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(data.nodes).toEqual(ids.map((id) => ({ id })));
    expect(posts.calls.length - before).toBe(pages);
  });

  test('a network that is down is an error at the path of the node, not null without a reason', async () => {
    const id = Buffer.from(
      JSON.stringify(['PnetPost', posts.accountFor('pnet'), 'ACoSandboxNetworkDown', 'p1']),
    ).toString('base64url');
    const { data, errors } = await posts.workspace.ask('query ($id: ID!) { node(id: $id) { id } }', { id });
    expect(data).toEqual({ node: null });
    expect(errors).toMatchObject([{ path: ['node'], extensions: { code: 'NETWORK_DOWN' } }]);
  });
});
