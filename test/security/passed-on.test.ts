/** Secrets are taken out of what tells of a fault. Data, which others wrote, is passed on as it is. */
import { expect, test } from 'vitest';
import { envelope, json, proxyTo, startStub } from '../support/stub.ts';

/** Of 16 characters and more, and of a kind that posts may have. */
const header = 'team@marketing.example';
const text = `Ask ${header}, <a href="mailto:team&#64;marketing.example">us</a> &amp; &quot;all&quot; \\u0041 %41`;

const post = {
  ...{ object: 'Post', provider: 'PHOTONET', provider_id: '1', like_count: 1, comment_count: 1 },
  ...{ has_audio: false, has_liked: false, like_and_view_counts_disabled: false, comments_disabled: false },
  accessibility_caption: text,
  preview_image: { url: 'http://a/', width: 1, height: 1 },
  owner: { id: header, username: header, profile_pic_url: 'http://a/', is_verified: false, is_private: false },
  location: { name: text, lat: 1, lng: 1 },
};
const webhook = {
  ...{ object: 'Webhook', id: header, name: text, enabled: true, request_url: 'http://a/', format: 'json' },
  ...{ account_ids: [], headers: [{ key: 'x', value: text }], data: [], events: [], type: 'AUTO' },
};
const postList = { object: 'PostList', items: [post], cursor: null, paging: { page_count: 1 } };
const webhookList = { object: 'WebhookList', items: [webhook], cursor: null };

const start = (status: number, list: object = postList) => {
  const error = envelope('provider_error', status, { title: text, detail: text, instance: header });
  return startStub((_request, response) => {
    json(response, status, status === 200 ? list : error);
  }).then((stub) =>
    proxyTo(stub, {
      environment: { UPSTREAM_API_KEY: 'key-of-the-service', UPSTREAM_HEADERS: JSON.stringify({ 'x-team': header }) },
    }),
  );
};

const onPosts = (selection: string) =>
  `{ posts(accountId: "a", identifier: "ACo1", first: 1) { nodes { ... on PhotonetPost { ${selection} } } } }`;

const documents: readonly (readonly [string, string])[] = [
  ['posts, compiled', onPosts('accessibilityCaption')],
  [
    'posts, executed',
    `query { ...Q } fragment Q on Query ${onPosts('accessibilityCaption').replace('{', '{ __typename ')}`,
  ],
  ['webhooks', '{ webhooks { nodes { name } } }'],
];
const paths = ['/v1/users/ACo1/posts?account_id=a', '/v1/webhooks'];

test.each(documents)('GraphQL passes %s on as the service sent them', async (what, query) => {
  const gateway = await start(200, what === 'webhooks' ? webhookList : postList);
  const { key } = await gateway.workspace();
  const result = await gateway.ask(query, {}, key);
  expect(JSON.stringify(result)).toContain(JSON.stringify(text));
  await gateway.close();
});

test.each(paths)('REST passes %s on as the service sent it', async (path) => {
  const list = path === '/v1/webhooks' ? webhookList : postList;
  const gateway = await start(200, list);
  const response = await fetch(gateway.address + path, { headers: { 'x-api-key': (await gateway.workspace()).key } });
  expect(await response.json()).toEqual(list);
  await gateway.close();
});

const shown = '[redacted]';
const redactedText = `Ask ${shown}, <a href="mailto:${shown}">us</a> &amp; &quot;all&quot; \\u0041 %41`;

test.each(documents)('GraphQL tells an error about %s without it', async (_what, query) => {
  const gateway = await start(500);
  const { key } = await gateway.workspace();
  const told = JSON.stringify([await gateway.ask(query, {}, key), gateway.log]);
  expect(told).toContain(JSON.stringify(redactedText).slice(1, -1));
  expect(told).not.toContain(header);
  await gateway.close();
});

test.each(paths)('REST tells an error of %s without it', async (path) => {
  const gateway = await start(500);
  const response = await fetch(gateway.address + path, { headers: { 'x-api-key': (await gateway.workspace()).key } });
  expect(await response.json()).toMatchObject({ detail: redactedText });
  expect(JSON.stringify(gateway.log)).not.toContain(header);
  await gateway.close();
});

const halves = [String.raw`a\ud800b`, String.raw`\udc00\ud83d`, 'a\ud83d\ude00\\ud83d'] as const;

test.each([...documents, ...paths.map((path) => [path, null] as const)])(
  '%s are valid Unicode',
  async (what, query) => {
    const isOfWebhooks = what.includes('webhooks');
    const list = JSON.stringify(isOfWebhooks ? webhookList : postList);
    const stub = await startStub((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(list.replaceAll(JSON.stringify(text), `"${halves.join('|')}"`));
    });
    const gateway = await proxyTo(stub, { environment: { UPSTREAM_API_KEY: 'key-of-the-service' } });
    const { key } = await gateway.workspace();
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response =
      query === null
        ? await fetch(gateway.address + what, { headers })
        : await fetch(`${gateway.address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const printed = await response.text();
    expect(printed).toContain('"a\ufffdb|\ufffd\ufffd|a\u{1f600}\ufffd"');
    expect(printed).not.toMatch(/\\ud/);
    await gateway.close();
  },
);
