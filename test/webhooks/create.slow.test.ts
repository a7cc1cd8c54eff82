/** Creating webhooks over GraphQL, on every backend. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { webhookSourceNames, webhookSources } from '../../src/events/sources.ts';
import { limits } from '../../src/kernel/validation.ts';
import { allBackends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';
import {
  anError,
  createDocument,
  createWebhook,
  listDocument,
  readWebhook,
  requestUrl,
} from '../support/webhooks-graphql.ts';

/** In the words of GraphQL. */
const misfit = (path: readonly string[], source: keyof typeof webhookSources) => ({
  path: ['input', ...path],
  message: expect.stringMatching(new RegExp(`^must be (one of )?${webhookSources[source].events[0]?.toUpperCase()}`)),
});

describe.each(allBackends)('createWebhook, $name backend', ({ start, serves }) => {
  let served: Served;
  let workspace: SeededWorkspace;

  beforeAll(async () => {
    served = await start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  const create = (input: Record<string, unknown>) => createWebhook(workspace, input);
  const refusal = async (input: Record<string, unknown>) => {
    const { data, errors } = await workspace.ask(createDocument, { input: { requestUrl, ...input } });
    expect(data).toBeNull();
    expect(errors).not.toEqual([]);
    return errors.map(({ message }) => message).join('\n');
  };

  test.each(webhookSourceNames)('creates one for the source %s, with every event and every key', async (source) => {
    const { events, keys } = webhookSources[source];
    const data = keys.map((key) => ({ name: `my_${key}`, key: key.toUpperCase() }));
    const answer = await create({
      source: source.toUpperCase(),
      events: events.map((event) => event.toUpperCase()),
      ...(keys.length === 0 ? {} : { data }),
    });
    expect(answer).toMatchObject({
      __typename: 'WebhookCreated',
      webhook: {
        __typename: 'Webhook',
        type: 'AUTO',
        webhookId: answer.webhookId,
        source: source.toUpperCase(),
        events: events.map((event) => event.toUpperCase()),
        data,
      },
    });
    expect(await readWebhook(workspace, answer.webhookId)).toEqual(answer.webhook);
  });

  test.each(webhookSourceNames)('creates one for the source %s, with one event or one key', async (source) => {
    const { events, keys } = webhookSources[source];
    for (const event of events) {
      const { webhook } = await create({ source: source.toUpperCase(), events: [event.toUpperCase()] });
      expect(webhook).toMatchObject({ source: source.toUpperCase(), events: [event.toUpperCase()] });
    }
    for (const key of keys) {
      const data = [{ name: 'x', key: key.toUpperCase() }];
      const { webhook } = await create({ source: source.toUpperCase(), data });
      expect(webhook.data).toEqual(data);
    }
  });

  test.each(webhookSourceNames)('has defaults for the source %s', async (source) => {
    const { events, keys } = webhookSources[source];
    const { webhook } = await create({ source: source.toUpperCase(), events: null, data: null });
    expect(webhook).toMatchObject({
      name: null,
      isEnabled: true,
      requestUrl,
      format: 'JSON',
      accounts: null,
      headers: [],
      data: keys.map((key) => ({ name: key, key: key.toUpperCase() })),
      events: events.map((event) => event.toUpperCase()),
    });
  });

  test.each(webhookSourceNames)('refuses the events and keys of other sources for the source %s', async (source) => {
    for (const other of webhookSourceNames) {
      if (other === source) continue;
      for (const event of webhookSources[other].events) {
        const refused = await create({ source: source.toUpperCase(), events: [event.toUpperCase()] });
        expect(refused).toMatchObject({ ...anError('invalid_parameters'), issues: [misfit(['events', '0'], source)] });
      }
      const foreign = webhookSources[other].keys.filter(
        (key) => !(webhookSources[source].keys as readonly string[]).includes(key),
      );
      for (const key of foreign.slice(0, 3)) {
        const data = [{ name: 'x', key: key.toUpperCase() }];
        const refused = await create({ source: source.toUpperCase(), data });
        const path = webhookSources[source].mapping === 'all' ? ['data'] : ['data', '0', 'key'];
        expect(refused).toMatchObject({ ...anError('invalid_parameters'), issues: [{ path: ['input', ...path] }] });
      }
    }
  });

  test('keeps every field', async () => {
    const accountId = await workspace.account({ name: 'Mine' });
    const { webhook } = await create({
      name: 'Everything',
      format: 'FORM',
      isEnabled: false,
      accountIds: [accountId, accountId],
      headers: [
        { key: 'X-One', value: '1' },
        { key: 'X-Two', value: '' },
      ],
      source: 'USERS',
      events: ['NEW_RELATION', 'NEW_RELATION'],
      data: [],
    });
    expect(webhook).toMatchObject({
      name: 'Everything',
      format: 'FORM',
      isEnabled: false,
      accounts: [{ accountId, name: 'Mine', type: 'PNET' }],
      headers: [
        { key: 'X-One', value: '1' },
        { key: 'X-Two', value: '' },
      ],
      events: ['NEW_RELATION'],
    });
  });

  test('takes a source that it knows, and no choice of fields where there is none', async () => {
    for (const source of ['CARRIER_PIGEON', null, {}]) await refusal({ source });
    expect(await create({ source: 'ACCOUNT_STATUS', data: [] })).toMatchObject({
      ...anError('invalid_parameters'),
      issues: [{ path: ['input', 'data'], message: 'is not accepted for this source' }],
    });
  });

  test('refuses what is only read, and an empty list for all, at its path', async () => {
    for (const [input, path] of [
      [{ source: 'UNRECOGNIZED' }, ['source']],
      [{ source: 'USERS', format: 'UNRECOGNIZED' }, ['format']],
      [{ source: 'USERS', events: ['UNRECOGNIZED'] }, ['events', '0']],
      [{ source: 'USERS', data: [{ name: 'x', key: 'UNRECOGNIZED' }] }, ['data', '0', 'key']],
      [{ source: 'USERS', events: [] }, ['events']],
      [{ source: 'USERS', accountIds: [] }, ['accountIds']],
    ] as const) {
      expect(await create(input)).toMatchObject({
        ...anError('invalid_parameters'),
        issues: [{ path: ['input', ...path] }],
      });
    }
    const literal = `mutation { createWebhook(input: { requestUrl: "${requestUrl}", source: UNRECOGNIZED }) {
      ... on InvalidRequestError { issues { path } } } }`;
    expect(await workspace.ask(literal)).toMatchObject({
      data: { createWebhook: { issues: [{ path: ['input', 'source'] }] } },
      errors: [],
    });
  });

  test('needs a requestUrl and a source', async () => {
    const document = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename } }';
    for (const input of [{ source: 'USERS' }, { requestUrl }]) {
      const { data, errors } = await workspace.ask(document, { input });
      expect(data).toBeNull();
      expect(errors[0]?.message).toMatch(/requestUrl|source/);
    }
  });

  test.each([
    'no url',
    'ftp://hooks.example',
    'hooks.example/in',
    '//hooks.example',
    'https://',
    'https://user:password@hooks.example',
    'https://hooks.example/a b',
    'javascript:alert(1)',
    '',
  ])('refuses the address %j', async (url) => {
    const answer = await create({ requestUrl: url, source: 'USERS' });
    expect(answer).toMatchObject(anError('invalid_url'));
    if (serves.webhookIssues) expect(answer.issues).toMatchObject([{ path: ['input', 'requestUrl'] }]);
  });

  test.each([
    ['a long address', { requestUrl: `https://hooks.example/${'x'.repeat(limits.url)}` }, 'too_many_characters'],
    ['a long name', { name: 'x'.repeat(limits.name + 1) }, 'too_many_characters'],
    ['a header without a name', { headers: [{ key: '', value: 'x' }] }, 'invalid_parameters'],
    ['a header that breaks the line', { headers: [{ key: 'X', value: 'a\r\nHost: b' }] }, 'invalid_parameters'],
    ['a mapping without a name', { source: 'USERS', data: [{ name: '', key: 'TIMESTAMP' }] }, 'invalid_parameters'],
  ] as const)('refuses %s', async (_what, input, name) => {
    expect(await create({ source: 'USERS', ...input })).toMatchObject(anError(name));
  });

  test.runIf(serves.webhookIssues)('names invalid fields as the request does', async () => {
    const data = [
      { name: 'ok', key: 'URL' },
      { name: '', key: 'IP' },
    ];
    const { issues, message } = await create({ source: 'EMAIL_TRACKING', data, headers: [{ key: '', value: '' }] });
    const paths = issues.map(({ path }: { path: string[] }) => path.join('.'));
    expect(paths).toContain('input.data.1.name');
    expect(paths).toContain('input.headers.0.key');
    expect(message).toContain('input.headers.0.key');
  });

  test('refuses accounts that are unknown, foreign or malformed', async () => {
    const mine = await workspace.account();
    const on = (...accountIds: string[]) => create({ source: 'USERS', accountIds });
    // Of a service, an account that nobody has told of is no unknown one, and its id has any form that a path can have.
    if (serves.workspaces) {
      const foreign = await (await served.workspace()).account();
      expect(await on(mine, 'A'.repeat(22))).toMatchObject(anError('resource_not_found'));
      expect(await on(foreign)).toMatchObject(anError('resource_not_found'));
    }
    expect(await on(mine, serves.workspaces ? 'nonsense' : '../x')).toMatchObject(
      anError('invalid_resource_identifier'),
    );
    const limited = await workspace.newKey({ accountIds: [mine] });
    const other = await workspace.account();
    for (const accountIds of [[other], [mine, other], null]) {
      const { data } = await graphql(served.address, limited, createDocument, {
        input: { requestUrl, source: 'USERS', accountIds },
      });
      expect(data.createWebhook).toMatchObject(anError('account_mismatch'));
    }
    const { data } = await graphql(served.address, limited, createDocument, {
      input: { requestUrl, source: 'USERS', accountIds: [mine] },
    });
    expect(data.createWebhook.__typename).toBe('WebhookCreated');
  });

  test('creates nothing when it fails', async () => {
    const mine = await served.emptyWorkspace();
    await createWebhook(mine, { requestUrl: 'x', source: 'USERS' });
    const { data } = await mine.ask(listDocument);
    expect(data.webhooks.nodes).toEqual([]);
  });
});
