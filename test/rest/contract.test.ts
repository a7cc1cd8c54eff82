/** The contract's endpoints, fields, states and limits over real HTTP: a case for every row, on every backend. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/endpoint.ts';
import { webhookSourceNames, webhookSources } from '../../src/events/sources.ts';
import * as jobs from '../../src/jobs/shapes.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { webhookFormats } from '../../src/webhooks/shapes.ts';
import { type Facts, statedFacts } from '../contract/stated.ts';
import { backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { type RestAnswer, type RestOptions, rest } from '../support/rest.ts';

const stated: Facts = statedFacts(readFileSync(join(import.meta.dirname, '../contract/spec.md'), 'utf8'));
/** The names of the fields of a table, and those of them that are required. */
const fieldsOf = (subject: string) => (stated[subject] ?? []).map((row) => row.split(' ')[0] as string).sort();
const requiredOf = (subject: string) =>
  (stated[subject] ?? []).flatMap((row) => (row.endsWith(' R') ? [row.split(' ')[0] as string] : [])).sort();

/** For each field: values that are taken, and values that are not. The order of the keys means nothing. */
type Samples = Readonly<Record<string, { readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>>;

const noText = [1, true, null, {}, []];
const noFlag = ['true', 0, null];
const noNumber = ['1', true, null];
const pay = { currency: 'EUR', min: 1, max: 2.5, pay_frequency: 'YEARLY' };
const badPays = [
  ...['currency', 'min', 'max', 'pay_frequency'].map((name) => ({ ...pay, [name]: undefined })),
  { ...pay, min: '1' },
  { ...pay, min: 3 },
  { ...pay, pay_frequency: 'WEEKLY' },
  { ...pay, extra: 1 },
];
const goodPays = jobs.payFrequencies.map((pay_frequency) => ({ ...pay, pay_frequency }));
const titles = {
  good: [{ id: '12' }, { text: 'Engineer' }, { id: '12', text: 'x' }],
  bad: ['x', { id: 12 }, { id: 'x' }, {}],
};
const urls = {
  good: ['https://example.org/a?b=c', 'http://example.org'],
  bad: ['nowhere', '/path', 'ftp://example.org', 'https://user:pass@example.org/', 'https://exa mple.org', '', 1],
};

const numeric: Samples = {
  question: { good: ['Years?'], bad: [...noText, '', 'x'.repeat(20_001)] },
  answer_type: { good: ['numeric'], bad: ['text', null] },
  position: { good: [0, 1.5], bad: noNumber },
  must_match: { good: [true, false], bad: noFlag },
  min_expectation: { good: [-1, 0], bad: noNumber },
  max_expectation: { good: [3], bad: noNumber },
};
const choice: Samples = {
  question: { good: ['Which?'], bad: [...noText, ''] },
  answer_type: { good: ['multiple_choices'], bad: ['choices'] },
  choices: { good: [['a', 'b']], bad: ['a', [1], [], null] },
  expected_choices: { good: [['a'], []], bad: ['a', [1], ['c'], null] },
  position: { good: [1], bad: noNumber },
  must_match: { good: [true], bad: noFlag },
};
const idList = (max: number) => ({
  good: [['a'], Array.from({ length: max }, (_, index) => `${index}`)],
  bad: [[], Array.from({ length: max + 1 }, (_, index) => `${index}`), 'a', [1], null],
});
const recruiter: Samples = {
  project_id: { good: ['p1'], bad: [...noText, ''] },
  functions: { ...idList(3), bad: [...idList(3).bad, ['Upper']] },
  industries: idList(3),
  skills: idList(10),
  seniority: { good: jobs.seniorities, bad: ['BOSS', 1, null] },
  include_poster_info: { good: [true, false], bad: noFlag },
};
const smallest = (samples: Samples, required: readonly string[]) =>
  Object.fromEntries(required.map((name) => [name, samples[name]?.good[0]]));
/** One object for each sample of each field, and one without each required field. */
const objects = (samples: Samples, required: readonly string[]) => ({
  good: Object.entries(samples).flatMap(([name, { good }]) =>
    good.map((value) => ({ ...smallest(samples, required), [name]: value })),
  ),
  bad: [
    ...Object.entries(samples).flatMap(([name, { bad }]) =>
      bad.map((value) => ({ ...smallest(samples, required), [name]: value })),
    ),
    ...required.map((name) => ({ ...smallest(samples, required), [name]: undefined })),
    { ...smallest(samples, required), unknown_field: 1 },
  ],
});
const listed = ({ good, bad }: { good: unknown[]; bad: unknown[] }) => ({
  good: good.map((each) => [each]),
  bad: bad.map((each) => [each]),
});

const edit: Samples = {
  job_title: titles,
  company: titles,
  workplace: { good: jobs.workplaces, bad: ['MOON', 'remote', 1, null] },
  location: { good: ['103644278'], bad: [1, 'Paris', '', null] },
  employment_status: { good: jobs.employmentStatuses, bad: ['SLAVERY', null] },
  description: { good: ['<p>Hi</p>', '', 'x'.repeat(20_000)], bad: [...noText, 'x'.repeat(20_001)] },
  auto_rejection_template: { good: ['Sorry.'], bad: noText },
  screening_questions: {
    good: [
      [],
      ...listed(objects(numeric, ['question', 'answer_type'])).good,
      ...listed(objects(choice, ['question', 'answer_type', 'choices', 'expected_choices'])).good,
    ],
    bad: [
      {},
      [{ ...smallest(numeric, ['question', 'answer_type']), min_expectation: 2, max_expectation: 1 }],
      ...listed(objects(numeric, ['question', 'answer_type'])).bad,
      ...listed(objects(choice, ['question', 'answer_type', 'choices', 'expected_choices'])).bad,
    ],
  },
  recruiter: objects(recruiter, ['project_id']),
  tracking_pixel_url: urls,
  company_job_id: { good: ['ref-1', ''], bad: [...noText, 'x'.repeat(256)] },
  apply_method: {
    good: [
      { type: 'pnet', notification_email: 'a@example.org', resume_required: true },
      { type: 'external', url: 'https://example.org/apply' },
    ],
    bad: [
      { type: 'pnet', notification_email: 'a@example.org' },
      { type: 'pnet', resume_required: true },
      { type: 'pnet', notification_email: 'nobody', resume_required: true },
      { type: 'external' },
      ...urls.bad.map((url) => ({ type: 'external', url })),
      { type: 'external', url: 'https://example.org', resume_required: true },
      { type: 'fax' },
      {},
      'external',
    ],
  },
  salary: { good: goodPays, bad: badPays },
  additional_compensation: { good: goodPays, bad: badPays },
  auto_archive_applicants: {
    good: [{}, { screening_questions: false }, { outside_of_country: true }],
    bad: [{ screening_questions: 'no' }, { outside_of_country: 1 }, { other: true }, true],
  },
  send_rejection_notification: { good: [true, false], bad: noFlag },
};

const money = (amount: unknown) => ({ currency: 'EUR', amount });
const budgets = {
  good: [{ daily: money(10) }, { monthly: money(0.5) }],
  bad: [
    {},
    { daily: money(1), monthly: money(1) },
    { daily: money(0) },
    { daily: money('1') },
    { daily: { amount: 1 } },
    { weekly: money(1) },
    1,
  ],
};
const publish: Samples = {
  service: { good: jobs.jobServices, bad: ['PREMIUM', null] },
  hiring_photo_frame: { good: [true, false], bad: noFlag },
  bypass_email_verification: { good: [true, false], bad: noFlag },
  mode: { good: jobs.publishModes, bad: ['GRATIS', 'free', 1] },
};

const create: Samples = {
  source: { good: webhookSourceNames, bad: ['sms', 1] },
  request_url: urls,
  name: { good: ['Mine', ''], bad: [...noText, 'x'.repeat(256)] },
  format: { good: webhookFormats, bad: ['xml', null] },
  enabled: { good: [true, false], bad: noFlag },
  account_ids: { good: [[]], bad: ['a', [1], [''], null] },
  events: { good: [[], ['new_relation']], bad: [['message_received'], ['unknown'], 'new_relation', null] },
  headers: {
    good: [[], [{ key: 'X-Mine', value: 'v' }]],
    bad: [[{ key: 'X-Mine' }], [{ value: 'v' }], [{ key: '', value: '' }], {}, null],
  },
  data: {
    good: [[], [{ name: 'who', key: 'user_provider_id' }]],
    bad: [
      [{ name: 'who', key: 'chat_id' }],
      [{ key: 'account_id' }],
      [{ name: 'a' }],
      [{ name: 'a', key: 'account_id', x: 1 }],
      {},
    ],
  },
};

test('the samples have every field of the contract', () => {
  const names = (samples: Samples, ...more: string[]) => [...Object.keys(samples), ...more].sort();
  expect(names(edit, 'account_id')).toEqual(fieldsOf('fields of the edit body'));
  expect(names(numeric)).toEqual(fieldsOf('fields of a numeric question'));
  expect(names(choice)).toEqual(fieldsOf('fields of a choice question'));
  expect(names(recruiter)).toEqual(fieldsOf('fields of the recruiter block'));
  expect(names(publish, 'account_id', 'budget')).toEqual(fieldsOf('fields of the publish body'));
  expect(['account_id', 'input']).toEqual(fieldsOf('fields of the checkpoint body'));
  expect(names(create)).toEqual(fieldsOf('fields of the create body'));
});

describe.each(backends)('over the $name backend', (backend) => {
  let served: Served;
  let workspace: SeededWorkspace;
  let account: string;

  beforeAll(async () => {
    served = await backend.start({ environment: { LOG_LEVEL: 'silent' } });
    workspace = await served.workspace();
    account = await workspace.account();
  });
  afterAll(() => served.close());

  const send = (method: string, path: string, options: RestOptions = {}) =>
    rest(served.address, workspace.key, method, path, options);
  const post = (path: string, body: object) => send('POST', path, { body: { account_id: account, ...body } });
  const patch = (id: string, body: object) =>
    send('PATCH', `/v1/pnet/jobs/${id}`, { body: { account_id: account, ...body } });
  const draft = (options: object = {}) => workspace.draft({ accountId: account, ...options });

  function expectError({ status, body, text }: RestAnswer, expected: number, type: string, detail?: RegExp): void {
    expect([status, body.type, body.status], text).toEqual([expected, `errors/${type}`, expected]);
    if (detail !== undefined) expect(body.detail).toMatch(detail);
  }

  describe('the endpoints', () => {
    test.each(['/v1', '/api/v1'])('all seven answer under %s, as the contract has it', async (prefix) => {
      const jobId = await draft();
      const edited = await send('PATCH', `${prefix}/pnet/jobs/${jobId}`, { body: { account_id: account } });
      expect([edited.status, edited.body]).toEqual([200, { object: 'PnetJobPostingEdited', job_id: jobId }]);

      const posts = await send('GET', `${prefix}/users/ACoSandbox1/posts?account_id=${account}`);
      expect(posts.status).toBe(200);
      expect(posts.body).toMatchObject({ object: 'PostList', cursor: null, paging: { page_count: 1 } });
      expect(Object.keys(posts.body).sort()).toEqual(fieldsOf('fields of the post list'));

      const created = await send('POST', `${prefix}/webhooks`, {
        body: { source: 'users', request_url: 'https://hooks.example/in' },
      });
      expect([created.status, created.body]).toEqual([
        201,
        { object: 'WebhookCreated', webhook_id: expect.stringMatching(/^[\w-]{22}$/) },
      ]);
      const list = await send('GET', `${prefix}/webhooks`);
      expect(list.status).toBe(200);
      expect(list.body).toMatchObject({ object: 'WebhookList', cursor: null });
      expect(list.body.items.at(-1).id).toBe(created.body.webhook_id);
      const deleted = await send('DELETE', `${prefix}/webhooks/${created.body.webhook_id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { object: 'WebhookDeleted' }]);

      const draftId = await draft({ scenario: 'otp' });
      const published = await send('POST', `${prefix}/pnet/jobs/${draftId}/publish`, {
        body: { account_id: account, mode: 'FREE' },
      });
      expect([published.status, published.body]).toEqual([
        200,
        { object: 'PnetJobPostingPublishCheckpoint', type: 'OTP', job_id: draftId },
      ]);
      const solved = await send('POST', `${prefix}/pnet/jobs/${draftId}/checkpoint`, {
        body: { account_id: account, input: '123456' },
      });
      expect([solved.status, solved.body]).toEqual([
        200,
        { object: 'PnetJobPostingPublished', job_state: 'active', job_id: draftId },
      ]);
    });

    test.each(endpoints)('$method $path is refused with another method', async ({ path }) => {
      const answer = await send('PUT', `/v1${path.replace(/\{\w+\}/g, '1')}`, { body: {} });
      expectError(answer, 400, 'malformed_request');
      const methods = endpoints.filter((each) => each.path === path).map(({ method }) => method);
      expect(
        answer.headers
          .get('allow')
          ?.split(', ')
          .filter((method) => method !== 'HEAD')
          .sort(),
      ).toEqual(methods.sort());
    });

    test('an unknown path is the 404 of the envelope, with or without a key', async () => {
      for (const path of [
        '/v1',
        '/v1/',
        '/v1/nothing',
        '/api/v1/webhooks/a/b',
        '/v2/webhooks',
        '/v1/pnet/jobs/1/close',
      ]) {
        expectError(await send('GET', path), 404, 'resource_not_found');
        expectError(await rest(served.address, undefined, 'POST', path, { body: {} }), 404, 'resource_not_found');
      }
    });

    test('a request has one id, brought or made, in header and envelope', async () => {
      const brought = await send('DELETE', '/v1/webhooks/malformed', { headers: { 'x-request-id': 'mine-12345' } });
      expect([brought.headers.get('x-request-id'), brought.body.instance]).toEqual(['mine-12345', 'mine-12345']);
    });
  });

  describe('the fields of EDIT', () => {
    test.each(Object.entries(edit))('%s', async (name, { good, bad }) => {
      const id = await draft();
      for (const value of good) {
        const answer = await patch(id, { [name]: value });
        expect(answer.status, answer.text).toBe(200);
        expect((await workspace.job(id)).fields).toMatchObject({ [name]: value });
      }
      const before = await workspace.job(id);
      for (const value of bad) {
        expectError(await patch(id, { [name]: value }), 422, 'unprocessable_entity', new RegExp(name));
      }
      expect(await workspace.job(id)).toEqual(before);
    });

    test('only included fields change, and a list is replaced as a whole', async () => {
      const id = await draft();
      const question = { question: 'Years?', answer_type: 'numeric' };
      await patch(id, { workplace: 'REMOTE', screening_questions: [question, question] });
      await patch(id, { description: 'New', screening_questions: [question] });
      expect((await workspace.job(id)).fields).toMatchObject({
        workplace: 'REMOTE',
        description: 'New',
        screening_questions: [question],
      });
    });

    test('account_id is required, and every missing or unknown field is named', async () => {
      const answer = await send('PATCH', '/v1/pnet/jobs/1', { body: { recruiter: {}, salery: 1, colour: 'red' } });
      expectError(
        answer,
        422,
        'unprocessable_entity',
        /account_id.*recruiter\.project_id|recruiter\.project_id.*account_id/,
      );
      expect(answer.body.detail).toMatch(/salery is not a field/);
      expect(answer.body.detail).toMatch(/colour is not a field/);
    });

    test('an id of the path must not stand in the body too', async () => {
      expectError(await patch('1', { job_id: '1' }), 422, 'unprocessable_entity', /job_id stands in the path/);
      expectError(
        await post('/v1/pnet/jobs/1/publish', { mode: 'FREE', draft_id: '1' }),
        400,
        'invalid_parameters',
        /draft_id/,
      );
    });
  });

  describe('the fields of PUB and CHK', () => {
    test.each(Object.entries(publish))('%s', async (name, { good, bad }) => {
      for (const value of good) {
        const answer = await post(`/v1/pnet/jobs/${await draft()}/publish`, { mode: 'PROMOTED', [name]: value });
        expect(answer.status, answer.text).toBe(200);
      }
      for (const value of bad) {
        expectError(
          await post('/v1/pnet/jobs/1/publish', { mode: 'FREE', [name]: value }),
          400,
          'invalid_parameters',
          new RegExp(name),
        );
      }
    });

    test('budget goes with the promoted modes only, and PROMOTED_PLUS with CLASSIC only', async () => {
      for (const mode of ['PROMOTED', 'PROMOTED_PLUS']) {
        for (const budget of budgets.good) {
          expect((await post(`/v1/pnet/jobs/${await draft()}/publish`, { mode, budget })).status).toBe(200);
        }
        for (const budget of budgets.bad) {
          const answer = await post('/v1/pnet/jobs/1/publish', { mode, budget });
          expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('budget')]);
        }
      }
      const free = { mode: 'FREE', budget: budgets.good[0] };
      expectError(await post('/v1/pnet/jobs/1/publish', free), 400, 'invalid_parameters', /budget/);
      const plus = { mode: 'PROMOTED_PLUS', service: 'RECRUITER' };
      expectError(await post('/v1/pnet/jobs/1/publish', plus), 400, 'invalid_parameters', /service/);
    });

    test('what is required is named, all of it', async () => {
      const empty = (path: string) => send('POST', path, { body: {} });
      expectError(
        await empty('/v1/pnet/jobs/1/publish'),
        400,
        'missing_parameters',
        /mode is required; account_id is required/,
      );
      expectError(
        await empty('/v1/pnet/jobs/1/checkpoint'),
        400,
        'missing_parameters',
        /account_id is required; input is required/,
      );
    });

    test.each([
      [1, 'invalid_parameters'],
      ['', 'invalid_parameters'],
      [null, 'invalid_parameters'],
      ['x'.repeat(256), 'too_many_characters'],
    ])('input %j is errors/%s', async (input, type) => {
      expectError(await post('/v1/pnet/jobs/1/checkpoint', { input }), 400, type, /input/);
    });
  });

  describe('the query of POSTS', () => {
    const list = (query: string, identifier = 'ACoSandbox250') =>
      send('GET', `/v1/users/${identifier}/posts?account_id=${account}${query}`);

    test('limit is 1 to 100, and 100 without one; cursors are base64 and lead to the end', async () => {
      const sizes: number[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: RestAnswer = await list(cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`);
        expect(page.body.paging.page_count).toBe(page.body.items.length);
        sizes.push(page.body.items.length);
        cursor = page.body.cursor;
        if (cursor !== null) expect(cursor).toMatch(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
      }
      expect(sizes).toEqual([100, 100, 50]);
      expect((await list('&limit=1')).body.items).toHaveLength(1);
      expect((await list('&limit=100')).body.items).toHaveLength(100);
    });

    test.each(['0', '101', '-1', '1.5', '1e1', 'ten', 'NaN', '', '99999999999999999999', '5&limit=6'])(
      'limit=%s is refused',
      async (limit) => {
        expectError(await list(`&limit=${limit}`), 422, 'unprocessable_entity', /limit/);
      },
    );

    test('a cursor is at least one character long, and one that was returned for this list', async () => {
      expectError(await list('&cursor='), 422, 'unprocessable_entity', /cursor/);
      expectError(await list('&cursor=AAAA'), 422, 'unprocessable_entity', /cursor/);
      const { cursor } = (await list('&limit=1')).body;
      expect((await list(`&limit=1&cursor=${cursor}`)).status).toBe(200);
      const elsewhere = await list(`&cursor=${encodeURIComponent(cursor)}`, 'ACoSandbox100');
      expectError(elsewhere, 422, 'unprocessable_entity', /cursor/);
    });

    test.each(['true', 'TRUE', 'True', 'tRuE'])('is_company=%s lists a company', async (value) => {
      const answer = await list(`&is_company=${value}&limit=1`, '900043');
      expect(answer.body.items[0].author.is_company).toBe(true);
    });
    test.each(['false', 'FALSE', 'False'])('is_company=%s lists a person', async (value) => {
      expect((await list(`&is_company=${value}&limit=1`)).body.items[0].author.is_company).toBe(false);
    });
    test.each(['yes', '1', ''])('is_company=%s is refused', async (value) => {
      expectError(await list(`&is_company=${value}`), 422, 'unprocessable_entity', /is_company/);
    });

    test('account_id is required, once; unknown parameters are left alone', async () => {
      expectError(
        await send('GET', '/v1/users/ACoSandbox1/posts'),
        422,
        'unprocessable_entity',
        /account_id is required/,
      );
      expectError(await list(`&account_id=${account}`), 422, 'unprocessable_entity', /account_id/);
      expect((await list('&limit=1&utm_source=mail&__proto__=1')).status).toBe(200);
    });

    test('a pnet post and a photonet post have the fields of the contract', async () => {
      const pnet = (await list('', 'ACoSandboxGallery')).body.items;
      const photonet = (
        await send('GET', `/v1/users/sandbox.gallery/posts?account_id=${await workspace.account({ type: 'PHOTONET' })}`)
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

  describe('webhooks', () => {
    const body = { source: 'users', request_url: 'https://hooks.example/in' };
    const make = (more: object) => send('POST', '/v1/webhooks', { body: { ...body, ...more } });
    const read = async (id: string) =>
      (await send('GET', '/v1/webhooks?limit=250')).body.items.find((each: { id: string }) => each.id === id);

    test.each(Object.entries(create))('%s', async (name, { good, bad }) => {
      for (const value of good) {
        const answer = await make({ [name]: value });
        expect(answer.status, answer.text).toBe(201);
      }
      for (const value of bad) {
        const answer = await make({ [name]: value });
        const type =
          name === 'request_url' && value !== 1
            ? 'invalid_url'
            : String(value).length === 256
              ? 'too_many_characters'
              : /is required/.test(answer.body.detail)
                ? 'missing_parameters'
                : 'invalid_parameters';
        expectError(answer, 400, type, new RegExp(name));
      }
    });

    test.each(webhookSourceNames)('%s takes its own events and keys, and no others', async (source) => {
      const { events, keys } = webhookSources[source];
      const data = keys.map((key) => ({ name: `my_${key}`, key }));
      const made = await make({ source, events, ...(keys.length === 0 ? {} : { data }) });
      expect(made.status, made.text).toBe(201);
      expect(await read(made.body.webhook_id)).toMatchObject({ object: 'Webhook', type: 'AUTO', events, data });
      const others = webhookSourceNames.filter((each) => each !== source);
      for (const other of others) {
        expectError(
          await make({ source, events: [webhookSources[other].events[0]] }),
          400,
          'invalid_parameters',
          /events/,
        );
      }
      expectError(await make({ source, data: [{ name: 'a', key: 'no_key' }] }), 400, 'invalid_parameters', /data/);
    });

    test('what is required is named, all of it', async () => {
      const answer = await send('POST', '/v1/webhooks', { body: {} });
      expectError(answer, 400, 'missing_parameters', /source is required; request_url is required/);
      expectError(await make({ secret: 1 }), 400, 'invalid_parameters', /secret is not a field/);
      expectError(
        await make({ request_url: `https://hooks.example/${'x'.repeat(2_048)}` }),
        400,
        'too_many_characters',
      );
    });

    test('both kinds are listed, with the fields of the contract', async () => {
      const auto = (await make({ account_ids: [account], name: 'Mine', headers: [{ key: 'X-Mine', value: 'v' }] })).body
        .webhook_id;
      const trigger = await workspace.webhook({ trigger: { icon: 'WebhookIcon', name: 'Send', context: 'CHAT' } });
      expect(Object.keys(await read(auto)).sort()).toEqual(fieldsOf('fields of a webhook'));
      expect(await read(auto)).toMatchObject({
        enabled: true,
        format: 'json',
        account_ids: [{ id: account, name: 'PNET', type: 'PNET' }],
        headers: [{ key: 'X-Mine', value: 'v' }],
      });
      expect(await read(trigger)).toMatchObject({
        type: 'TRIGGER',
        events: [],
        trigger: { icon: 'WebhookIcon', name: 'Send', context: 'CHAT' },
      });
    });

    test('limit is 1 to 250, and 100 without one; above it is errors/limit_too_high', async () => {
      const own = await served.workspace();
      for (let count = 0; count < 251; count += 1) await own.webhook();
      const list = (query: string) => rest(served.address, own.key, 'GET', `/v1/webhooks${query}`);
      expect((await list('')).body.items).toHaveLength(100);
      const first = await list('?limit=250');
      expect(first.body.items).toHaveLength(250);
      const last = await list(`?limit=250&cursor=${encodeURIComponent(first.body.cursor)}`);
      expect([last.body.items.length, last.body.cursor]).toEqual([1, null]);
      for (const limit of ['251', '99999999999999999999']) {
        expectError(await list(`?limit=${limit}`), 400, 'limit_too_high', /limit/);
      }
      for (const limit of ['0', '-1', 'x', '1.5', 'Infinity', '1&limit=2']) {
        expectError(await list(`?limit=${limit}`), 400, 'invalid_parameters', /limit/);
      }
      for (const cursor of ['', 'AAAA'])
        expectError(await list(`?cursor=${cursor}`), 400, 'invalid_parameters', /cursor/);
    });

    test('one that is deleted is gone for good', async () => {
      const id = (await make({})).body.webhook_id;
      const json = { headers: { 'content-type': 'application/json' } };
      expect((await send('DELETE', `/v1/webhooks/${id}`, json)).status).toBe(200);
      expectError(await send('DELETE', `/v1/webhooks/${id}`), 404, 'resource_not_found');
      expect(await read(id)).toBeUndefined();
    });
  });

  describe('the states', () => {
    const publishIt = async (id: string) => post(`/v1/pnet/jobs/${id}/publish`, { mode: 'FREE' });
    const solve = async (id: string, input: string) => post(`/v1/pnet/jobs/${id}/checkpoint`, { input });

    test.each([
      ['publish', 'active'],
      ['review', 'review'],
      ['paused', 'paused'],
      ['closed', 'closed'],
      ['draft', 'draft'],
    ])('a draft that goes as %s is published in the state %s', async (scenario, state) => {
      const id = await draft({ scenario });
      expect((await publishIt(id)).body).toEqual({ object: 'PnetJobPostingPublished', job_state: state, job_id: id });
      expect((await workspace.job(id)).state).toBe(state);
    });

    test('a checkpoint leaves it a draft; another may follow; then it is published', async () => {
      const id = await draft({ scenario: 'email-then-otp' });
      const checkpoint = (type: string) => ({ object: 'PnetJobPostingPublishCheckpoint', type, job_id: id });
      expect((await publishIt(id)).body).toEqual(checkpoint('EMAIL_VERIFICATION'));
      expect((await workspace.job(id)).state).toBe('draft');
      expectError(await solve(id, 'wrong'), 401, 'invalid_checkpoint_solution');
      expect((await solve(id, 'sandbox-email-token')).body).toEqual(checkpoint('OTP'));
      expect((await solve(id, '123456')).body).toEqual({
        object: 'PnetJobPostingPublished',
        job_state: 'active',
        job_id: id,
      });
      expectError(await publishIt(id), 422, 'action_already_performed');
      expectError(await solve(id, '123456'), 422, 'action_already_performed');
    });

    test.each(['active', 'review', 'paused', 'draft'] as const)(
      'a job in the state %s can be edited',
      async (state) => {
        expect((await patch(await draft({ state }), { workplace: 'REMOTE' })).status).toBe(200);
      },
    );
    test('a closed one cannot', async () => {
      const id = await draft({ state: 'closed' });
      expectError(await patch(id, { workplace: 'REMOTE' }), 422, 'action_already_performed');
    });
  });

  describe('bad input', () => {
    const withBody: [EndpointName, string, string][] = [
      ['EDIT', 'PATCH', '/v1/pnet/jobs/1'],
      ['WHCREATE', 'POST', '/v1/webhooks'],
      ['PUB', 'POST', '/v1/pnet/jobs/1/publish'],
      ['CHK', 'POST', '/v1/pnet/jobs/1/checkpoint'],
    ];
    const bodies: [string, string | Uint8Array, RegExp][] = [
      ['text', 'hello', /not valid JSON/],
      ['cut off', '{"account_id":', /not valid JSON/],
      ['NaN', '{"account_id":NaN}', /not valid JSON/],
      ['Infinity', '{"account_id":-Infinity}', /not valid JSON/],
      ['a list', '[]', /must be a JSON object/],
      ['null', 'null', /must be a JSON object/],
      ['a text', '"x"', /must be a JSON object/],
      ['a number', '1', /must be a JSON object/],
      ['empty', '', /empty/],
      ['white space', ' \n ', /empty/],
      ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), /UTF-8/],
      ['duplicate keys', '{"a":1,"b":{"a":1},"a":2}', /field a twice/],
      ['duplicate keys in disguise', '{"account_id":"1","account\\u005fid":"2"}', /field account_id twice/],
      ['duplicate keys deep down', '{"x":[{"y":{"k" : 1,\t"k"\n:2}}]}', /field k twice/],
      ['__proto__', '{"__proto__":{"admin":true}}', /__proto__/],
      ['__proto__ in disguise', '{"a":[{"__pr\\u006fto__":1}]}', /__proto__/],
      ['constructor.prototype', '{"constructor":{"prototype":{}}}', /constructor/],
      ['10,000 levels of lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, /nested/],
      ['10,000 levels of objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /nested/],
    ];

    test.each(withBody.flatMap((endpoint) => bodies.map((body) => [...endpoint, ...body] as const)))(
      '%s, %s %s: a body that is %s',
      async (name, method, path, _what, body, detail) => {
        const headers = { 'content-type': 'application/json' };
        const answer = await send(method, path, { body, headers });
        if (name === 'EDIT') expectError(answer, 422, 'unprocessable_entity', detail);
        else expectError(answer, 400, 'malformed_request', detail);
      },
    );

    test.each(withBody)('%s: a body that is too large, or of another type', async (name, method, path) => {
      const refused = (answer: RestAnswer, type: string, detail: RegExp) =>
        name === 'EDIT'
          ? expectError(answer, 422, 'unprocessable_entity', detail)
          : expectError(answer, 400, type, detail);
      const body = JSON.stringify({ input: 'x'.repeat(1_048_576) });
      refused(await send(method, path, { body }), 'content_too_large', /1048576 bytes/);
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonp',
        ';;',
        '',
      ]) {
        const answer = await send(method, path, { body: '{}', headers: { 'content-type': type } });
        refused(answer, 'malformed_request', /application\/json/);
      }
      const typed = await send(method, path, {
        body: '{}',
        headers: { 'content-type': 'Application/JSON; charset=utf-8' },
      });
      expect(typed.body.detail).toMatch(/is required/);
    });

    test('quotes, braces and colons within texts are no fields', async () => {
      const id = await draft();
      const description = '{"a":1,"a":2} \\" "description": \\';
      expect((await patch(id, { description })).status).toBe(200);
      expect((await workspace.job(id)).fields.description).toBe(description);
    });

    test('GET and DELETE with a JSON content type and no body are served', async () => {
      const headers = { 'content-type': 'application/json' };
      expect((await send('GET', '/v1/webhooks', { headers })).status).toBe(200);
      expect((await send('DELETE', `/v1/webhooks/${await workspace.webhook()}`, { headers })).status).toBe(200);
      const chunked = { ...headers, 'transfer-encoding': 'chunked' };
      expect((await send('DELETE', `/v1/webhooks/${await workspace.webhook()}`, { headers: chunked })).status).toBe(
        200,
      );
    });

    test.each(['%zz', '%', '%E0%A4', 'a%ffb', 'a"b', 'a<b', 'a{b}', 'a|b', 'a\\b', 'a^b', 'a`b', 'caf\u00e9'])(
      'a path with %s in it',
      async (id) => {
        expectError(await send('DELETE', `/v1/webhooks/${id}`), 400, 'unescaped_characters');
        expectError(await post(`/v1/pnet/jobs/${id}/publish`, { mode: 'FREE' }), 400, 'unescaped_characters');
        expectError(await post(`/v1/pnet/jobs/${id}/checkpoint`, { input: '1' }), 400, 'unescaped_characters');
        expectError(await patch(id, {}), 422, 'unprocessable_entity', /percent-encod/);
        expectError(
          await send('GET', `/v1/users/${id}/posts?account_id=${account}`),
          422,
          'unprocessable_entity',
          /percent-encod/,
        );
      },
    );

    test('what is encoded as it should be is an id, if an unknown one', async () => {
      for (const id of ['caf%C3%A9', 'a%2Fb', 'a%25b', '%F0%9F%98%80', 'a%00b', '..%2f..']) {
        const answer = await send('DELETE', `/v1/webhooks/${id}`);
        expect([answer.status, answer.body.type]).toEqual(
          id === 'a%00b' ? [400, 'errors/invalid_parameters'] : [404, 'errors/invalid_resource_identifier'],
        );
      }
      expectError(await send('DELETE', `/v1/webhooks/${'x'.repeat(256)}`), 400, 'too_many_characters', /id/);
    });

    test('a request line that is no HTTP is refused', async () => {
      const { hostname, port } = new URL(served.address);
      const socket = connect(Number(port), hostname);
      socket.end('GET /v1/web hooks HTTP/1.1\r\nHost: x\r\n\r\n');
      const answer = (await socket.setEncoding('utf8').toArray()).join('');
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
        type: 'errors/malformed_request',
        status: 400,
      });
    });
  });
});
