/** The webhook registry over GraphQL: both kinds, their list, and making and deleting them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorName, errorTable } from '../../src/errors.ts';
import { type WebhookSource, webhookSourceNames, webhookSources } from '../../src/events/sources.ts';
import { limits } from '../../src/validation.ts';
import { triggerContexts, triggerIcons, webhookLimits } from '../../src/webhooks/shapes.ts';
import { backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';

const failure = `... on ServiceError { type status title detail instance message }
  ... on InvalidRequestError { issues { path message } }`;
const webhookFields = `__typename id webhookId name enabled requestUrl format
  accounts { accountId name type } headers { key value } data { name key } events
  ... on AutoWebhook { source } ... on TriggerWebhook { trigger { name icon context } }`;
const createDocument = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
  __typename ... on WebhookCreated { webhookId webhook { ${webhookFields} } } ${failure} } }`;
const deleteDocument = `mutation ($id: ID!) { deleteWebhook(input: { webhookId: $id }) {
  __typename ... on WebhookDeleted { webhookId deletedId } ${failure} } }`;
const listDocument = `query ($first: Int! = 100, $after: String) { webhooks(first: $first, after: $after) {
  edges { cursor node { webhookId } } nodes { webhookId } pageInfo { hasNextPage hasPreviousPage endCursor } } }`;

/** The field of the one-of that stands for a source: `accountStatus` for `account_status`. */
const fieldOf = (source: WebhookSource) => source.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const typeOfFamily: Readonly<Record<string, string>> = {
  request: 'InvalidRequestError',
  not_found: 'NotFoundError',
  account: 'AccountError',
};
const anError = (name: ErrorName) => ({
  __typename: typeOfFamily[errorTable[name].family],
  type: `errors/${name}`,
  status: errorTable[name].status,
  title: errorTable[name].title,
});

const requestUrl = 'https://hooks.example/in';

