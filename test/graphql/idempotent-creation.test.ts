/** Creation under an idempotency key: a double click makes one, whichever backend creates it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allBackends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { graphql } from '../support/gateway.ts';
import { schema } from '../support/schema.ts';

const url = 'https://hooks.example/once';
const creations = {
  createWebhook: { requestUrl: url, source: 'USERS' },
  createTriggerWebhook: { requestUrl: url, trigger: { name: 'Send', icon: 'WEBHOOK_ICON', context: 'CHAT' } },
  createJobDraft: { accountId: 'pnet', posting: { jobTitle: { text: 'Welder' } } },
} as const;
const names = Object.keys(creations) as (keyof typeof creations)[];

const documentOf = (name: string) => `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) {
  ${name}(input: $input) { __typename ... on ServiceError { code message } ... on InvalidRequestError { issues { path code } }
    ... on ${name === 'createJobDraft' ? 'PnetJobPostingCreated { id: jobId isRepeated }' : 'WebhookCreated { id: webhookId isRepeated }'} } }`;

test('every mutation that creates something by itself takes a key', () => {
  const creating = Object.values(schema.getMutationType()?.getFields() ?? {}).filter(({ name }) =>
    // A token is no row: a second one changes nothing that the first has made.
    /^create(?!AccessToken$)/.test(name),
  );
  expect(creating.map(({ name }) => name).sort()).toEqual([...names].sort());
});

describe.each(onOneDatabase(allBackends))('over the $name backend', ({ start, serves }) => {
  let served: Served;
  let workspace: SeededWorkspace;
  beforeAll(async () => {
    served = await start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  const inputOf = async (name: keyof typeof creations) => {
    const input = creations[name];
    return 'accountId' in input ? { ...input, accountId: await workspace.account() } : { ...input };
  };
  const offered = names.filter((name) => serves.drafts || name === 'createWebhook');

  test.each(offered)('%s creates one thing for one key', async (name) => {
    const input = { ...(await inputOf(name)), idempotencyKey: `${name}-1` };
    const create = (changes = {}) => workspace.ask(documentOf(name), { input: { ...input, ...changes } });
    const made = await Promise.all([create(), create(), create()]);
    const ids = made.map(({ data }) => data[name].id);
    expect(ids[0]).toEqual(expect.any(String));
    expect(new Set(ids).size).toBe(1);
    expect(made.filter(({ data }) => !data[name].isRepeated)).toHaveLength(1);
    expect((await create()).data[name]).toMatchObject({ id: ids[0], isRepeated: true });
    for (const idempotencyKey of [`${name}-2`, undefined]) {
      const { data } = await create({ idempotencyKey });
      expect(data[name].id).not.toBe(ids[0]);
      expect(data[name].isRepeated).toBe(false);
    }
  });

  test.each(offered)('%s refuses another request with the key, and a key that is none', async (name) => {
    const input = { ...(await inputOf(name)), idempotencyKey: `${name}-3` };
    const changed =
      name === 'createJobDraft'
        ? { posting: { jobTitle: { text: 'Welder' }, description: 'another' } }
        : { name: 'another' };
    await workspace.ask(documentOf(name), { input });
    const { data } = await workspace.ask(documentOf(name), { input: { ...input, ...changed } });
    expect(data[name]).toMatchObject({ __typename: 'InvalidRequestError', code: 'INVALID_PARAMETERS' });
    if (serves.webhookIssues)
      expect(data[name].issues).toEqual([{ path: ['input', 'idempotencyKey'], code: 'CONFLICTING' }]);
    for (const [idempotencyKey, code] of [
      ['', 'TOO_SHORT'],
      ['x'.repeat(256), 'TOO_LONG'],
    ] as const) {
      const refused = await workspace.ask(documentOf(name), { input: { ...input, idempotencyKey } });
      expect(refused.data[name].issues).toEqual([{ path: ['input', 'idempotencyKey'], code }]);
    }
  });

  test('a failure that changed nothing gives the key back', async () => {
    const input = { ...(await inputOf('createWebhook')), idempotencyKey: 'given-back' };
    const refused = await workspace.ask(documentOf('createWebhook'), { input: { ...input, requestUrl: 'nothing' } });
    expect(refused.data.createWebhook.code).toBe('INVALID_URL');
    expect((await workspace.ask(documentOf('createWebhook'), { input })).data.createWebhook.id).toEqual(
      expect.any(String),
    );
  });

  test('another API key has keys of its own', async () => {
    const other = await workspace.newKey();
    const input = { ...(await inputOf('createWebhook')), idempotencyKey: 'shared' };
    const ids = [];
    for (const key of [workspace.key, other]) {
      const { data } = await graphql(served.address, key, documentOf('createWebhook'), { input });
      ids.push(data.createWebhook.id);
    }
    expect(new Set(ids).size).toBe(2);
  });
});
