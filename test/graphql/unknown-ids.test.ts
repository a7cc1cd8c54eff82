/**
 * Ids that lead to nothing the key can see: unknown, deleted, and those of another workspace. Each is told at once, by null, by an
 * empty list or by an error; nothing waits for what can never come.
 */
import { randomBytes } from 'node:crypto';
import { GraphQLID, getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { globalId, type IdKind, idArguments } from '../../src/graphql/kit/global-ids.ts';
import { maxByIds } from '../../src/graphql/kit/node.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type SeededWorkspace, seeded } from '../support/backends.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { fields } from '../support/hostile-inputs.ts';
import { schema } from '../support/schema.ts';

const subscriptions = Object.values(schema.getSubscriptionType()?.getFields() ?? {});

/** Every subscription with an argument of ids. */
const watching = subscriptions.flatMap(({ name, args }) =>
  args
    .filter(({ type }) => getNamedType(type) === GraphQLID)
    .map((arg) => ({ name, argument: arg.name, type: arg.type })),
);

/** Every place for an id in the root fields and inputs of queries and mutations. */
const reading = fields.flatMap((field) =>
  field.places.flatMap((place) => {
    const name = /(\w+)(?:\[\])*$/.exec(place.name)?.[1] ?? '';
    const kind = place.kind === 'value' && Object.hasOwn(idArguments, name) ? idArguments[name] : undefined;
    return kind === undefined ? [] : [{ field: field.name, document: field.document, place, kind }];
  }),
);

let gateway: Gateway;
let workspace: SeededWorkspace;
let other: SeededWorkspace;
/** Ids of each kind of object, by why they lead to nothing. */
let ids: Record<'unknown' | 'deleted' | 'of another workspace', Record<IdKind, string>>;

async function madeIn(space: SeededWorkspace): Promise<Record<IdKind, string>> {
  const Account = await space.account();
  const Job = await space.draft({ accountId: Account });
  return { Account, Job, Webhook: await space.webhook(), Delivery: newId(randomBytes) };
}

beforeAll(async () => {
  gateway = await startGateway({ environment: { RATE_LIMIT: '0' } });
  const { workspace: newWorkspace } = seeded(gateway, gateway.address);
  [workspace, other] = [await newWorkspace(), await newWorkspace()];
  const deleted = await madeIn(workspace);
  await workspace.ask('mutation ($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { __typename } }', {
    input: { webhookId: deleted.Webhook },
  });
  const unknown = { Account: newId(randomBytes), Job: '1', Webhook: newId(randomBytes), Delivery: newId(randomBytes) };
  // Only webhooks can be deleted by their callers.
  ids = {
    unknown,
    deleted: { ...unknown, Webhook: deleted.Webhook ?? '' },
    'of another workspace': await madeIn(other),
  };
});
afterAll(() => gateway.close());

const reasons = ['unknown', 'deleted', 'of another workspace'] as const;

describe.each(reasons)('an id that is %s', (reason) => {
  test.each(watching)('is refused by $name', async ({ name, argument, type }) => {
    const kind = idArguments[argument];
    if (kind === undefined) throw new Error(`${argument} is of no kind`);
    for (const id of [ids[reason][kind] ?? '', globalId(kind, ids[reason][kind] ?? '')]) {
      const response = await fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'x-api-key': workspace.key, 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({
          query: `subscription ($ids: ${type}) { ${name}(${argument}: $ids) { __typename } }`,
          variables: { ids: [id] },
        }),
        signal: AbortSignal.timeout(5_000),
      });
      // An endless stream would end in the timeout.
      const text = await response.text();
      expect(text, name).toContain('RESOURCE_NOT_FOUND');
    }
  });

  test.each(reading)('leads to nothing in $field at $place.name', async ({ field, document, place, kind }) => {
    const { data, errors } = await workspace.ask(document, place.with(ids[reason][kind]) as Record<string, unknown>);
    const value = data?.[field] ?? null;
    const isError = errors.length > 0 || /Error$/.test(value?.__typename ?? '');
    expect(isError || value === null || /Connection$/.test(value.__typename), JSON.stringify(value)).toBe(true);
  });
});

test('every subscription with ids is among them', () => {
  expect(watching.map(({ name }) => name).sort()).toEqual([
    'accountUpdated',
    'deliveryUpdated',
    'eventReceived',
    'jobPostingUpdated',
  ]);
  expect(reading.length).toBeGreaterThan(15);
  expect(isObjectType(schema.getSubscriptionType())).toBe(true);
});

describe('node and nodes', () => {
  test('say of a raw id that it is no global id', async () => {
    const id = await workspace.webhook();
    const { data, errors } = await workspace.ask(
      'query ($id: ID!, $ids: [ID!]!) { node(id: $id) { id } nodes(ids: $ids) { id } }',
      { id, ids: [globalId('Webhook', id), id] },
    );
    expect(data).toEqual({ node: null, nodes: [{ id: globalId('Webhook', id) }, null] });
    expect(errors.map(({ path, extensions }) => [path, extensions.issues])).toEqual([
      [
        ['node'],
        [
          expect.objectContaining({
            path: ['id'],
            code: 'MALFORMED',
            message: expect.stringContaining('no global id'),
          }),
        ],
      ],
      [['nodes', 1], [expect.objectContaining({ path: ['ids', '1'], code: 'MALFORMED' })]],
    ]);
  });

  test('a list of 101 is read, and what is beyond the limit has its own error', async () => {
    const id = globalId('Webhook', await workspace.webhook());
    const read = (count: number) =>
      workspace.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: new Array(count).fill(id) });
    expect((await read(101)).data.nodes).toEqual(new Array(101).fill({ id }));
    const { data, errors } = await read(maxByIds + 2);
    expect(data.nodes.filter((each: unknown) => each !== null)).toHaveLength(maxByIds);
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [['nodes', maxByIds], 'LIMIT_TOO_HIGH'],
      [['nodes', maxByIds + 1], 'LIMIT_TOO_HIGH'],
    ]);
  });
});

test.each([
  ['{ viewer { name } }', 'Missing', 'No operation has the name Missing. The document has (unnamed).'],
  ['query A { __typename } query B { __typename }', 'C', 'No operation has the name C. The document has A, B.'],
  [
    'query A { __typename } query B { __typename }',
    null,
    'operationName must be the name of an operation. The document has A, B.',
  ],
  ['fragment F on Query { __typename }', null, 'The document has no operation.'],
])('%s has no operation %s: the refusal names those that it has', async (query, operationName, message) => {
  const response = await fetch(`${gateway.address}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': workspace.key, 'content-type': 'application/json' },
    body: JSON.stringify({ query, operationName }),
  });
  expect(await response.json()).toMatchObject({ errors: [{ message, extensions: { code: 'MALFORMED_REQUEST' } }] });
});
