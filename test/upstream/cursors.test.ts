/** The cursors of a service are opaque: whatever text it sends comes back to it, over both faces. */
import { expect, test } from 'vitest';
import { rest } from '../support/rest.ts';
import { json, pnetPost, postList, proxyTo, startStub, webhook } from '../support/stub.ts';

const texts = [
  'a b',
  ' a ',
  'a+b',
  'a b+c',
  'a%20b',
  'a%2Bb',
  '100%',
  '%',
  'ä€😀',
  '&cursor=x#?',
  '"{}\\',
  'QQ==',
  'x'.repeat(500),
];

async function setUp(cursor: string) {
  const service = await startStub(({ path }, response) => {
    const isFirst = !path.includes('cursor=');
    const next = isFirst ? cursor : null;
    if (path.includes('webhooks')) json(response, 200, { object: 'WebhookList', items: [webhook('w')], cursor: next });
    else json(response, 200, postList([pnetPost('ACo1')], next));
  });
  const gateway = await proxyTo(service);
  const asked = () => new URL(service.received.at(-1)?.path ?? '', 'http://x').searchParams.getAll('cursor');
  return { gateway, asked };
}

test.each(texts)('%j over REST', async (cursor) => {
  const { gateway, asked } = await setUp(cursor);
  for (const path of ['/v1/users/ACo1/posts?account_id=a', '/v1/webhooks?limit=1']) {
    const read = (query: string) => rest(gateway.address, 'k', 'GET', path + query);
    expect((await read('')).body.cursor).toBe(cursor);
    expect((await read(`&cursor=${encodeURIComponent(cursor)}`)).status).toBe(200);
    expect(asked()).toEqual([cursor]);
  }
});

test.each(texts)('%j over GraphQL', async (cursor) => {
  const { gateway, asked } = await setUp(cursor);
  const lists = { posts: 'accountId: "a", identifier: "ACo1", ', webhooks: '' };
  for (const [list, given] of Object.entries(lists)) {
    const read = async (after: string | null) => {
      const query = `query ($after: String) { ${list}(${given}first: 1, after: $after) { pageInfo { endCursor } } }`;
      const { data, errors } = await gateway.ask(query, { after });
      expect(errors).toEqual([]);
      return data[list].pageInfo.endCursor;
    };
    await read(await read(null));
    expect(asked()).toEqual([cursor]);
  }
});

test.each([
  ['a+b', 'a+b'],
  ['a%20b', 'a b'],
  ['a%2Bb', 'a+b'],
  ['a+b%20c', 'a+b c'],
])('a client that sends %s means %j', async (sent, meant) => {
  const { gateway, asked } = await setUp('x');
  await rest(gateway.address, 'k', 'GET', `/v1/users/ACo1/posts?account_id=a&cursor=${sent}`);
  expect(asked()).toEqual([meant]);
});

test('a lone surrogate, which no URL can have, is refused', async () => {
  const { gateway, asked } = await setUp('a\ud800');
  const query = 'query ($after: String) { webhooks(first: 1, after: $after) { pageInfo { endCursor } } }';
  const { data } = await gateway.ask(query);
  const { errors } = await gateway.ask(query, { after: data.webhooks.pageInfo.endCursor });
  expect(errors[0]).toMatchObject({ extensions: { code: 'INVALID_PARAMETERS' } });
  expect(asked()).toEqual([]);
});
