/**
 * The README's recipe for a provider, followed: an adapter of a network that the sandbox does not simulate, registered
 * for accounts of a further type. Its posts have a wire shape that exists, so that nothing in src/ has to change.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PhotonetPost, PostList } from '../../src/capabilities/posts/shapes.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { PostProvider, PostQuery, ProviderSession } from '../../src/providers/provider.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';

/** The adapter of clipnet: everybody there has three clips, which come one to a page. */
class Clipnet implements PostProvider {
  readonly calls: { session: ProviderSession; query: PostQuery }[] = [];

  async listPosts(session: ProviderSession, query: PostQuery) {
    this.calls.push({ session, query });
    if (query.identifier === 'nobody') {
      throw new ServiceError('invalid_recipient', { detail: 'Nobody on clipnet has this identifier.' });
    }
    const place = Number(query.cursor ?? 0);
    return { items: [clip(query.identifier, place)], cursor: place === 2 ? null : String(place + 1) };
  }
}

const clip = (username: string, place: number): PhotonetPost => ({
  object: 'Post',
  provider: 'PHOTONET',
  provider_id: `${username}-${place}`,
  has_audio: true,
  has_liked: false,
  like_and_view_counts_disabled: false,
  comments_disabled: false,
  like_count: place,
  comment_count: 0,
  accessibility_caption: 'A clip.',
  preview_image: { url: 'https://clipnet.example/1.jpg', width: 1080, height: 1920 },
  owner: {
    id: username,
    username,
    profile_pic_url: 'https://clipnet.example/2.jpg',
    is_verified: false,
    is_private: false,
  },
  location: { name: 'Lisbon, Portugal', lat: 38.7, lng: -9.1 },
});

describe('a provider beside those of the sandbox', () => {
  const clipnet = new Clipnet();
  let gateway: Gateway;
  let workspace: TestWorkspace;
  let accountId: string;

  beforeAll(async () => {
    gateway = await startGateway({ providers: (sandbox) => ({ ...sandbox, MICROBLOG: clipnet }) });
    workspace = await gateway.workspace();
    accountId = await workspace.account({ type: 'MICROBLOG' });
  });
  afterAll(() => gateway.close());

  const list = (parameters: Readonly<Record<string, string>>, identifier = 'ada') =>
    fetch(`${gateway.address}/v1/users/${identifier}/posts?${new URLSearchParams(parameters)}`, {
      headers: { 'x-api-key': workspace.key },
    });

  it('lists its posts over REST, page by page, with the session of the account', async () => {
    const items: PostList['items'] = [];
    let cursor: string | null = null;
    do {
      const response = await list({ account_id: accountId, limit: '1', ...(cursor === null ? {} : { cursor }) });
      expect(response.status).toBe(200);
      const page: PostList = await response.json();
      items.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== null);
    expect(items).toEqual([0, 1, 2].map((place) => clip('ada', place)));
    expect(clipnet.calls[0]).toEqual({
      session: { accountId, type: 'MICROBLOG', token: 'sandbox:ok' },
      query: { identifier: 'ada', isCompany: false, cursor: null, limit: 1 },
    });
  });

  it('lists them over GraphQL, with those of their owners', async () => {
    const { data, errors } = await graphql(
      gateway.address,
      workspace.key,
      `query ($accountId: ID!) { posts(accountId: $accountId, identifier: "ada", first: 3) { nodes {
        ... on PhotonetPost { providerId author { posts(first: 1) { nodes { ... on PhotonetPost { providerId } } } } }
      } } }`,
      { accountId },
    );
    expect(errors).toEqual([]);
    expect(data.posts.nodes).toEqual(
      [0, 1, 2].map((place) => ({
        providerId: `ada-${place}`,
        author: { posts: { nodes: [{ providerId: 'ada-0' }] } },
      })),
    );
  });

  it('fails with the error that the adapter throws', async () => {
    const response = await list({ account_id: accountId }, 'nobody');
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      type: 'errors/invalid_recipient',
      detail: 'Nobody on clipnet has this identifier.',
    });
  });

  it('does not replace the account types of the sandbox, nor serves others', async () => {
    const pnet = await workspace.account();
    expect(await (await list({ account_id: pnet, limit: '1' }, 'ACoSandbox1')).json()).toMatchObject({
      items: [{ provider: 'PNET' }],
    });
    const mail = await workspace.account({ type: 'MAIL' });
    const response = await list({ account_id: mail });
    expect(await response.json()).toMatchObject({ type: 'errors/invalid_account' });
  });
});