describe.each(backends)('webhooks, $name backend', ({ start, serves }) => {
  let served: Served;
  let workspace: SeededWorkspace;

  beforeAll(async () => {
    served = await start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  async function create(input: Record<string, unknown>, by = workspace) {
    const { data, errors } = await by.ask(createDocument, { input: { requestUrl, ...input } });
    expect(errors).toEqual([]);
    return data.createWebhook;
  }
  async function remove(id: string, by = workspace) {
    const { data, errors } = await by.ask(deleteDocument, { id });
    expect(errors).toEqual([]);
    return data.deleteWebhook;
  }
  const read = async (id: string, by = workspace) =>
    (await by.ask(`query ($id: ID!) { webhook(webhookId: $id) { ${webhookFields} } }`, { id })).data.webhook;
  const refusal = async (input: Record<string, unknown>) => {
    const { data, errors } = await workspace.ask(createDocument, { input: { requestUrl, ...input } });
    expect(data).toBeNull();
    expect(errors).not.toEqual([]);
    return errors.map(({ message }) => message).join('\n');
  };

  describe('createWebhook', () => {
    test.each(webhookSourceNames)('of the source %s, with every event and every key', async (source) => {
      const { events, keys } = webhookSources[source];
      const data = keys.map((key) => ({ name: `my_${key}`, key: key.toUpperCase() }));
      const answer = await create({
        source: {
          [fieldOf(source)]: {
            events: events.map((event) => event.toUpperCase()),
            ...(keys.length === 0 ? {} : { data }),
          },
        },
      });
      expect(answer).toMatchObject({
        __typename: 'WebhookCreated',
        webhook: {
          __typename: 'AutoWebhook',
          webhookId: answer.webhookId,
          source: source.toUpperCase(),
          events: events.map((event) => event.toUpperCase()),
          data,
        },
      });
      expect(await read(answer.webhookId)).toEqual(answer.webhook);
    });

    test.each(webhookSourceNames)('of the source %s, one event and one key at a time', async (source) => {
      const { events, keys } = webhookSources[source];
      for (const event of events) {
        const { webhook } = await create({ source: { [fieldOf(source)]: { events: [event.toUpperCase()] } } });
        expect(webhook).toMatchObject({ source: source.toUpperCase(), events: [event.toUpperCase()] });
      }
      for (const key of keys) {
        const data = [{ name: 'x', key: key.toUpperCase() }];
        const { webhook } = await create({ source: { [fieldOf(source)]: { data } } });
        expect(webhook.data).toEqual(data);
      }
    });

    test.each(webhookSourceNames)('of the source %s has defaults', async (source) => {
      const { events, keys } = webhookSources[source];
      const { webhook } = await create({ source: { [fieldOf(source)]: {} } });
      expect(webhook).toMatchObject({
        name: null,
        enabled: true,
        requestUrl,
        format: 'JSON',
        accounts: [],
        headers: [],
        data: keys.map((key) => ({ name: key, key: key.toUpperCase() })),
        events: events.map((event) => event.toUpperCase()),
      });
    });

    test.each(webhookSourceNames)('of the source %s takes no event or key of another', async (source) => {
      for (const other of webhookSourceNames) {
        if (other === source) continue;
        for (const event of webhookSources[other].events) {
          expect(await refusal({ source: { [fieldOf(source)]: { events: [event.toUpperCase()] } } })).toMatch(
            event.toUpperCase(),
          );
        }
        const foreign = webhookSources[other].keys.filter(
          (key) => !(webhookSources[source].keys as readonly string[]).includes(key),
        );
        for (const key of foreign.slice(0, 3)) {
          const data = [{ name: 'x', key: key.toUpperCase() }];
          await refusal({ source: { [fieldOf(source)]: { data } } });
        }
      }
    });

    test('keeps every field', async () => {
      const accountId = await workspace.account({ name: 'Mine' });
      const { webhook } = await create({
        name: 'Everything',
        format: 'FORM',
        enabled: false,
        accountIds: [accountId, accountId],
        headers: [
          { key: 'X-One', value: '1' },
          { key: 'X-Two', value: '' },
        ],
        source: { users: { events: ['NEW_RELATION', 'NEW_RELATION'], data: [] } },
      });
      expect(webhook).toMatchObject({
        name: 'Everything',
        format: 'FORM',
        enabled: false,
        accounts: [{ accountId, name: 'Mine', type: 'PNET' }],
        headers: [
          { key: 'X-One', value: '1' },
          { key: 'X-Two', value: '' },
        ],
        events: ['NEW_RELATION'],
      });
    });

    test('takes null for what can be left out', async () => {
      const nulls = { name: null, format: null, enabled: null, accountIds: null, headers: null };
      const { webhook } = await create({ ...nulls, source: { users: { events: null, data: null } } });
      expect(webhook).toMatchObject({ name: null, format: 'JSON', enabled: true, accounts: [], headers: [] });
      expect(webhook.events).toEqual(['NEW_RELATION']);
    });

    test('takes exactly one source', async () => {
      for (const source of [{}, { users: {}, email: {} }, { users: null }, { users: {}, email: null }, null]) {
        await refusal({ source });
      }
      for (const literal of ['{}', '{ users: {}, email: {} }', '{ users: null }']) {
        const { data } = await workspace.ask(
          `mutation { createWebhook(input: { requestUrl: "${requestUrl}", source: ${literal} }) { __typename } }`,
        );
        expect(data).toBeNull();
      }
      await refusal({ source: { carrier_pigeon: {} } });
      expect(await refusal({ source: { accountStatus: { data: [] } } })).toMatch(/data/);
    });

    test('needs a requestUrl and a source', async () => {
      const document = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename } }';
      for (const input of [{ source: { users: {} } }, { requestUrl }]) {
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
      const answer = await create({ requestUrl: url, source: { users: {} } });
      expect(answer).toMatchObject(anError('invalid_url'));
      if (serves.issues) expect(answer.issues).toMatchObject([{ path: ['input', 'requestUrl'] }]);
    });

    test.each([
      ['a long address', { requestUrl: `https://hooks.example/${'x'.repeat(limits.url)}` }, 'too_many_characters'],
      ['a long name', { name: 'x'.repeat(limits.name + 1) }, 'too_many_characters'],
      ['a header without a name', { headers: [{ key: '', value: 'x' }] }, 'invalid_parameters'],
      ['a header that breaks the line', { headers: [{ key: 'X', value: 'a\r\nHost: b' }] }, 'invalid_parameters'],
      [
        'a mapping without a name',
        { source: { users: { data: [{ name: '', key: 'TIMESTAMP' }] } } },
        'invalid_parameters',
      ],
    ] as const)('refuses %s', async (_what, input, name) => {
      expect(await create({ source: { users: {} }, ...input })).toMatchObject(anError(name));
    });

    test.runIf(serves.issues)('names what is wrong in the words of the request', async () => {
      const source = {
        emailTracking: {
          data: [
            { name: 'ok', key: 'URL' },
            { name: '', key: 'IP' },
          ],
        },
      };
      const { issues, detail } = await create({ source, headers: [{ key: '', value: '' }] });
      const paths = issues.map(({ path }: { path: string[] }) => path.join('.'));
      expect(paths).toContain('input.source.emailTracking.data.1.name');
      expect(paths).toContain('input.headers.0.key');
      expect(detail).toContain('input.headers.0.key');
    });

    test('of accounts that are not there, not ours or malformed', async () => {
      const mine = await workspace.account();
      const foreign = await (await served.workspace()).account();
      const on = (...accountIds: string[]) => create({ source: { users: {} }, accountIds });
      expect(await on(mine, 'A'.repeat(22))).toMatchObject(anError('resource_not_found'));
      expect(await on(foreign)).toMatchObject(anError('resource_not_found'));
      expect(await on(mine, 'nonsense')).toMatchObject(anError('invalid_resource_identifier'));
      const limited = await workspace.newKey({ accountIds: [mine] });
      const other = await workspace.account();
      for (const accountIds of [[other], [mine, other], []]) {
        const { data } = await graphql(served.address, limited, createDocument, {
          input: { requestUrl, source: { users: {} }, accountIds },
        });
        expect(data.createWebhook).toMatchObject(anError('account_mismatch'));
      }
      const { data } = await graphql(served.address, limited, createDocument, {
        input: { requestUrl, source: { users: {} }, accountIds: [mine] },
      });
      expect(data.createWebhook.__typename).toBe('WebhookCreated');
    });

    test('a failure makes no webhook', async () => {
      const mine = await served.workspace();
      await create({ requestUrl: 'x', source: { users: {} } }, mine);
      const { data } = await mine.ask(listDocument);
      expect(data.webhooks.nodes).toEqual([]);
    });
  });

  describe('deleteWebhook', () => {
    test('deletes, and names the global id for caches', async () => {
      const { webhookId, webhook } = await create({ source: { users: {} } });
      const found = await workspace.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id: webhook.id });
      expect(found.data.node).toEqual({ __typename: 'AutoWebhook', id: webhook.id });
      expect(await remove(webhookId)).toEqual({ __typename: 'WebhookDeleted', webhookId, deletedId: webhook.id });
      const gone = await workspace.ask('query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }', {
        id: webhook.id,
      });
      expect(gone.data).toEqual({ node: null, nodes: [null] });
      expect(await read(webhookId)).toBeNull();
      expect(await remove(webhookId)).toMatchObject(anError('resource_not_found'));
    });

    test('a TRIGGER webhook too', async () => {
      const id = await workspace.webhook({ trigger: { icon: 'CableIcon', name: 'Go', context: 'CHAT' } });
      expect(await remove(id)).toMatchObject({ __typename: 'WebhookDeleted', webhookId: id });
    });

    test('many at once: one of them', async () => {
      const id = await workspace.webhook();
      const answers = await Promise.all(Array.from({ length: 8 }, () => remove(id)));
      expect(answers.filter(({ __typename }) => __typename === 'WebhookDeleted')).toHaveLength(1);
      expect(answers.filter(({ type }) => type === 'errors/resource_not_found')).toHaveLength(7);
    });

    test('of what is not there, not ours or malformed', async () => {
      const theirs = await (await served.workspace()).webhook();
      expect(await remove('A'.repeat(22))).toMatchObject(anError('resource_not_found'));
      expect(await remove(theirs)).toMatchObject(anError('resource_not_found'));
      expect(await remove('nonsense')).toMatchObject(anError('invalid_resource_identifier'));
      expect(await remove('A/../../x')).toMatchObject(anError('invalid_resource_identifier'));
    });
  });

  describe('webhooks', () => {
    test('lists AUTO and TRIGGER webhooks through the interface', async () => {
      const mine = await served.workspace();
      const accountId = await mine.account();
      const auto = await mine.webhook({ name: 'Auto', account_ids: JSON.stringify([accountId]) });
      const triggers = new Map<string, { icon: string; name: string; context: string }>();
      for (const [index, icon] of triggerIcons.entries()) {
        const trigger = { icon, name: `T ${icon}`, context: triggerContexts[index % 2] ?? 'CHAT' };
        triggers.set(await mine.webhook({ trigger }), trigger);
      }
      const { data, errors } = await mine.ask(`{ webhooks { nodes { ${webhookFields} } } }`);
      expect(errors).toEqual([]);
      const nodes = data.webhooks.nodes as { webhookId: string; __typename: string }[];
      expect(nodes).toHaveLength(1 + triggerIcons.length);
      for (const node of nodes) {
        const trigger = triggers.get(node.webhookId);
        if (trigger === undefined) {
          expect(node).toMatchObject({ __typename: 'AutoWebhook', webhookId: auto, source: 'USERS' });
          expect(node).toMatchObject({ name: 'Auto', accounts: [{ accountId, type: 'PNET' }] });
        } else expect(node).toMatchObject({ __typename: 'TriggerWebhook', trigger, events: [], data: [] });
      }
      expect((await mine.ask('{ webhooks { nodes { ... on TriggerWebhook { trigger { icon } } } } }')).errors).toEqual(
        [],
      );
    });

    test('shows words that it does not know as UNRECOGNIZED, and costs nothing else', async () => {
      const mine = await served.workspace();
      await mine.webhook({
        events: '["new_relation","somebody_waved"]',
        data: '[{"name":"a","key":"aura"},{"name":"b","key":"timestamp"}]',
        format: 'pigeon',
      });
      await mine.webhook({ trigger: { icon: 'RocketIcon' as 'CableIcon', name: 'x', context: 'CALL' as 'CHAT' } });
      const { data, errors } = await mine.ask(`{ webhooks { nodes { ${webhookFields} } } }`);
      expect(errors).toEqual([]);
      expect(
        data.webhooks.nodes.find((node: { __typename: string }) => node.__typename === 'AutoWebhook'),
      ).toMatchObject({
        events: ['NEW_RELATION', 'UNRECOGNIZED'],
        data: [
          { name: 'a', key: 'UNRECOGNIZED' },
          { name: 'b', key: 'TIMESTAMP' },
        ],
        format: 'UNRECOGNIZED',
      });
      expect(
        data.webhooks.nodes.find((node: { __typename: string }) => node.__typename === 'TriggerWebhook').trigger,
      ).toEqual({ name: 'x', icon: 'UNRECOGNIZED', context: 'UNRECOGNIZED' });
    });

    test('pages oldest first, 100 unless told otherwise, and nothing is lost or twice', async () => {
      const mine = await served.workspace();
      const started = served.clock.now;
      const made: string[] = [];
      for (let index = 0; index < 260; index += 1) {
        served.clock.now = new Date(started.getTime() + Math.floor(index / 3) * 1000);
        made.push(await mine.webhook());
      }
      served.clock.now = started;
      const pages = async (first?: number) => {
        const seen: string[] = [];
        const sizes: number[] = [];
        let after: string | null = null;
        for (;;) {
          const { data } = await mine.ask(listDocument, { ...(first === undefined ? {} : { first }), after });
          const { edges, nodes, pageInfo } = data.webhooks;
          expect(edges.map((edge: { node: unknown }) => edge.node)).toEqual(nodes);
          expect(pageInfo.hasPreviousPage).toBe(after !== null);
          seen.push(...nodes.map(({ webhookId }: { webhookId: string }) => webhookId));
          sizes.push(nodes.length);
          if (!pageInfo.hasNextPage) return { seen, sizes };
          after = pageInfo.endCursor;
        }
      };
      const { seen, sizes } = await pages();
      expect(sizes).toEqual([webhookLimits.limit.default, 100, 60]);
      expect([...seen].sort()).toEqual([...made].sort());
      // Those made at one moment have no order of their own, but a moment's come before the next one's.
      expect(seen.map((id) => Math.floor(made.indexOf(id) / 3))).toEqual(made.map((_, index) => Math.floor(index / 3)));
      expect((await pages(webhookLimits.limit.max)).sizes).toEqual([250, 10]);
      for (const first of [26, 130, 249]) expect((await pages(first)).seen).toEqual(seen);
      const { data } = await mine.ask(listDocument, { first: 60 });
      for (const [index, { cursor }] of data.webhooks.edges.entries()) {
        const next = await mine.ask(listDocument, { first: 2, after: cursor });
        expect(next.data.webhooks.nodes.map(({ webhookId }: { webhookId: string }) => webhookId)).toEqual(
          seen.slice(index + 1, index + 3),
        );
      }
    });

    test.each([
      [0, 'invalid_parameters'],
      [-1, 'invalid_parameters'],
      [251, 'limit_too_high'],
      [2 ** 31 - 1, 'limit_too_high'],
    ] as const)('first: %i is %s', async (first, name) => {
      const { data, errors } = await workspace.ask(listDocument, { first });
      expect(data).toBeNull();
      const { status, title } = errorTable[name];
      expect(errors).toMatchObject([
        { path: ['webhooks'], extensions: { type: `errors/${name}`, status, title, issues: [{ path: ['first'] }] } },
      ]);
    });

    test('refuses cursors of other lists, and forged ones', async () => {
      const [mine, other] = [await served.workspace(), await served.workspace()];
      await mine.webhook();
      await other.webhook();
      const { data } = await other.ask(listDocument);
      for (const after of [data.webhooks.edges[0].cursor, '', 'x', 'eyJhIjoxfQ']) {
        const { errors } = await mine.ask(listDocument, { after });
        expect(errors).toMatchObject([
          { extensions: { type: 'errors/invalid_parameters', issues: [{ path: ['after'] }] } },
        ]);
      }
    });
  });
});
