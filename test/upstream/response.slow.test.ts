/** What callers see of the responses of an upstream: its errors, and lists with odd items in them. */
import { describe, expect, test } from 'vitest';
import { rest } from '../support/rest.ts';
import { envelope, json, listPosts, pnetPost, postList, shareProxy, webhook } from '../support/stub.ts';

const begin = shareProxy();

describe('errors of the upstream', () => {
  const publish =
    'mutation { publishJob(input: { accountId: "a1", jobId: "7", mode: FREE }) { __typename ... on ServiceError { code status message requestId } } }';

  test('keep their type, status and text, and get our request id', async () => {
    const gateway = begin((_request, response) =>
      json(response, 422, envelope('insufficient_credits', 422, { title: 'Their title', detail: 'Buy some.' })),
    );
    const { data, headers } = await gateway.ask(publish);
    expect(data.publishJob).toEqual({
      __typename: 'RequestError',
      code: 'INSUFFICIENT_CREDITS',
      status: 422,
      message: 'Buy some.',
      requestId: headers.get('x-request-id'),
    });
    expect(gateway.log).toContainEqual(
      expect.objectContaining({
        msg: 'upstream failure',
        reqId: headers.get('x-request-id'),
        upstream: expect.objectContaining({
          path: '/v1/pnet/jobs/{draft_id}/publish',
          instance: 'their-instance',
          status: 422,
        }),
      }),
    );
  });

  test('a refused credential is the account’s if the request names one, and the key’s for webhooks', async () => {
    const gateway = begin(({ method }, response) =>
      // A list of webhooks says that the key is accepted (key-or-account.test.ts).
      method === 'GET'
        ? json(response, 200, { object: 'WebhookList', items: [], cursor: null })
        : json(response, 401, envelope('expired_credentials', 401)),
    );
    expect((await gateway.ask(publish)).data.publishJob.__typename).toBe('RequestError');
    const deletion = await gateway.ask('mutation { deleteWebhook(input: { webhookId: "w" }) { __typename } }');
    expect(deletion.status).toBe(401);
    expect(deletion.data).toEqual({ deleteWebhook: null });
    expect(deletion.errors[0]?.extensions.code).toBe('EXPIRED_CREDENTIALS');
  });

  test.each([
    ['HTML', 502, '<html>Bad gateway at 10.0.0.7</html>'],
    ['an empty body', 404, ''],
    ['an envelope of another shape', 418, { error: { code: 7, trace: 'at Internal.java:7' } }],
    ['an unknown type', 409, envelope('teapot', 409)],
    ['an envelope with status 200', 200, envelope('resource_not_found', 404)],
    ['a redirect', 302, ''],
    ['JSON that is cut', 200, '{"object":"PostList","items":['],
    ['a list', 200, []],
    ['an object of another kind', 200, { object: 'WebhookList', items: [], cursor: null }],
    ['items that are none', 200, { object: 'PostList', items: 'none', cursor: null }],
    ['no body', 204, ''],
  ])('%s is errors/provider_error, which reveals no internals', async (_what, status, body) => {
    const gateway = begin((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html', location: 'http://127.0.0.1:1/' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const { data, errors } = await gateway.ask(listPosts);
    expect(data).toEqual({ posts: null });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.extensions).toMatchObject({ code: 'PROVIDER_ERROR', status: 500 });
    expect(JSON.stringify(errors)).not.toMatch(/10\.0\.0\.7|Internal/);
  });

  test.each([429, 503])('the Retry-After of status %i reaches the caller, over both faces', async (status) => {
    const { address, ask } = begin((_request, response) =>
      json(response, status, envelope('service_unavailable', status), { 'retry-after': '7' }),
    );
    const edited = await rest(address, 'their-key', 'PATCH', '/v1/pnet/jobs/1', { body: { account_id: 'a1' } });
    expect([edited.status, edited.headers.get('retry-after')]).toEqual([503, '7']);
    const { errors, headers } = await ask(
      'mutation { editJob(input: { accountId: "a1", jobId: "1", posting: {} }) { __typename } }',
    );
    expect([errors[0]?.extensions.code, headers.get('retry-after')]).toEqual(['SERVICE_UNAVAILABLE', '7']);
  });

  test('429 is errors/service_unavailable', async () => {
    const gateway = begin((_request, response) =>
      json(response, 429, envelope('too_many_requests', 429), { 'retry-after': '3600' }),
    );
    const { errors } = await gateway.ask(listPosts);
    expect(errors[0]?.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    // An hour is longer than the call may last: there is no retry.
    expect(gateway.stub.received).toHaveLength(1);
  });
});

describe('tolerant reading', () => {
  test.each([{ page_count: 127 }, { page_count: '127' }, {}, null, 'none', undefined])(
    'paging %j changes no post, and reaches clients of REST as it was sent',
    async (paging) => {
      const gateway = begin((_request, response) => json(response, 200, { ...postList([pnetPost('1')]), paging }));
      const { data, errors } = await gateway.ask(
        '{ posts(accountId: "a1", identifier: "ACoAda") { nodes { __typename } } }',
      );
      expect({ data, errors }).toEqual({ data: { posts: { nodes: [{ __typename: 'PnetPost' }] } }, errors: [] });
      const passed = await (await gateway.rest('GET', '/v1/users/ACoAda/posts?account_id=a1')).json();
      expect(passed.paging).toEqual(typeof paging === 'object' && paging !== null ? paging : {});
    },
  );

  test.each(['CRON', 'auto', '', 'constructor', '__proto__', undefined, null, {}])(
    'a webhook of type %j is UNRECOGNIZED, with all that every webhook has',
    async (type) => {
      const items = [webhook('w1'), webhook('w2', { type }), webhook('w3')].map((item) => ({
        ...item,
        request_url: 'https://hooks.example/in',
      }));
      const gateway = begin((_request, response) =>
        json(response, 200, { object: 'WebhookList', items, cursor: null }),
      );
      const { data, errors } = await gateway.ask('{ webhooks { nodes { type id webhookId requestUrl } } }');
      expect(data.webhooks.nodes).toMatchObject([
        { type: 'AUTO' },
        { webhookId: 'w2', requestUrl: 'https://hooks.example/in', type: type == null ? null : 'UNRECOGNIZED' },
        { type: 'AUTO' },
      ]);
      expect(errors.map(({ path }) => path)).toEqual(type == null ? [['webhooks', 'nodes', 1, 'type']] : []);
      const { node } = (
        await gateway.ask('query ($id: ID!) { node(id: $id) { __typename } }', { id: data.webhooks.nodes[1].id })
      ).data;
      expect(node).toEqual({ __typename: 'Webhook' });
    },
  );

  test('webhooks are read as tolerantly as posts', async () => {
    const items = [
      webhook('w1', { format: 'xml', events: ['moon_landed'], account_ids: [{ id: 'a', type: 'TELEGRAPH' }] }),
      null,
      webhook('w3', { type: 'CRON' }),
      webhook('w4', { type: 'TRIGGER', trigger: { icon: 'NewIcon', name: 'T', context: 'CALL' }, events: [] }),
      { id: 'w5' },
      webhook('w6', { events: undefined }),
      webhook('w7', { events: null }),
    ];
    const gateway = begin((_request, response) => json(response, 200, { object: 'WebhookList', items, cursor: null }));
    const { data, errors } = await gateway.ask(`{ webhooks { nodes { webhookId format events accounts { type }
      type source trigger { icon context } } } }`);
    expect(data.webhooks.nodes).toEqual([
      {
        type: 'AUTO',
        trigger: null,
        webhookId: 'w1',
        format: 'UNRECOGNIZED',
        events: ['UNRECOGNIZED'],
        accounts: [{ type: 'UNRECOGNIZED' }],
        source: null,
      },
      null,
      {
        type: 'UNRECOGNIZED',
        source: 'USERS',
        trigger: null,
        webhookId: 'w3',
        format: 'JSON',
        events: ['NEW_RELATION'],
        accounts: null,
      },
      {
        type: 'TRIGGER',
        source: null,
        webhookId: 'w4',
        format: 'JSON',
        events: [],
        accounts: null,
        trigger: { icon: 'UNRECOGNIZED', context: 'UNRECOGNIZED' },
      },
      null,
      ...['w6', 'w7'].map((webhookId) => ({
        type: 'AUTO',
        trigger: null,
        webhookId,
        format: 'JSON',
        events: null,
        accounts: null,
        source: null,
      })),
    ]);
    for (const filter of ['events: NEW_RELATION', 'events: OK', 'sources: EMAIL']) {
      const found = await gateway.ask(`{ webhooks(${filter}) { nodes { webhookId } } }`);
      const ids = found.data.webhooks.nodes.map((node: { webhookId: string } | null) => node?.webhookId);
      expect(ids, filter).toEqual(expect.arrayContaining(['w6', 'w7']));
      expect(ids, filter).not.toContain('w4');
    }
    expect(errors.map(({ path, extensions }) => [path?.[2], extensions.code])).toEqual([
      [1, 'PROVIDER_ERROR'],
      [4, 'PROVIDER_ERROR'],
    ]);
  });

  test.each(['12', '7615917337495251231', '-90071992547409931'])(
    'an id that is the number %s is its text',
    async (id) => {
      const numbers = (list: object, ...keys: string[]) =>
        JSON.stringify(list).replaceAll(new RegExp(`"(${keys.join('|')})":"\\w+"`, 'g'), `"$1":${id}`);
      const { address, ask } = begin(({ path }, response) =>
        json(
          response,
          200,
          path.startsWith('/v1/webhooks')
            ? numbers({ object: 'WebhookList', items: [webhook('w1')], cursor: null }, 'id')
            : numbers(postList([pnetPost('1')]), 'id', 'social_id', 'public_identifier'),
        ),
      );
      const posts = `posts(accountId: "a1", identifier: "ACoAda") { nodes { ... on PnetPost { id providerId socialId author { id publicIdentifier } } } }`;
      const { data, errors } = await ask(
        `{ ${posts} webhooks { nodes { webhookId } } webhook(webhookId: "${id}") { webhookId } }`,
      );
      expect(errors).toEqual([]);
      const [post] = data.posts.nodes;
      expect(post).toMatchObject({ providerId: id, socialId: id, author: { publicIdentifier: id } });
      expect([data.webhooks.nodes, data.webhook]).toEqual([[{ webhookId: id }], { webhookId: id }]);
      const again = await ask(`{ node(id: "${post.id}") { id } }`);
      expect(again.data.node).toEqual({ id: post.id });
      const listed = await rest(address, 'their-key', 'GET', '/v1/users/ACoAda/posts?account_id=a1');
      expect(listed.body.items[0]).toMatchObject({ id, social_id: id, author: { id } });
    },
  );

  test('a result without a job id gets that of the request', async () => {
    const gateway = begin((_request, response) =>
      json(response, 200, { object: 'PnetJobPostingPublished', job_state: 'thinking' }),
    );
    const { data } = await gateway.ask(
      'mutation { publishJob(input: { accountId: "a1", jobId: "7", mode: FREE }) { ... on PnetJobPostingPublished { jobId state } } }',
    );
    expect(data.publishJob).toEqual({ jobId: '7', state: 'UNRECOGNIZED' });
  });
});
