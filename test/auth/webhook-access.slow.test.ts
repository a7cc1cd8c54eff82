/**
 * What API keys that are limited to accounts can do with webhooks and deliveries: every root field of the schema and
 * every endpoint that leads to one, for each kind of key and of webhook, from one table of outcomes. A new mutation is
 * tried without anything being added here: it must refuse as all others do.
 */
import { getNamedType, isAbstractType, isInterfaceType, isObjectType } from 'graphql';
import { createClient } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as deliveryOperations from '../../src/capabilities/deliveries/operations.ts';
import * as webhookOperations from '../../src/capabilities/webhooks/operations.ts';
import { globalId } from '../../src/graphql/kit/global-ids.ts';
import type { Access } from '../../src/kernel/caller.ts';
import type { AnyOperation } from '../../src/kernel/operation.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import type { Database } from '../../src/store/database.ts';
import type { Tables } from '../../src/store/schema.ts';
import { graphql } from '../support/gateway.ts';
import { documentOf, type Named, rootFields } from '../support/operations.ts';
import { rest } from '../support/rest.ts';
import { schema } from '../support/schema.ts';
import { wholeSelection } from '../support/selection.ts';
import {
  accessTable,
  type KeyName,
  keyNames,
  type Stage,
  secrets,
  stages,
  type WebhookName,
  webhookNames,
} from '../support/webhook-access.ts';

/** The lists of an account, which much leads to. That of its webhooks has a case of its own. */
const listsOfAccounts = ['Account.webhooks', 'Account.jobPostings'];

/** Whether a field of this type can lead to a webhook or a delivery, other than through an account. */
function leadsThere(typeName: string, seen = new Set<string>()): boolean {
  if (['Webhook', 'Delivery'].includes(typeName)) return true;
  if (typeName === 'Account') return false;
  const type = schema.getType(typeName);
  if (type === undefined || seen.has(typeName)) return false;
  seen.add(typeName);
  const next = isAbstractType(type) ? schema.getPossibleTypes(type).map(({ name }) => name) : [];
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  return [...next, ...fields.map((field) => getNamedType(field.type).name)].some((name) => leadsThere(name, seen));
}

const typeOfField = (field: string): string => {
  const [root = '', name = ''] = field.split('.');
  const type = schema.getType(root);
  const found = isObjectType(type) ? type.getFields()[name] : undefined;
  if (found === undefined) throw new Error(`The schema has no field ${field}`);
  return getNamedType(found.type).name;
};

const concerned = rootFields()
  .map(({ field }) => field)
  .filter((field) => leadsThere(typeOfField(field)) || /[Ww]ebhook|[Dd]eliver/.test(field));

