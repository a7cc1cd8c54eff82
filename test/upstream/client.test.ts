/** The upstream backend against services of the tests' own: what it sends, what it makes of answers, whom it lets in. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { graphql } from '../support/gateway.ts';
import { envelope, gatewayBefore, json, pnetPost, postList, type Stub, startStub, webhook } from '../support/stub.ts';

const posts = `query ($first: Int = 10, $after: String) {
  posts(accountId: "a1", identifier: "ACoAda", first: $first, after: $after) {
    nodes { __typename ... on PnetPost { id providerId text reactionCounter userReacted author { name }
      attachments { __typename providerId ... on UnknownAttachment { type } } } }
    pageInfo { hasNextPage endCursor }
  }
}`;

describe('what is sent', () => {
  test('the key, the request id and the headers of the configuration go with each call', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1')])));
    const gateway = await gatewayBefore(stub, { environment: { UPSTREAM_HEADERS: '{"X-Tenant":"acme"}' } });
    const answer = await gateway.ask(posts);
    expect(answer.errors).toEqual([]);
    expect(answer.data.posts.nodes[0]).toMatchObject({ text: 'Text 1', reactionCounter: 5_000_000_000 });
    expect(stub.received).toHaveLength(1);
    expect(stub.received[0]).toMatchObject({
      method: 'GET',
      path: '/v1/users/ACoAda/posts?account_id=a1&limit=10',
      headers: {
        'x-api-key': 'their-key',
        'x-tenant': 'acme',
        'x-request-id': answer.headers.get('x-request-id'),
        accept: 'application/json',
      },
    });
    expect(JSON.stringify(gateway.log)).not.toContain('their-key');
  });

  test.each([
    ['', '/v1/webhooks?limit=100'],
    ['/', '/v1/webhooks?limit=100'],
    ['/v1', '/v1/webhooks?limit=100'],
    ['/api', '/api/v1/webhooks?limit=100'],
    ['/api/v1/', '/api/v1/webhooks?limit=100'],
  ])('UPSTREAM_URL may end in %j', async (suffix, path) => {
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'WebhookList', items: [], cursor: null }),
    );
    const gateway = await gatewayBefore({ url: stub.url + suffix });
    expect((await gateway.ask('{ webhooks { nodes { id } } }')).data).toEqual({ webhooks: { nodes: [] } });
    expect(stub.received[0]?.path).toBe(path);
  });

  test('an edit sends the fields that were given and no other', async () => {
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'PnetJobPostingEdited', job_id: '7' }),
    );
    const gateway = await gatewayBefore(stub);
    const body = { account_id: 'a1', salary: { currency: 'EUR', min: 1, max: 2, pay_frequency: 'YEARLY' } };
    const response = await gateway.rest('PATCH', '/v1/pnet/jobs/7', body);
    expect(await response.json()).toEqual({ object: 'PnetJobPostingEdited', job_id: '7' });
    expect(stub.received[0]).toMatchObject({ method: 'PATCH', path: '/v1/pnet/jobs/7' });
    expect(JSON.parse(stub.received[0]?.body ?? '')).toEqual(body);
  });

  test('ids are encoded, and none can step out of its path', async () => {
    const stub = await startStub((_request, response) => json(response, 200, { object: 'WebhookDeleted' }));
    const gateway = await gatewayBefore(stub);
    const remove = (id: string) =>
      gateway.ask(
        'mutation ($id: ID!) { deleteWebhook(input: { webhookId: $id }) { __typename ... on ServiceError { type } } }',
        { id },
      );
    expect((await remove('a/b?c#d e')).data.deleteWebhook.__typename).toBe('WebhookDeleted');
    expect(stub.received.map(({ path }) => path)).toEqual(['/v1/webhooks/a%2Fb%3Fc%23d%20e']);
    expect((await remove('..')).data.deleteWebhook.type).toBe('errors/invalid_resource_identifier');
    expect((await remove('.')).data.deleteWebhook.type).toBe('errors/invalid_resource_identifier');
    expect(stub.received).toHaveLength(1);
  });
});

describe('keys', () => {
  test('a missing key is refused here', async () => {
    const stub = await startStub();
    const gateway = await gatewayBefore(stub);
    const answer = await graphql(gateway.address, undefined, '{ webhooks { nodes { id } } }');
    expect(answer.status).toBe(401);
    expect(answer.errors[0]?.extensions.type).toBe('errors/missing_credentials');
    expect(stub.received).toEqual([]);
  });

  test('a forwarded key may do everything here, and its id is no key', async () => {
    const gateway = await gatewayBefore(await startStub());
    const { data } = await gateway.ask('{ viewer { keyId name scopes accountIds workspace { name } } }');
    expect(data.viewer).toMatchObject({ name: 'forwarded key', accountIds: null, workspace: { name: 'upstream' } });
    expect(data.viewer.scopes).toContain('JOBS_WRITE');
    expect(data.viewer.keyId).not.toContain('their-key');
  });

  test('a cursor of one key is none of another', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1')], 'next')));
    const gateway = await gatewayBefore(stub);
    const { data } = await gateway.ask(posts, { first: 1 });
    const after = data.posts.pageInfo.endCursor;
    expect((await gateway.ask(posts, { first: 1, after })).errors).toEqual([]);
    const foreign = await gateway.ask(posts, { first: 1, after }, 'another-key');
    expect(foreign.errors[0]?.extensions.type).toBe('errors/unprocessable_entity');
  });

  test('with a key of its own the gateway judges its callers itself', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([])));
    const gateway = await gatewayBefore(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
    const workspace = await gateway.workspace();
    expect((await gateway.ask(posts)).errors[0]?.extensions.type).toBe('errors/invalid_credentials');
    expect((await gateway.ask(posts, {}, workspace.key)).errors).toEqual([]);
    expect(stub.received.map(({ headers }) => headers['x-api-key'])).toEqual(['our-key']);
    const limited = await workspace.newKey({ accountIds: ['a2'] });
    expect((await gateway.ask(posts, {}, limited)).errors[0]?.extensions.type).toBe('errors/account_mismatch');
    const unlimited = await gateway.ask(
      'mutation { createWebhook(input: { requestUrl: "https://a.example", source: { users: {} } }) { ... on ServiceError { type } } }',
      {},
      limited,
    );
    expect(unlimited.data.createWebhook.type).toBe('errors/account_mismatch');
    expect(stub.received).toHaveLength(1);
    expect(JSON.stringify(gateway.log)).not.toContain('our-key');
  });

  test('a key that may not change webhooks is not shown the values of their headers', async () => {
    const items = [webhook('w', { headers: [{ key: 'authorization', value: 'a secret' }] }), null, { headers: 'none' }];
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'WebhookList', items, cursor: null }),
    );
    const gateway = await gatewayBefore(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
    const { key, newKey } = await gateway.workspace();
    const list = async (apiKey: string) =>
      (await fetch(`${gateway.address}/v1/webhooks`, { headers: { 'x-api-key': apiKey } })).text();
    expect(await list(key)).toContain('a secret');
    const reader = await list(await newKey({ scopes: ['webhooks:read'] }));
    expect(reader).toContain('authorization');
    expect(reader).not.toContain('a secret');
  });

  test('a refusal of the gateway’s own key is not blamed on the caller', async () => {
    const stub = await startStub((_request, response) => json(response, 401, envelope('invalid_credentials', 401)));
    const gateway = await gatewayBefore(stub, { environment: { UPSTREAM_API_KEY: 'our-key' } });
    const { key } = await gateway.workspace();
    const { errors } = await gateway.ask('{ webhooks { nodes { id } } }', {}, key);
    expect(errors[0]?.extensions).toMatchObject({ type: 'errors/provider_error', status: 500 });
  });
});

describe('errors', () => {
  const publish =
    'mutation { publishJob(input: { accountId: "a1", draftId: "7", mode: FREE }) { __typename ... on ServiceError { type status title detail instance } } }';

  test('come back as themselves, with our instance', async () => {
    const stub = await startStub((_request, response) =>
      json(response, 422, envelope('insufficient_credits', 422, { title: 'Their title', detail: 'Buy some.' })),
    );
    const gateway = await gatewayBefore(stub);
    const { data, headers } = await gateway.ask(publish);
    expect(data.publishJob).toEqual({
      __typename: 'PaymentError',
      type: 'errors/insufficient_credits',
      status: 422,
      title: 'Their title',
      detail: 'Buy some.',
      instance: headers.get('x-request-id'),
    });
    expect(gateway.log).toContainEqual(
      expect.objectContaining({
        msg: 'upstream failure',
        reqId: headers.get('x-request-id'),
        upstream: expect.objectContaining({ instance: 'their-instance', status: 422 }),
      }),
    );
  });

  test('a refused credential is the account’s where the call names one, and the key’s for webhooks', async () => {
    const stub = await startStub((_request, response) => json(response, 401, envelope('expired_credentials', 401)));
    const gateway = await gatewayBefore(stub);
    expect((await gateway.ask(publish)).data.publishJob.__typename).toBe('AccountError');
    const deletion = await gateway.ask('mutation { deleteWebhook(input: { webhookId: "w" }) { __typename } }');
    expect(deletion.status).toBe(401);
    expect(deletion.data).toBeNull();
    expect(deletion.errors[0]?.extensions.type).toBe('errors/expired_credentials');
  });

  test.each([
    ['HTML', 502, '<html>Bad gateway at 10.0.0.7</html>', 502],
    ['an empty body', 404, '', 404],
    ['an envelope of another shape', 418, { error: { code: 7, trace: 'at Internal.java:7' } }, 418],
    ['an unknown type', 409, envelope('teapot', 409), 409],
    ['an envelope with status 200', 200, envelope('resource_not_found', 404), 500],
    ['a redirect', 302, '', 500],
    ['JSON that is cut', 200, '{"object":"PostList","items":[', 500],
    ['a list', 200, [], 500],
    ['an object of another kind', 200, { object: 'WebhookList', items: [], cursor: null }, 500],
    ['items that are none', 200, { object: 'PostList', items: 'none', cursor: null }, 500],
    ['no body', 204, '', 500],
  ])('%s is errors/provider_error, and says nothing of the inside', async (_what, status, body, shown) => {
    const stub = await startStub((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html', location: 'http://127.0.0.1:1/' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    const gateway = await gatewayBefore(stub);
    const { data, errors } = await gateway.ask(posts);
    expect(data).toBeNull();
    expect(errors).toHaveLength(1);
    expect(errors[0]?.extensions).toMatchObject({ type: 'errors/provider_error', status: shown });
    expect(JSON.stringify(errors)).not.toMatch(/10\.0\.0\.7|Internal/);
  });

  test('429 is "later": errors/service_unavailable', async () => {
    const stub = await startStub((_request, response) =>
      json(response, 429, envelope('too_many_requests', 429), { 'retry-after': '3600' }),
    );
    const gateway = await gatewayBefore(stub);
    const { errors } = await gateway.ask(posts);
    expect(errors[0]?.extensions).toMatchObject({ type: 'errors/service_unavailable', status: 503 });
    // An hour is longer than the call may last: nobody waits for it.
    expect(stub.received).toHaveLength(1);
  });

  test('additions to the contract are said to be not served', async () => {
    const gateway = await gatewayBefore(await startStub());
    const { data, errors } = await gateway.ask(`mutation {
      createJobDraft(input: { accountId: "a1", jobTitle: { text: "T" } }) { __typename ... on ServiceError { type status detail } }
    }`);
    expect(errors).toEqual([]);
    expect(data.createJobDraft).toMatchObject({
      __typename: 'AccountError',
      type: 'errors/feature_not_subscribed',
      status: 403,
      detail: expect.stringContaining('another service'),
    });
    for (const query of [
      '{ accounts { nodes { id } } }',
      '{ jobPostings { nodes { id } } }',
      '{ jobPosting(jobId: "7") { id } }',
    ]) {
      expect((await gateway.ask(query)).errors[0]?.extensions.type).toBe('errors/feature_not_subscribed');
    }
  });
});

describe('tolerant reading', () => {
  test('words, attachments and fields that are not known cost nothing', async () => {
    const odd = pnetPost('1', {
      user_reacted: 'ASTONISHMENT',
      brand_new: { field: 1 },
      attachments: [
        { type: 'hologram', id: 'h', unavailable: false },
        { type: 'constructor', id: 'c', unavailable: false },
      ],
    });
    const stub = await startStub((_request, response) => json(response, 200, postList([odd])));
    const gateway = await gatewayBefore(stub);
    const { data, errors } = await gateway.ask(posts);
    expect(errors).toEqual([]);
    expect(data.posts.nodes[0]).toMatchObject({
      userReacted: 'UNRECOGNIZED',
      attachments: [
        { __typename: 'UnknownAttachment', type: 'hologram' },
        { __typename: 'UnknownAttachment', type: 'constructor' },
      ],
    });
    const passed = await (await gateway.rest('GET', '/v1/users/ACoAda/posts?account_id=a1')).json();
    expect(passed.items).toEqual([odd]);
  });

  test.each([
    ['null', null],
    ['a text', 'post'],
    ['a number', 7],
    ['a list', []],
    ['an unknown provider', { ...pnetPost('2'), provider: 'FACEPLACE' }],
    ['a provider out of the prototype', { ...pnetPost('2'), provider: 'constructor' }],
    ['no provider', {}],
    ['no text', { ...pnetPost('2'), text: undefined }],
    ['no author', { ...pnetPost('2'), author: undefined }],
    ['an author that is a text', { ...pnetPost('2'), author: 'Ada' }],
    ['an author without a name', { ...pnetPost('2'), author: { id: 'x' } }],
    ['attachments that are none', { ...pnetPost('2'), attachments: 'none' }],
    ['an attachment that is null', { ...pnetPost('2'), attachments: [null] }],
    ['an attachment without an id', { ...pnetPost('2'), attachments: [{ type: 'img' }] }],
    ['a counter that is a text', { ...pnetPost('2'), reaction_counter: 'many' }],
    ['a text that is an object', { ...pnetPost('2'), text: {} }],
  ])('%s among the posts is one null with errors/provider_error at it', async (_what, odd) => {
    const stub = await startStub((_request, response) =>
      json(response, 200, postList([pnetPost('1'), odd, pnetPost('3')])),
    );
    const gateway = await gatewayBefore(stub);
    const { data, errors } = await gateway.ask(posts);
    expect(data.posts.nodes.map((node: { providerId: string } | null) => node?.providerId)).toEqual([
      '1',
      undefined,
      '3',
    ]);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.path?.slice(0, 3)).toEqual(['posts', 'nodes', 1]);
    expect(errors[0]?.extensions).toMatchObject({ type: 'errors/provider_error', status: 500 });
  });

  test('webhooks are read as tolerantly', async () => {
    const items = [
      webhook('w1', { format: 'xml', events: ['moon_landed'], account_ids: [{ id: 'a', type: 'TELEGRAPH' }] }),
      null,
      webhook('w3', { type: 'CRON' }),
      webhook('w4', { type: 'TRIGGER', trigger: { icon: 'NewIcon', name: 'T', context: 'CALL' }, events: [] }),
      { id: 'w5' },
    ];
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'WebhookList', items, cursor: null }),
    );
    const gateway = await gatewayBefore(stub);
    const { data, errors } =
      await gateway.ask(`{ webhooks { nodes { __typename webhookId format events accounts { type }
      ... on AutoWebhook { source } ... on TriggerWebhook { trigger { icon context } } } } }`);
    expect(data.webhooks.nodes).toEqual([
      {
        __typename: 'AutoWebhook',
        webhookId: 'w1',
        format: 'UNRECOGNIZED',
        events: ['UNRECOGNIZED'],
        accounts: [{ type: 'UNRECOGNIZED' }],
        source: null,
      },
      null,
      {
        __typename: 'AutoWebhook',
        webhookId: 'w3',
        format: 'JSON',
        events: ['NEW_RELATION'],
        accounts: [],
        source: 'USERS',
      },
      {
        __typename: 'TriggerWebhook',
        webhookId: 'w4',
        format: 'JSON',
        events: [],
        accounts: [],
        trigger: { icon: 'UNRECOGNIZED', context: 'UNRECOGNIZED' },
      },
      null,
    ]);
    expect(errors.map(({ path, extensions }) => [path?.[2], extensions.type])).toEqual([
      [1, 'errors/provider_error'],
      [4, 'errors/provider_error'],
    ]);
  });

  test('a result that forgets the job is still the result of that job', async () => {
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'PnetJobPostingPublished', job_state: 'thinking' }),
    );
    const gateway = await gatewayBefore(stub);
    const { data } = await gateway.ask(
      'mutation { publishJob(input: { accountId: "a1", draftId: "7", mode: FREE }) { ... on PnetJobPostingPublished { jobId jobState } } }',
    );
    expect(data.publishJob).toEqual({ jobId: '7', jobState: 'UNRECOGNIZED' });
  });
});

describe('one webhook', () => {
  const pages =
    (count: number): Stub['answer'] =>
    (request, response) => {
      const page = Number(new URL(request.path, 'http://x').searchParams.get('cursor') ?? 0);
      const cursor = page + 1 < count ? String(page + 1) : null;
      json(response, 200, { object: 'WebhookList', items: [webhook(`w${page}`), webhook(`v${page}`)], cursor });
    };
  const find = 'query ($id: ID!) { webhook(webhookId: $id) { webhookId } }';

  test('is found by walking the list, once for all that are looked for together', async () => {
    const stub = await startStub(pages(4));
    const gateway = await gatewayBefore(stub);
    const { data, errors } = await gateway.ask(
      '{ a: webhook(webhookId: "w0") { webhookId } b: webhook(webhookId: "v2") { webhookId } c: webhook(webhookId: "w0") { id } }',
    );
    expect(errors).toEqual([]);
    expect([data.a.webhookId, data.b.webhookId]).toEqual(['w0', 'v2']);
    expect(stub.received).toHaveLength(3);
    const node = await gateway.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id: data.c.id });
    expect(node.data.node).toEqual({ __typename: 'AutoWebhook', id: data.c.id });
  });

  test('is null where the list does not have it, and an error where the list is too long to say', async () => {
    const stub = await startStub(pages(10));
    const gateway = await gatewayBefore(stub);
    expect((await gateway.ask(find, { id: 'nobody' })).data).toEqual({ webhook: null });
    stub.answer = pages(11);
    const { data, errors } = await gateway.ask(
      '{ a: webhook(webhookId: "w1") { webhookId } b: webhook(webhookId: "w10") { webhookId } }',
    );
    expect(data).toEqual({ a: { webhookId: 'w1' }, b: null });
    expect(errors[0]?.extensions.type).toBe('errors/limit_too_high');
  });
});

describe('one operation', () => {
  test('makes no more calls than it may', async () => {
    const stub = await startStub((request, response) => {
      const identifier = /users\/([^/]+)/.exec(request.path)?.[1] ?? '';
      const author = (n: number) => ({ public_identifier: 'a', id: `${identifier}${n}`, name: 'A', is_company: false });
      json(response, 200, postList([0, 1, 2].map((n) => pnetPost(String(n), { author: author(n) }))));
    });
    const gateway = await gatewayBefore(stub, { environment: { UPSTREAM_MAX_CALLS: '3' } });
    const { data, errors } = await gateway.ask(
      '{ posts(accountId: "a1", identifier: "ACo", first: 3) { nodes { ... on PnetPost { author { posts(first: 1) { nodes { __typename } } } } } } }',
    );
    expect(stub.received).toHaveLength(3);
    expect(errors.map(({ extensions }) => extensions.type)).toEqual(['errors/limit_too_high']);
    expect(data.posts.nodes.filter((node: unknown) => node !== null)).toHaveLength(2);
  });

  test('asks once for equal pages', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1')])));
    const gateway = await gatewayBefore(stub);
    const list = 'posts(accountId: "a1", identifier: "ACo", first: 5) { nodes { ... on PnetPost { text } } }';
    const { data } = await gateway.ask(`{ a: ${list} b: ${list} c: ${list} }`);
    expect(data.c).toEqual({ nodes: [{ text: 'Text 1' }] });
    expect(stub.received).toHaveLength(1);
  });
});

describe('names', () => {
  const names = {
    path_segments: { pnet: 'acme', v1: 'v9' },
    job_objects: { PnetJobPostingEdited: 'AcmeJobEdited' },
    apply_methods: { pnet: 'acme' },
    workplaces: { ON_SITE: 'office' },
    providers: { PNET: 'ACME' },
    attachment_types: { pnet_post: 'acme_post' },
    account_types: { PNET: 'ACME', MAIL: 'PNET' },
    trigger_icons: { PnetIcon: 'AcmeIcon' },
    errors: { resource_not_found: 'gone' },
  };

  async function gatewayWith(stub: Stub, table: unknown) {
    const { directory } = await gatewayBefore(stub);
    const file = join(directory, 'names.json');
    await writeFile(file, typeof table === 'string' ? table : JSON.stringify(table));
    return gatewayBefore(stub, { environment: { UPSTREAM_NAMES: file } });
  }

  test('words go out and come back as the file says', async () => {
    const stub = await startStub((request, response) => {
      if (request.method === 'PATCH') json(response, 200, { object: 'AcmeJobEdited', job_id: '7' });
      else if (request.method === 'DELETE') json(response, 404, envelope('gone', 404));
      else if (request.path.includes('webhooks')) {
        const trigger = { icon: 'AcmeIcon', name: 'T', context: 'CHAT' };
        const account_ids = ['ACME', 'PNET', 'MSGR'].map((type) => ({ id: type, type }));
        json(response, 200, {
          object: 'WebhookList',
          items: [webhook('w', { type: 'TRIGGER', trigger, account_ids })],
          cursor: null,
        });
      } else {
        const attachments = [{ type: 'acme_post', id: 'x', unavailable: false }];
        json(response, 200, postList([pnetPost('1', { provider: 'ACME', attachments }), null, 7]));
      }
    });
    const gateway = await gatewayWith(stub, names);
    const edit = await gateway.rest('PATCH', '/v1/pnet/jobs/7', {
      account_id: 'a1',
      workplace: 'ON_SITE',
      apply_method: { type: 'pnet', notification_email: 'a@b.example', resume_required: true },
    });
    expect(await edit.json()).toEqual({ object: 'PnetJobPostingEdited', job_id: '7' });
    expect(stub.received[0]?.path).toBe('/v9/acme/jobs/7');
    expect(JSON.parse(stub.received[0]?.body ?? '')).toMatchObject({
      workplace: 'office',
      apply_method: { type: 'acme' },
    });
    expect((await gateway.ask(posts)).data.posts.nodes[0]).toMatchObject({
      __typename: 'PnetPost',
      attachments: [{ __typename: 'SharedPostAttachment' }],
    });
    const hooks = await gateway.ask(
      '{ webhooks { nodes { accounts { type } ... on TriggerWebhook { trigger { icon } } } } }',
    );
    expect(hooks.data.webhooks.nodes[0]).toEqual({
      accounts: [{ type: 'PNET' }, { type: 'MAIL' }, { type: 'MSGR' }],
      trigger: { icon: 'PnetIcon' },
    });
    const deletion = await gateway.ask(
      'mutation { deleteWebhook(input: { webhookId: "w" }) { ... on ServiceError { type } } }',
    );
    expect(deletion.data.deleteWebhook.type).toBe('errors/resource_not_found');
  });

  test.each([
    ['no JSON', '{', 'a JSON object'],
    ['no object', '[]', 'a JSON object'],
    ['no texts', { providers: { PNET: 1 } }, '"providers" is not an object of strings'],
    ['no vocabulary', { colours: {} }, 'no vocabulary "colours"'],
    ['no word', { providers: { ACME: 'PNET' } }, 'no term "ACME" in "providers"'],
    ['two words of one name', { providers: { PNET: 'PHOTONET' } }, 'two terms of "providers"'],
    ['a path that is none', { path_segments: { pnet: 'x?' } }, 'cannot stand in a path'],
    ['a path that leads elsewhere', { path_segments: { pnet: '../x' } }, 'cannot stand in a path'],
  ])('a file with %s stops the start', async (_what, table, message) => {
    await expect(gatewayWith(await startStub(), table)).rejects.toThrow(message);
  });
});

describe('readiness', () => {
  test('the gateway is ready while the upstream can be reached', async () => {
    const stub = await startStub();
    const gateway = await gatewayBefore(stub);
    expect((await fetch(`${gateway.address}/readyz`)).status).toBe(200);
    expect((await fetch(`${gateway.address}/readyz`)).status).toBe(200);
    // The first requests find these.
    expect(stub.connections).toBe(4);
    await stub.close();
    expect((await fetch(`${gateway.address}/readyz`)).status).toBe(503);
    expect((await fetch(`${gateway.address}/livez`)).status).toBe(200);
  });
});
