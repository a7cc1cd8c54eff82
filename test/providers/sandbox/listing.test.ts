import { describe, expect, it } from 'vitest';
import { type Post, postShape } from '../../../src/capabilities/posts/shapes.ts';
import { all, failure, list, listed, networks, rows } from '../../support/sandbox.ts';

describe('lists of posts', () => {
  it.each(listed)(
    '$identifier: the posts are those of the contract, as many as promised, newest first',
    async (row) => {
      const posts = await all(row.provider, row.identifier);
      expect(posts).toHaveLength(row.row.posts ?? -1);
      // The shape drops unknown fields, so equality means that the contract knows every field.
      for (const post of posts) expect(postShape.parse(post)).toStrictEqual(post);
      expect(new Set(posts.map(idOf)).size).toBe(posts.length);
      const times = posts.flatMap((post) => (post.provider === 'PNET' ? [Date.parse(post.parsed_datetime)] : []));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    },
  );

  it('ends with a null cursor, also when the last page is exactly full', async () => {
    expect(await list(networks.PNET, 'ACoSandbox100')).toMatchObject({ cursor: null, items: { length: 100 } });
    expect(await list(networks.PNET, 'ACoSandbox0')).toEqual({ cursor: null, items: [] });
    expect((await list(networks.PNET, 'ACoSandbox100', { limit: 99 })).cursor).toBe('p:99');
    expect((await list(networks.PNET, 'ACoSandbox250', { cursor: 'p:150' })).cursor).toBe(null);
  });

  it.each(['100', 'p:', 'p:0', 'p:01', 'p:-1', 'p:250', 'p:1e1', 'p:99999999', 'p:5 ', 'q:5', ''])(
    'a cursor %j that no page returned is unprocessable',
    async (cursor) => {
      expect(await failure(list(networks.PNET, 'ACoSandbox250', { cursor }))).toBe('unprocessable_entity');
      expect(await failure(list(networks.PHOTONET, 'sandbox.sixty', { cursor }))).toBe('unprocessable_entity');
    },
  );

  it.each(rows.filter(({ row }) => row.fails !== undefined))('$identifier fails as it says', async (row) => {
    expect(await failure(list(row.provider, row.identifier))).toBe(row.row.fails);
    if (row.row.providerId) expect(await failure(list(row.provider, row.row.providerId))).toBe(row.row.fails);
  });

  it('a list that fails midway is complete up to that point', async () => {
    for (const { provider, identifier } of rows.filter(({ row }) => row.failsFrom !== undefined)) {
      const first = await list(provider, identifier, { limit: 100 });
      expect(first.items).toHaveLength(100);
      expect(await failure(list(provider, identifier, { cursor: first.cursor }))).toBe('provider_error');
    }
  });

  it('a slow list ends as soon as its caller aborts', async () => {
    const abort = new AbortController();
    const slow = [list(networks.PNET, 'ACoSandboxSlow', abort), list(networks.PHOTONET, 'sandbox.slow', abort)];
    const outcomes = Promise.all(slow.map(failure));
    abort.abort();
    expect(await outcomes).toEqual(['request_timeout', 'request_timeout']);
    expect(await failure(list(networks.PNET, 'ACoSandbox1', { signal: AbortSignal.abort() }))).toBe('request_timeout');
  });
});

/** The id that identifies a post for clients. */
const idOf = (post: Post) => (post.provider === 'PNET' ? post.id : post.provider_id);
