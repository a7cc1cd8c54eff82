/** Lists of webhooks by what the caller may see: who gets the bytes of the service, and who gets what resolvers make. */
import { describe, expect, test } from 'vitest';
import type { Scope } from '../../src/kernel/caller.ts';
import { json, proxyTo, startStub, webhook } from '../support/stub.ts';
import { requestLine, sendTo } from './both-ways.ts';

interface Key {
  readonly scopes?: readonly Scope[];
  readonly accountIds?: readonly string[];
}

const secret = { headers: [{ key: 'authorization', value: 'a secret' }] };
const of = (...ids: string[]) => ({ account_ids: ids.map((id) => ({ id, type: 'PNET' })) });

/** What a gateway that compiles sends, and one that does not, to a key of its own; and what the service was asked. */
async function ask(query: string, items: readonly unknown[], key: Key = {}) {
  const stub = await startStub((_request, response) =>
    json(response, 200, { object: 'WebhookList', items, cursor: null }),
  );
  const ways = await Promise.all(
    ['on', 'off'].map(async (compiled) => {
      const environment = { UPSTREAM_API_KEY: 'our-key', COMPILED_OPERATIONS: compiled };
      const gateway = await proxyTo(stub, { environment });
      const workspace = await gateway.workspace();
      return { gateway, key: await workspace.newKey(key) };
    }),
  );
  const served = [];
  for (const { gateway, key } of ways) {
    const [before, lines] = [stub.received.length, gateway.log.length];
    const { status, body } = await sendTo(gateway, { headers: { 'x-api-key': key }, body: { query } });
    const { compiled } = await requestLine(gateway, lines);
    served.push({ status, body, compiled, calls: stub.received.slice(before).map(({ path }) => path) });
  }
  const [on, off] = served;
  if (on === undefined || off === undefined) throw new Error('Two gateways were asked');
  expect({ ...on, compiled: off.compiled }).toEqual(off);
  return { ...on, data: JSON.parse(on.body).data };
}

const values = '{ webhooks(first: 3) { nodes { webhookId headers { key value } accounts { accountId } } } }';
const firstThree = ['/v1/webhooks?limit=3'];

describe('a caller who sees all', () => {
  test('gets the bytes', async () => {
    const { compiled, calls, data } = await ask(values, [webhook('w', secret)]);
    expect({ compiled, calls }).toEqual({ compiled: 'yes', calls: firstThree });
    expect(data.webhooks.nodes[0].headers).toEqual(secret.headers);
  });

  test('has several lists of one page', async () => {
    const lists = [1, 3, 2].map((first) => `as${first}: webhooks(first: ${first}) { nodes { id } }`);
    const { compiled, calls } = await ask(`{ ${lists.join(' ')} }`, [webhook('w1'), webhook('w2'), webhook('w3')]);
    expect({ compiled, calls }).toEqual({ compiled: 'yes', calls: firstThree });
  });

  test.each([
    ['no object', 'a text'],
    ['null', null],
    ['another object', webhook('w', { object: 'Account' })],
    ['no id', webhook('w', { id: undefined })],
    ['headers that are no list', webhook('w', { headers: {} })],
    ['an account without an id', webhook('w', { account_ids: [{}] })],
    ['no accounts', webhook('w', { account_ids: null })],
  ])('has what graphql-js makes of an item with %s, and its page is not read again', async (_what, item) => {
    const { compiled, calls } = await ask(values, [webhook('first'), item]);
    expect(compiled).toMatch(/^(?:missing|not_expected)$/);
    expect(calls).toEqual(firstThree);
  });
});

test('header values are for keys that may write webhooks', async () => {
  const reader = { scopes: ['webhooks:read'] } as const;
  const shown = await ask(values, [webhook('w', secret)], reader);
  expect(shown.compiled).toBe('no webhooks:write');
  expect(shown.calls).toEqual(firstThree);
  expect(shown.body).not.toContain('a secret');
  const keys = await ask('{ webhooks { nodes { headers { key } } } }', [webhook('w', secret)], reader);
  expect(keys.compiled).toBe('yes');
  expect(keys.data.webhooks.nodes).toEqual([{ headers: [{ key: 'authorization' }] }]);
});

test('a key that is limited to accounts gets what it may see', async () => {
  const items = [
    webhook('own', of('own')),
    webhook('shared', { ...secret, ...of('own', 'other') }),
    webhook('x', of('x')),
  ];
  const { compiled, calls, data, body } = await ask(values, items, { accountIds: ['own'] });
  expect(compiled).toBe('a key that is limited to accounts');
  expect(calls).toHaveLength(1);
  expect(data.webhooks.nodes.map(({ webhookId }: { webhookId: string }) => webhookId)).toEqual(['own', 'shared']);
  expect(body).not.toContain('a secret');
});

test('a key without the scope to read webhooks is refused', async () => {
  const { compiled, calls } = await ask(values, [webhook('w')], { scopes: ['posts:read'] });
  expect({ compiled, calls }).toEqual({ compiled: 'no webhooks:write', calls: [] });
});
