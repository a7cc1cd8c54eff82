/** Ids in arguments: raw and global ones name the same object, in every argument of every field. */
import {
  buildSchema,
  type GraphQLArgument,
  GraphQLID,
  type GraphQLInputField,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { globalId, idArguments, idPlacesOf, withRawIds } from '../../src/graphql/kit/global-ids.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { backends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { fieldOperations, furnish, type Named } from '../support/operations.ts';
import { outlined } from '../support/outlined.ts';
import { schema } from '../support/schema.ts';

/** Every argument and input field with ids, by its place. */
const idInputs: readonly (readonly [string, GraphQLArgument | GraphQLInputField])[] = Object.values(schema.getTypeMap())
  .flatMap((type) => {
    if (isInputObjectType(type))
      return Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const);
    if (!isObjectType(type) || type.name.startsWith('__')) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      field.args.map((arg) => [`${type.name}.${field.name}(${arg.name}:)`, arg] as const),
    );
  })
  .filter(([, { type }]) => getNamedType(type) === GraphQLID);

/** Ids of nodes, of which any is taken. */
const ofNodes = ['Query.node(id:)', 'Query.nodes(ids:)'];

test.each(idInputs)(
  '%s takes the ids of one kind of object, or its description says whose id it takes',
  (place, { name, description }) => {
    if (ofNodes.includes(place) || Object.hasOwn(idArguments, name)) return;
    expect(description).toMatch(
      /network|lookup|your own system|Id of the (project|message|chat)|Ids of (functions|industries|skills)/,
    );
  },
);

describe('withRawIds', () => {
  const field = buildSchema(`
    scalar JSON
    input Filter { webhookId: ID, accountIds: [ID!], filter: Filter, accountId: String }
    input Event { accountId: ID, accountIds: [ID], name: String, data: JSON, nested: [Filter] }
    type Query { list(accountId: ID, accountIds: [ID], jobId: ID, text: String, filter: Filter, input: Event, first: Int): Int }
  `)
    .getQueryType()
    ?.getFields().list;
  const places = idPlacesOf(field ?? { args: [] });
  const account = globalId('Account', 'a1');

  test.each([
    {},
    { accountId: 'a1' },
    { accountId: null, accountIds: null },
    { accountId: '' },
    { text: account },
    { input: { name: account, data: { accountId: account, jobId: [account] }, nested: [{ accountId: account }] } },
  ])('leaves %j as it is', (args) => {
    expect(withRawIds(args, places)).toBe(args);
  });

  test.each([
    'WyI',
    'WyJ',
    Buffer.from('["Account"]').toString('base64url'),
    globalId('Account', 'a1', 'more'),
    Buffer.from('["Account",1]').toString('base64url'),
  ])('leaves %j to the checks of raw ids, if it is no global id', (id) => {
    const parsed = JSON.stringify(withRawIds({ accountId: id }, places).accountId);
    expect(parsed).toBe(JSON.stringify(id));
  });

  test.each([
    [{ accountId: globalId('Webhook', 'w1') }, ['accountId'], 'Webhook'],
    [{ input: { accountIds: ['a1', globalId('Job', '7')] } }, ['input', 'accountIds', 1], 'Job'],
    [{ jobId: globalId('PnetPost', 'a1', 'x', 'p1') }, ['jobId'], 'PnetPost'],
    [{ jobId: Buffer.from(JSON.stringify(['X'.repeat(500), 'a'])).toString('base64url') }, ['jobId'], 'X'.repeat(99)],
  ])('refuses %j', (args, path, kind) => {
    try {
      withRawIds(args, places);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ errorName: 'invalid_parameters', issues: [{ path }] });
      expect((error as ServiceError).message).toContain(`not ${kind}`);
    }
  });
});

// An upstream has no drafts and no events to furnish a workspace with; what is before the ports is the same.
describe.each(onOneDatabase(backends.filter(({ serves }) => serves.drafts)))('$name', ({ start }) => {
  let served: Served;
  const workspaces: { readonly workspace: SeededWorkspace; readonly named: Named }[] = [];
  beforeAll(async () => {
    served = await start();
    for (let count = 0; count < 2; count += 1) {
      const workspace = await served.workspace();
      workspaces.push({ workspace, named: await furnish(workspace) });
    }
  });
  afterAll(() => served.close());

  const global = ({ accountId, draftId, webhookId, triggerId, deliveryId }: Named): Named => ({
    accountId: globalId('Account', accountId),
    draftId: globalId('Job', draftId),
    webhookId: globalId('Webhook', webhookId),
    triggerId: globalId('Webhook', triggerId),
    deliveryId: globalId('Delivery', deliveryId),
  });

  /** `node` and `nodes` take global ids only. */
  const taking = fieldOperations.filter(({ field }) => !ofNodes.some((place) => place.startsWith(`${field}(`)));

  test.each(taking)('$field gives the same for raw and for global ids', async ({ document }) => {
    const [raw, other] = workspaces;
    if (raw === undefined || other === undefined) throw new Error('No workspace');
    const expected = await raw.workspace.ask(document(raw.named));
    const given = await other.workspace.ask(document(global(other.named)));
    expect(outlined(given)).toEqual(outlined(expected));
    expect(expected.errors).toEqual([]);
  });

  test('the id of another kind of object is refused: of mutations as data, of all others as an error of the field', async () => {
    const { workspace, named } = workspaces[0] as (typeof workspaces)[number];
    const wrong = JSON.stringify(globalId('Webhook', named.webhookId));
    const query = await workspace.ask(
      `{ posts(accountId: ${wrong}, identifier: "x") { pageInfo { hasNextPage } } viewer { keyId } }`,
    );
    expect(query).toMatchObject({
      data: { posts: null, viewer: {} },
      errors: [{ path: ['posts'], extensions: { code: 'INVALID_PARAMETERS', issues: [{ path: ['accountId'] }] } }],
    });
    const mutation = await workspace.ask(
      `mutation { deleteWebhook(input: { webhookId: ${JSON.stringify(globalId('Account', named.accountId))} }) {
         __typename ... on InvalidRequestError { issues { path message } } } }`,
    );
    expect(mutation).toMatchObject({
      data: { deleteWebhook: { __typename: 'InvalidRequestError', issues: [{ path: ['input', 'webhookId'] }] } },
      errors: [],
    });
  });
});
