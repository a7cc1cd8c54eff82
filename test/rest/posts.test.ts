/** POSTS: its query, and the fields of its posts, on every backend. */
import { describe, expect, test } from 'vitest';
import { allBackends, onOneDatabase } from '../support/backends.ts';
import type { RestResponse } from '../support/rest.ts';
import { expectError, fieldsOf, requiredOf, serveRest } from '../support/serve-rest.ts';

describe.each(onOneDatabase(allBackends))('over the $name backend', (backend) => {
  const api = serveRest(backend);
  const { send } = api;

  describe('the query of POSTS', () => {
    const list = (query: string, identifier = 'ACoSandbox250') =>
      send('GET', `/v1/users/${identifier}/posts?account_id=${api.account}${query}`);

    test('limit is 1 to 100, by default 100; cursors are base64 and lead to the end', async () => {
      const sizes: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: RestResponse = await list(cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`);
        expect(page.body.paging.page_count).toBe(page.body.items.length);
        sizes.push(page.body.items.length);
        cursor = page.body.cursor;
        if (cursor !== null) expect(cursor).toMatch(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
      }
      expect(sizes).toEqual([100, 100, 50]);
      expect((await list('&limit=1')).body.items).toHaveLength(1);
      expect((await list('&limit=9', 'ACoSandbox1')).body.paging).toEqual({ page_count: 1 });
      expect((await list('&limit=100')).body.items).toHaveLength(100);
    });

    test.each(['0', '101', '-1', '1.5', '1e1', 'ten', 'NaN', '', '99999999999999999999', '5&limit=6'])(
      'limit=%s is refused',
      async (limit) => {
        expectError(await list(`&limit=${limit}`), 422, 'unprocessable_entity', /limit/);
      },
    );

    test('a cursor must have been returned for the same list', async () => {
      expectError(await list('&cursor='), 422, 'unprocessable_entity', /cursor/);
      expectError(await list('&cursor=AAAA'), 422, 'unprocessable_entity', /cursor/);
      const { cursor } = (await list('&limit=1')).body;
      expect((await list(`&limit=1&cursor=${cursor}`)).status).toBe(200);
      const elsewhere = await list(`&cursor=${encodeURIComponent(cursor)}`, 'ACoSandbox100');
      expectError(elsewhere, 422, 'unprocessable_entity', /cursor/);
      const ofCompany = await list(`&is_company=true&cursor=${encodeURIComponent(cursor)}`);
      expectError(ofCompany, 422, 'unprocessable_entity', /cursor/);
    });

    test.each(['true', 'TRUE', 'True', 'tRuE'])('is_company=%s lists a company', async (value) => {
      const response = await list(`&is_company=${value}&limit=1`, '900043');
      expect(response.body.items[0].author.is_company).toBe(true);
    });
    test.each(['false', 'FALSE', 'False'])('is_company=%s lists a person', async (value) => {
      expect((await list(`&is_company=${value}&limit=1`)).body.items[0].author.is_company).toBe(false);
    });
    test.each(['yes', '1', ''])('is_company=%s is refused', async (value) => {
      expectError(await list(`&is_company=${value}`), 422, 'unprocessable_entity', /is_company/);
    });

    test('account_id is required, once; unknown parameters are ignored', async () => {
      expectError(
        await send('GET', '/v1/users/ACoSandbox1/posts'),
        422,
        'unprocessable_entity',
        /account_id is required/,
      );
      expectError(await list(`&account_id=${api.account}`), 422, 'unprocessable_entity', /account_id/);
      expect((await list('&limit=1&utm_source=mail&__proto__=1')).status).toBe(200);
    });

    test('a pnet post and a photonet post have the fields of the contract', async () => {
      const pnet = (await list('', 'ACoSandboxGallery')).body.items;
      const photonet = (
        await send(
          'GET',
          `/v1/users/sandbox.gallery/posts?account_id=${await api.workspace.account({ type: 'PHOTONET' })}`,
        )
      ).body.items;
      for (const [posts, subject] of [
        [pnet, 'fields of a pnet post'],
        [photonet, 'fields of a photonet post'],
      ] as const) {
        const seen = [...new Set<string>(posts.flatMap((post: object) => Object.keys(post)))].sort();
        expect(seen).toEqual(fieldsOf(subject));
        for (const post of posts) expect(Object.keys(post)).toEqual(expect.arrayContaining(requiredOf(subject)));
      }
      const types = new Set(
        pnet.flatMap(({ attachments }: { attachments: { type: string }[] }) => attachments.map(({ type }) => type)),
      );
      expect([...types].sort()).toEqual([...new Set(fieldsOf('fields of attachments'))].sort());
    });
  });
});
