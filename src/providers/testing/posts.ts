/** Checks of a {@link PostProvider}. */
import assert from 'node:assert/strict';
import { type Post, postShape } from '../../capabilities/posts/shapes.ts';
import { postResults } from '../own-networks.ts';
import type { NetworkPage, PostProvider, PostQuery, ProviderSession } from '../provider.ts';
import { type Access, type Check, failureOf, never, overwrite, requireAbortable, requireRefusal } from './check.ts';

export interface PostCase extends Access {
  readonly provider: PostProvider;
  /** Of somebody with 2 to 100 posts. */
  readonly identifier: string;
  readonly isCompany?: boolean;
  /** Of nobody. */
  readonly unknownIdentifier: string;
}

const mostPages = 200;

/** What the interface of a network that lists posts promises, a check for each promise. */
export function postProviderChecks({
  provider,
  identifier,
  isCompany = false,
  unknownIdentifier,
  ...access
}: PostCase): Check[] {
  const list = (query: Partial<PostQuery> = {}, session: ProviderSession = access.session, signal = never) =>
    provider.listPosts(session, { identifier, isCompany, cursor: null, limit: 100, ...query }, signal);

  async function pages(limit: number): Promise<NetworkPage<Post>[]> {
    const read: NetworkPage<Post>[] = [];
    for (let cursor: string | null = null; read.length === 0 || cursor !== null; ) {
      assert.ok(
        read.length < mostPages,
        `The list must end, and has not after ${mostPages} pages of ${limit}: is identifier that of somebody with 2 to 100 posts?`,
      );
      const page: NetworkPage<Post> = await list({ cursor, limit });
      read.push(page);
      cursor = page.cursor;
    }
    return read;
  }
  const idsOf = (read: readonly NetworkPage<Post>[]): string[] => read.flatMap(({ items }) => items.map(idOf));

  return [
    {
      name: 'a page has at most limit objects, and a cursor or null',
      run: async () => {
        for (const limit of [1, 2, 100]) postResults.listPosts({ limit }).parse(await list({ limit }));
      },
    },
    {
      name: 'posts have the shape of their provider, and nothing else',
      run: async () => {
        const { items } = await list();
        assert.ok(items.length >= 2, 'identifier must be that of somebody with at least 2 posts');
        for (const post of items) assert.deepEqual(postShape.parse(post), JSON.parse(JSON.stringify(post)));
      },
    },
    {
      name: 'pages of any limit add up to the same list, which ends',
      run: async () => assert.deepEqual(idsOf(await pages(1)), idsOf(await pages(100))),
    },
    {
      name: 'no post stands twice in a list',
      run: async () => {
        const ids = idsOf(await pages(100));
        assert.deepEqual(ids, [...new Set(ids)]);
      },
    },
    {
      name: 'a cursor leads to the same page again',
      run: async () => {
        const { cursor } = await list({ limit: 1 });
        const [once, again] = [await list({ cursor, limit: 1 }), await list({ cursor, limit: 1 })];
        assert.deepEqual(idsOf([again]), idsOf([once]));
      },
    },
    {
      name: 'returned objects belong to the caller',
      run: async () => {
        for (const post of (await list()).items) overwrite(post);
        assert.ok(
          !JSON.stringify(await list()).includes('overwritten'),
          'A change of a returned object must change no other',
        );
      },
    },
    {
      name: 'an identifier of nobody is an error',
      run: async () => {
        const error = await failureOf('POSTS', access.session.token, list({ identifier: unknownIdentifier }));
        assert.equal(
          error.family,
          'request',
          `${error.errorName} must be an error of the request, such as invalid_recipient`,
        );
      },
    },
    {
      name: 'a wrong token is an error, whatever has been read before',
      run: async () => {
        await list();
        await requireRefusal('POSTS', access, (session) => list({}, session));
      },
    },
    {
      name: 'an aborted call ends',
      run: () => requireAbortable((signal) => list({}, access.session, signal)),
    },
  ];
}

/** All ids of a post, in whatever shape: a repost has that of its original, too. */
const idOf = (post: Post): string =>
  JSON.stringify(Object.entries(post).filter(([key]) => key === 'id' || key.endsWith('_id')));