/** Small pages, so that the nested lists stay below the limit of cost. */
const whole = (type: string, additions: boolean) =>
  wholeSelection(
    type,
    additions
      ? listsOfAccounts
      : ['deliveries', 'health', 'statistics', 'backlog', 'receivesNotices']
          .map((field) => `Webhook.${field}`)
          .concat('WebhookAccount.account', listsOfAccounts),
  ).replaceAll(/\b(deliveries|attempts) (?=\{ __typename (?:edges|nodes|pageInfo) )/g, '$1(first: 3) ');

type Read = (named: Named, additions: boolean) => string;
const node = (kind: 'Webhook' | 'Delivery', id: string) => JSON.stringify(globalId(kind, id));

/** Reads of a webhook; the answer names it. */
const webhookReads: Readonly<Record<string, Read>> = {
  'Query.webhook': ({ webhookId }, all) => `{ webhook(webhookId: "${webhookId}") ${whole('Webhook', all)} }`,
  'Query.webhooks': () => `{ webhooks(first: 100) { edges { cursor } nodes ${whole('Webhook', false)} } }`,
  'Query.node': ({ webhookId }, all) =>
    `{ node(id: ${node('Webhook', webhookId)}) { ... on Webhook ${whole('Webhook', all)} } }`,
  'Query.nodes': ({ webhookId }, all) =>
    `{ nodes(ids: [${node('Webhook', webhookId)}]) { ... on Webhook ${whole('Webhook', all)} } }`,
};
/** The same through the accounts of the key, which are an addition to the contract. */
const readsThroughAccounts: Readonly<Record<string, Read>> = {
  'Account.webhooks': () =>
    `{ accounts(first: 5) { nodes { webhooks(first: 50) { nodes ${whole('Webhook', false)} } } } }`,
};
const oneDelivery = `{ ...D } } fragment D on Delivery ${whole('Delivery', true)}`;
/** Reads of a delivery for an event of the first account. */
const deliveryReads: Readonly<Record<string, Read>> = {
  'Query.delivery': ({ deliveryId }) => `{ delivery(deliveryId: "${deliveryId}") ${oneDelivery}`,
  'Query.node of a delivery': ({ deliveryId }) => `{ node(id: ${node('Delivery', deliveryId)}) ${oneDelivery}`,
};
const deliveryLists = ['Query.deliveries'];
/** An event of an account of the key goes to every webhook that listens to it, whoever manages it. */
const emissions = ['Mutation.emitEvent'];
const creations = ['Mutation.createWebhook', 'Mutation.createTriggerWebhook'];
const sending = ['fireTriggerWebhook', 'sendTestEvent', 'redeliverDelivery', 'redeliverWebhookDeliveries'];
const servedByUpstream = ['Mutation.createWebhook', 'Mutation.deleteWebhook'];

/** Everything else is a command that names a webhook, or a delivery of one. */
const commands = concerned.filter(
  (field) => ![...Object.keys(webhookReads), 'Query.delivery', ...deliveryLists, ...emissions].includes(field),
);

/** The endpoints that serve operations of webhooks and deliveries. */
const operations: readonly unknown[] = [...Object.values(webhookOperations), ...Object.values(deliveryOperations)];
const isConcerned = ({ operation }: { readonly operation: AnyOperation<object> }) => operations.includes(operation);

test('there is a case for everything that leads to a webhook or a delivery', () => {
  expect(commands.filter((field) => !field.startsWith('Mutation.'))).toEqual([]);
  expect(commands.length).toBeGreaterThanOrEqual(10);
  for (const field of [...Object.keys(webhookReads), ...deliveryLists, ...emissions, ...creations])
    expect(concerned).toContain(field);
  // The other subscriptions are of what has its own account: see graphql/watch-rows.test.ts, deliveries/account-events.test.ts.
  const subscriptions = Object.keys(schema.getSubscriptionType()?.getFields() ?? {});
  expect(subscriptions.sort()).toEqual(['accountUpdated', 'deliveryUpdated', 'eventReceived', 'jobPostingUpdated']);
  expect(endpoints.filter(isConcerned).map(({ name }) => name)).toEqual(['WHLIST', 'WHCREATE', 'WHDEL']);
});

const documentFor = (field: string, named: Named, listened: readonly string[]): string => {
  const document = documentOf(field, named);
  return creations.includes(field)
    ? document.replace(/accountIds: \[.*?\]/, `accountIds: ${JSON.stringify(listened.length === 0 ? null : listened)}`)
    : document;
};

const sortedRows = async (database: Database, table: keyof Tables): Promise<string[]> =>
  (await database.selectFrom(table).selectAll().execute()).map((row) => JSON.stringify(row)).sort();

describe.each(stages)('on $name', ({ start, additions }) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await start();
  });
  afterEach(() => stage.clear());
  afterAll(() => stage.close());

  const ask = (key: KeyName, document: string) => graphql(stage.address, stage.keys[key], document);
  const stateOf = () =>
    Promise.all(
      (['webhooks', 'webhook_destinations', 'deliveries', 'events'] as const).map((table) =>
        sortedRows(stage.database, table),
      ),
    );

  /** What no answer to the key may contain: ids, names and data of accounts that are not its own. */
  function expectNoStranger(key: KeyName, text: string): void {
    const own = stage.limits[key];
    for (const [name, id] of Object.entries(stage.accounts)) {
      if (own === null || own.includes(id)) continue;
      expect(text).not.toContain(id);
      expect(text).not.toContain(`Name of account ${name}`);
    }
  }

  function expectShown(key: KeyName, access: Access, text: string, webhookId: string): void {
    expectNoStranger(key, text);
    if (access === 'none') expect(text).not.toContain(webhookId);
    else expect(text).toContain(webhookId);
    if (access === 'manage') {
      expect(text).toContain('https://hooks.example/path-secret?token=query-secret');
      expect(text).toContain('header-secret');
    } else {
      for (const secret of secrets) expect(text).not.toContain(secret);
      if (access === 'see') expect(text).toContain('https://hooks.example/********');
    }
  }

  /** The part of an answer that is about one webhook; a list has others. */
  function partOf(value: unknown, webhookId: string): unknown {
    if (typeof value !== 'object' || value === null) return null;
    if (
      !Array.isArray(value) &&
      [(value as { id?: unknown }).id, (value as { webhookId?: unknown }).webhookId].includes(webhookId)
    )
      return value;
    for (const each of Object.values(value)) {
      const part = partOf(each, webhookId);
      if (part !== null) return part;
    }
    return null;
  }

  const pairs = keyNames.flatMap((key) => webhookNames.map((webhook): [KeyName, WebhookName] => [key, webhook]));

  test.each(pairs)('a key %s, and a webhook of %s: it reads what it may', async (key, webhook) => {
    const access = accessTable[key][webhook];
    const named = await stage.furnish(webhook);
    const reads = { ...webhookReads, ...(additions ? readsThroughAccounts : {}) };
    for (const [field, document] of Object.entries(reads)) {
      const { data, errors } = await ask(key, document(named, additions));
      expect({ field, errors }).toEqual({ field, errors: [] });
      const part = JSON.stringify(partOf(data, named.webhookId)) ?? 'null';
      expectShown(key, access, part, named.webhookId);
      expectNoStranger(key, JSON.stringify(data));
      if (additions && access === 'manage' && !/webhooks$/.test(field))
        expect(part).toMatch(/response-secret.*answer-secret/s);
    }
    const list = await rest(stage.address, stage.keys[key], 'GET', '/v1/webhooks?limit=250');
    expect(list.status).toBe(200);
    expectShown(key, access, JSON.stringify(partOf(list.body, named.webhookId)), named.webhookId);
    expectNoStranger(key, list.text);
    if (!additions) return;
    const isOwn = stage.limits[key]?.includes(stage.accounts.a) ?? true;
    for (const [field, document] of Object.entries(deliveryReads)) {
      const { data, errors } = await ask(key, document(named, additions));
      expect({ field, errors }).toEqual({ field, errors: [] });
      expectShown(key, isOwn ? access : 'none', JSON.stringify(data), named.webhookId);
    }
    for (const args of [`first: 3, webhookId: "${named.webhookId}"`, 'first: 250']) {
      const selection = args.includes('webhookId') ? '...D' : 'deliveryId webhookId accountId data';
      const fragment = selection === '...D' ? `fragment D on Delivery ${whole('Delivery', true)}` : '';
      const { data, errors } = await ask(key, `{ deliveries(${args}) { nodes { ${selection} } } } ${fragment}`);
      expect({ args, errors }).toEqual({ args, errors: [] });
      expectNoStranger(key, JSON.stringify(data));
      if (fragment === '') continue;
      const nodes: { deliveryId: string }[] = data.deliveries.nodes;
      const part = JSON.stringify(nodes.filter(({ deliveryId }) => deliveryId === named.deliveryId));
      expectShown(key, isOwn ? access : 'none', part, named.webhookId);
    }
    for (const field of emissions) {
      const accountId = stage.limits[key]?.[0] ?? stage.accounts.a;
      const emit = documentOf(field, { ...named, accountId }).replace(
        /deliveries \{.*?\}/,
        `deliveries ${whole('Delivery', false)}`,
      );
      const { data, errors } = await ask(key, emit);
      expect({ field, errors }).toEqual({ field, errors: [] });
      const part = JSON.stringify(partOf(data, named.webhookId)) ?? 'null';
      expectNoStranger(key, JSON.stringify(data));
      if (access !== 'manage') for (const secret of secrets) expect(part).not.toContain(secret);
    }
  });

  test.each(pairs)('a key %s, and a webhook of %s: it changes what it may', async (key, webhook) => {
    const isManaged = accessTable[key][webhook] === 'manage';
    for (const field of commands.filter((each) => additions || servedByUpstream.includes(each))) {
      const named = await stage.furnish(webhook);
      const before = await stateOf();
      const { data, errors } = await ask(key, documentFor(field, named, stage.listened[webhook]));
      const name = field.split('.')[1] as string;
      const failure = data?.[name]?.code === undefined ? errors[0]?.extensions : data[name];
      const outcome = { field, code: failure?.code ?? 'none', status: failure?.status ?? 200 };
      expectNoStranger(key, JSON.stringify({ errors, data }));
      if (!isManaged) {
        expect(outcome).toEqual({ field, code: 'ACCOUNT_MISMATCH', status: 403 });
        expect(await stateOf()).toEqual(before);
      } else if (sending.includes(name)) {
        expect([field, failure?.message]).toEqual([field, 'The webhook is disabled: enable it first.']);
      } else {
        expect(outcome).toEqual({ field, code: 'none', status: 200 });
      }
    }
    const refused = { status: 403, type: 'errors/account_mismatch' };
    const { webhookId } = await stage.furnish(webhook);
    const body = {
      source: 'users',
      request_url: 'https://hooks.example/',
      enabled: false,
      account_ids: stage.listened[webhook],
    };
    const requests = [
      ['POST', '/v1/webhooks', { body, headers: { 'idempotency-key': webhookId } }, 201],
      ['DELETE', `/v1/webhooks/${webhookId}`, {}, 200],
    ] as const;
    for (const [method, path, options, status] of requests) {
      const answer = await rest(stage.address, stage.keys[key], method, path, options);
      expect({ ...answer.body, status: answer.status }).toMatchObject(isManaged ? { status } : refused);
      expectNoStranger(key, answer.text);
    }
    // An idempotency key that another API key has used is as good as a new one, and nothing of its answer is told.
    if (!isManaged) {
      const options = { body, headers: { 'idempotency-key': `${webhookId} of all` } };
      expect((await rest(stage.address, stage.keys.unlimited, 'POST', '/v1/webhooks', options)).status).toBe(201);
      const replayed = await rest(stage.address, stage.keys[key], 'POST', '/v1/webhooks', options);
      expect({ ...replayed.body, status: replayed.status }).toMatchObject(refused);
      expect(replayed.body.webhook_id).toBeUndefined();
    }
  });

  test.each(keyNames)('a key %s pages through what it sees, and resumes after any edge', async (key) => {
    for (const webhook of [...webhookNames, ...webhookNames]) await stage.furnish(webhook);
    const page = async (first: number, after: string | null) => {
      const args = `first: ${first}${after === null ? '' : `, after: "${after}"`}`;
      const list = `webhooks(${args}) { edges { cursor node { webhookId } } pageInfo { hasNextPage endCursor } }`;
      const { data, errors } = await ask(key, `{ ${list} }`);
      expect(errors).toEqual([]);
      return data.webhooks as {
        edges: { cursor: string; node: { webhookId: string } }[];
        pageInfo: { hasNextPage: boolean; endCursor: string | null };
      };
    };
    const all: { id: string; cursor: string }[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { edges, pageInfo } = await page(5, after);
      all.push(...edges.map(({ cursor, node }) => ({ id: node.webhookId, cursor })));
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    const rows = await stage.database.selectFrom('webhooks').select(['id', 'account_ids']).execute();
    const isSeen = (ids: string[]) => ids.length === 0 || ids.some((id) => stage.limits[key]?.includes(id) ?? true);
    const visible = rows.filter(({ account_ids }) => isSeen(JSON.parse(account_ids)));
    expect(all.map(({ id }) => id).sort()).toEqual(visible.map(({ id }) => id).sort());
    for (const at of all.keys()) {
      const { edges } = await page(3, all[at]?.cursor ?? null);
      expect(edges.map(({ node }) => node.webhookId)).toEqual(all.slice(at + 1, at + 4).map(({ id }) => id));
    }
  });

  // An empty list is the contract's word for every account: it names none, and says why events of the key's own accounts
  // go there.
  test.each(keyNames)('a key %s sees over both faces that a webhook listens to all accounts', async (key) => {
    const { webhookId } = await stage.furnish('all');
    const list = '{ webhooks(first: 250) { nodes { webhookId accounts { accountId } } } }';
    const { data, errors } = await ask(key, list);
    expect(errors).toEqual([]);
    expect(data.webhooks.nodes).toContainEqual({ webhookId, accounts: null });
    const { body } = await rest(stage.address, stage.keys[key], 'GET', '/v1/webhooks?limit=250');
    expect(body.items).toContainEqual(expect.objectContaining({ id: webhookId, account_ids: [] }));
  });

  test.runIf(additions)('the accounts of a webhook cannot be widened beyond the key', async () => {
    const { a, b, c } = stage.accounts;
    const update = async (key: KeyName, webhookId: string, accountIds: readonly string[]) => {
      const input = `{ webhookId: "${webhookId}", accountIds: ${JSON.stringify(accountIds.length === 0 ? null : accountIds)} }`;
      const { data } = await ask(
        key,
        `mutation { updateWebhook(input: ${input}) { __typename ... on ServiceError { code } } }`,
      );
      return data.updateWebhook.code ?? data.updateWebhook.__typename;
    };
    const two = await stage.furnish('two');
    for (const wider of [[], [a, b, c], [c]]) {
      expect(await update('limited to the accounts', two.webhookId, wider)).toBe('ACCOUNT_MISMATCH');
    }
    expect(await update('limited to the accounts', two.webhookId, [a])).toBe('WebhookUpdated');
    expect(await update('limited to one of the accounts', two.webhookId, [])).toBe('ACCOUNT_MISMATCH');
    const all = await stage.furnish('all');
    expect(await update('limited to the accounts', all.webhookId, [a, b])).toBe('ACCOUNT_MISMATCH');
  });

  test.runIf(additions).each(keyNames)(
    'a key %s receives updates of the deliveries of its accounts only',
    async (key) => {
      for (const webhook of webhookNames) await stage.furnish(webhook);
      const named = await stage.furnish('one');
      const client = createClient({ url: `${stage.address}/graphql`, headers: { 'x-api-key': stage.keys[key] } });
      const seen = client.iterate({
        query: `subscription { deliveryUpdated { ...D } } fragment D on Delivery ${whole('Delivery', true)}`,
      });
      const ownId = stage.limits[key]?.[0] ?? stage.accounts.a;
      let done = false;
      const emitting = (async () => {
        // The events of others come first: the subscriber would be told of them before those of its own accounts.
        const accountIds = [...Object.values(stage.accounts).filter((id) => id !== ownId), ownId];
        while (!done) {
          for (const accountId of accountIds)
            await ask('unlimited', documentOf('Mutation.emitEvent', { ...named, accountId }));
        }
      })();
      const told: unknown[] = [];
      for await (const update of seen) {
        told.push(update);
        // More than one round of them.
        if (told.length >= 6 && JSON.stringify(update).includes(ownId)) break;
      }
      done = true;
      client.dispose();
      await emitting;
      const text = JSON.stringify(told);
      expect(text).toContain(ownId);
      expectNoStranger(key, text);
      if (key === 'limited to another account') for (const secret of secrets) expect(text).not.toContain(secret);
    },
  );
});
