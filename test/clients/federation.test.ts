/** The gateway as a subgraph: what composers read, what the switch changes, and how entities are read. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stitchSchemas } from '@graphql-tools/stitch';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import {
  buildSchema,
  type GraphQLField,
  GraphQLObjectType,
  type GraphQLSchema,
  getOperationAST,
  isInputObjectType,
  isObjectType,
  parse,
  print,
  visit,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { operationCost } from '../../src/graphql/cost/operation-cost.ts';
import { entityKeysOf } from '../../src/graphql/federation/keys.ts';
import { subgraphSdl } from '../../src/graphql/federation/sdl.ts';
import { toSubgraph } from '../../src/graphql/federation/subgraph.ts';
import { globalId, type IdKind } from '../../src/graphql/kit/global-ids.ts';
import { maxByIds } from '../../src/graphql/kit/node.ts';
import { printedSchema } from '../../src/graphql/schema/print.ts';
import type { Scope } from '../../src/kernel/caller.ts';
import { newId } from '../../src/kernel/ids.ts';
import { setUps } from '../../src/kernel/set-up.ts';
import { backends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { type GatewayOptions, graphql, startGateway } from '../support/gateway.ts';
import { furnish, type Named } from '../support/operations.ts';
import { schema } from '../support/schema.ts';
import { schemas } from '../support/served-part.ts';
import { statementsOf } from '../support/statements.ts';
import { json, listPosts, pnetPost, postList, proxyTo, startStub, webhook } from '../support/stub.ts';
import { type Compose, composers, composeWithMesh, sdlOf, tasksSdl } from './supergraph.ts';

const sdl = subgraphSdl(schema);
const subgraph = toSubgraph(schema, async () => sdl);
const federated = { FEDERATION: 'on' };
const schemaFile = new URL('../../schema.graphql', import.meta.url);

const start = async (options: GatewayOptions) => {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
};

describe('what composers read', () => {
  const printed = buildSchema(sdl);
  const entities = Object.values(schema.getTypeMap()).filter((type) => entityKeysOf(type).length > 0);

  const all: Readonly<Record<string, Compose>> = { ...composers, '@graphql-mesh/fusion-composition': composeWithMesh };
  const compose = (name: string, postern: string): string =>
    all[name]?.([
      { name: 'postern', url: 'http://postern', sdl: postern },
      { name: 'tasks', url: 'http://tasks', sdl: tasksSdl },
    ]) ?? '';
  /** As tools print it that read it as a schema: the definition of `@oneOf` is left out, and its uses stay. */
  const reprinted = printSchemaWithDirectives(printed);

  test.each(
    Object.keys(all).flatMap((name) => [
      { name, of: 'as it is served', text: sdl },
      { name, of: 'printed anew', text: reprinted },
    ]),
  )('$name composes it with another subgraph, $of', ({ name, text }) => {
    if (name === '@apollo/composition' && text === reprinted) {
      expect(() => compose(name, text)).toThrow(/Unknown directive "@oneOf"/);
      return;
    }
    const supergraph = compose(name, text);
    const types = buildSchema(supergraph, { assumeValidSDL: true });
    const fieldsOf = (type: string) => Object.keys((types.getType(type) as GraphQLObjectType).getFields());
    expect(fieldsOf('Account')).toEqual(expect.arrayContaining(['name', 'owner']));
    expect(fieldsOf('PnetJobPosting')).toEqual(expect.arrayContaining(['jobTitle', 'applicants']));
    expect(fieldsOf('PhotonetPost')).toEqual(expect.arrayContaining(['text', 'bookmarked']));
    // What gateways and their clients can make use of is kept.
    expect(supergraph).toMatch(/text: String\s[^\n]*@semanticNonNull/);
    if (name !== '@graphql-mesh/fusion-composition') expect(supergraph).toMatch(/@cost\(weight: 1000\)/);
    if (name === '@theguild/federation-composition')
      expect(supergraph).toMatch(/input PnetJobBudgetInput\s[^{]*@oneOf/);
  });

  test.each(Object.keys(all).flatMap((name) => setUps.map((setUp) => ({ name, setUp }))))(
    '$name composes the subgraph of $setUp',
    ({ name, setUp }) => {
      const served = schemas[setUp];
      // What the set-up does not serve, the other subgraph does not extend.
      const tasks = visit(parse(tasksSdl), {
        ObjectTypeDefinition: ({ name: { value } }) =>
          value in served.getTypeMap() || value === 'Task' ? undefined : null,
        FieldDefinition: ({ type }) => {
          const extended = /\w+/.exec(print(type))?.[0] ?? '';
          return ['PnetJobPosting', 'Account'].includes(extended) && !served.getType(extended) ? null : undefined;
        },
      });
      const supergraph = all[name]?.([
        { name: 'postern', url: 'http://postern', sdl: subgraphSdl(served) },
        { name: 'tasks', url: 'http://tasks', sdl: print(tasks) },
      ]) as string;
      const composed = buildSchema(supergraph, { assumeValidSDL: true });
      const query = (each: GraphQLSchema) => Object.keys(each.getQueryType()?.getFields() ?? {});
      expect(query(composed)).toEqual(expect.arrayContaining([...query(served), 'bookmarks']));
    },
  );

  test.each([
    ['as it is served', printedSchema(schema)],
    ['printed anew', printSchemaWithDirectives(buildSchema(printedSchema(schema)))],
  ])('it is stitched with another schema, %s', (_of, text) => {
    const own = buildSchema(
      'type Query { tasks: [Task] } type Task { account: Account } type Account { id: ID! owner: String }',
    );
    const stitched = stitchSchemas({ subschemas: [{ schema: buildSchema(text) }, { schema: own }] });
    const { name, owner } = (stitched.getType('Account') as GraphQLObjectType).getFields();
    expect([name?.name, owner?.name]).toEqual(['name', 'owner']);
    expect(stitched.getType('PnetJobBudgetInput')).toMatchObject({ isOneOf: true });
  });

  test('it is a whole schema for other tools too, and the same one', () => {
    const federation = ['federation__FieldSet', 'link__Import', 'link__Purpose'];
    expect(Object.keys(printed.getTypeMap()).sort()).toEqual(
      [...Object.keys(schema.getTypeMap()), ...federation].sort(),
    );
    const oneOfs = (of: typeof schema) =>
      Object.values(of.getTypeMap())
        .filter((type) => isInputObjectType(type) && type.isOneOf)
        .map(String)
        .sort();
    expect(oneOfs(printed).length).toBeGreaterThan(2);
    expect(oneOfs(printed)).toEqual(oneOfs(schema));
  });

  test('every node is an entity with its id as a key, and so are the interfaces of nodes', () => {
    const nodes = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'),
    );
    expect(nodes.length).toBeGreaterThan(8);
    expect(entities).toEqual(expect.arrayContaining(nodes));
    expect(entities.map(({ name }) => name)).toEqual(expect.arrayContaining(['NetworkAuthor', 'NetworkPost']));
    for (const type of entities) {
      const keys = printed.getType(type.name)?.astNode?.directives?.filter(({ name }) => name.value === 'key');
      expect(
        keys
          ?.map((key) => key.arguments?.[0]?.value)
          .map((value) => (value?.kind === 'StringValue' ? value.value : '')),
      ).toEqual(entityKeysOf(type));
      expect(entityKeysOf(type)[0]).toBe('id');
    }
  });

  test('the raw id that arguments take is another key', () => {
    const keys = Object.fromEntries(
      entities.map((type) => [type.name, entityKeysOf(type).slice(1)]).filter(([, own]) => own?.length),
    );
    expect(keys).toEqual({
      Account: ['accountId'],
      Delivery: ['deliveryId'],
      PnetJobPosting: ['jobId'],
      Webhook: ['webhookId'],
    });
  });
});

describe('the switch', () => {
  test('off, the schema has nothing of federation', async () => {
    const { address } = await start({});
    for (const field of ['_service { sdl }', '_entities(representations: []) { __typename }']) {
      const { errors } = await graphql(address, undefined, `{ ${field} }`);
      expect(errors[0]?.message).toMatch(/^Cannot query field "_\w+" on type "Query"/);
    }
    const served = await (await fetch(`${address}/schema.graphql`)).text();
    expect(served).toBe(await readFile(schemaFile, 'utf8'));
    expect(served).not.toMatch(/@key|@link|_entities/);
  });

  test('on, it has two fields and three types more, and everything else is the same', () => {
    const added = ['_Any', '_Entity', '_Service'];
    expect(Object.keys(subgraph.getTypeMap()).sort()).toEqual([...Object.keys(schema.getTypeMap()), ...added].sort());
    for (const [name, type] of Object.entries(schema.getTypeMap())) {
      if (name !== 'Query') expect(subgraph.getType(name), name).toBe(type);
    }
    const { _entities, _service, ...fields } = subgraph.getQueryType()?.getFields() ?? {};
    const plain = ({ args, ...field }: GraphQLField<unknown, unknown>) => ({ ...field, args: [...args] });
    const own = schema.getQueryType()?.getFields() ?? {};
    expect(Object.keys(fields)).toEqual(Object.keys(own));
    for (const [name, field] of Object.entries(fields)) expect(plain(field)).toEqual(plain(own[name] as typeof field));
    for (const each of [_entities, _service, ...added.map((name) => subgraph.getType(name))]) {
      expect(each?.description, each?.name).toMatch(/\.$/);
    }
  });

  test('on, anybody may read the schema as composers do, and clients read theirs as before', async () => {
    const { address } = await start({ environment: federated });
    expect(await sdlOf(`${address}/graphql`)).toBe(sdl);
    const served = await (await fetch(`${address}/schema.graphql`)).text();
    expect(served).toBe(await readFile(schemaFile, 'utf8'));
    const both = await graphql(address, undefined, '{ __typename _service { sdl } }');
    expect(both.data._service.sdl).toBe(sdl);
  });

  test('to read it costs what an introspection costs', async () => {
    const { address } = await start({ environment: federated });
    const many = Array.from({ length: 20 }, (_, at) => `s${at}: sdl`).join(' ');
    const { data, errors } = await graphql(address, undefined, `{ _service { ${many} } }`);
    expect(data).toBeNull();
    expect(errors[0]?.extensions).toMatchObject({ code: 'LIMIT_TOO_HIGH' });
  });

  test('everything beyond the schema needs a key', async () => {
    const { address } = await start({ environment: federated });
    const { status, errors } = await graphql(
      address,
      undefined,
      '{ _service { sdl } _entities(representations: []) { __typename } }',
    );
    expect([status, errors[0]?.extensions.code]).toEqual([401, 'MISSING_CREDENTIALS']);
  });

  test('on, without introspection, composers read nothing, and entities are read', async () => {
    const gateway = await start({ environment: { ...federated, INTROSPECTION: 'off' } });
    const { key, account } = await gateway.workspace();
    expect((await graphql(gateway.address, key, '{ _service { sdl } }')).errors[0]?.message).toBe(
      'Cannot query field "_service" on type "Query".',
    );
    expect((await fetch(`${gateway.address}/schema.graphql`)).status).toBe(404);
    const accountId = await account();
    const { data } = await graphql(gateway.address, key, entitiesQuery, {
      representations: [{ __typename: 'Account', accountId }],
    });
    expect(data._entities).toMatchObject([{ __typename: 'Account' }]);
  });

  test('on, in proxy mode, webhooks are read, and a type that the contract cannot read is no entity', async () => {
    const stub = await startStub((_request, response) =>
      json(response, 200, { object: 'WebhookList', items: [webhook('w1'), webhook('w2')], cursor: null }),
    );
    const { ask } = await proxyTo(stub, { environment: federated });
    const { data, errors } = await ask(entitiesQuery, {
      representations: [
        { __typename: 'Webhook', webhookId: 'w2' },
        { __typename: 'PnetJobPosting', jobId: '1' },
        { __typename: 'Webhook', webhookId: 'w1' },
        { __typename: 'Webhook', webhookId: 'w3' },
      ],
    });
    const found = (id: string) => ({ __typename: 'Webhook', id: globalId('Webhook', id) });
    expect(data._entities).toEqual([found('w2'), null, found('w1'), null]);
    expect(errors).toMatchObject([{ path: ['_entities', 1], extensions: { code: 'INVALID_PARAMETERS' } }]);
    expect(stub.received).toHaveLength(1);
  });

  test('on, operations over the bytes of a service are compiled as before', async () => {
    const stub = await startStub((_request, response) => json(response, 200, postList([pnetPost('1'), pnetPost('2')])));
    const [on, off] = [await proxyTo(stub, { environment: federated }), await proxyTo(stub)];
    const responses = [await on.ask(listPosts), await off.ask(listPosts)];
    expect(responses[0]?.data.posts.nodes).toHaveLength(2);
    expect(responses[0]?.data).toEqual(responses[1]?.data);
    for (const { log } of [on, off])
      expect(log.find(({ path }) => path === '/graphql')).toMatchObject({ compiled: 'yes' });
  });
});

const entitiesQuery = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { __typename ... on Node { id } }
}`;

describe.each(onOneDatabase(backends).filter(({ serves }) => serves.accounts))('entities, $name', (backend) => {
  let served: Served;
  let workspace: SeededWorkspace;
  let named: Named;

  beforeAll(async () => {
    served = await backend.start({ environment: federated });
    workspace = await served.workspace();
    named = await furnish(workspace);
  });
  afterAll(() => served.close());

  const read = (representations: unknown, key = workspace.key) =>
    graphql(served.address, key, entitiesQuery, { representations });

  /** A representation of something of each type, by each of its keys; and the id that it must have. */
  async function representations(): Promise<(readonly [type: string, representation: object, id: string])[]> {
    const { accountId, draftId, webhookId, deliveryId } = named;
    const photonet = await workspace.account({ type: 'PHOTONET' });
    const { data } = await workspace.ask(
      `query ($photonet: ID!) {
        pnet: account(accountId: "${accountId}") { posts(identifier: "ACoSandbox1", first: 1) { nodes { ... on NetworkPost { id author { id } } } } }
        photonet: account(accountId: $photonet) { posts(identifier: "sandbox.gallery", first: 1) { nodes { ... on NetworkPost { id author { id } } } } }
      }`,
      { photonet },
    );
    const [pnetPost, photonetPost] = [data.pnet.posts.nodes[0], data.photonet.posts.nodes[0]];
    const emit = `mutation ($accountId: ID!) {
      emitEvent(input: { accountId: $accountId, event: NEW_RELATION }) { ... on EventEmitted { eventId } }
    }`;
    const { eventId } = (await workspace.ask(emit, { accountId })).data.emitEvent;
    const raw = [
      ['Account', 'Account', 'accountId', accountId],
      ['PnetJobPosting', 'Job', 'jobId', draftId],
      ['Webhook', 'Webhook', 'webhookId', webhookId],
      ['Delivery', 'Delivery', 'deliveryId', deliveryId],
    ] as const satisfies readonly (readonly [string, IdKind, string, string])[];
    const global = [
      ['PnetPost', pnetPost.id],
      ['PnetAuthor', pnetPost.author.id],
      ['PhotonetPost', photonetPost.id],
      ['PhotonetAuthor', photonetPost.author.id],
      ['AccountEvent', globalId('AccountEvent', eventId)],
      ...raw.map(([type, kind, , rawId]) => [type, globalId(kind, rawId)] as const),
    ] as const;
    return [
      ...raw.map(
        ([type, kind, key, rawId]) => [type, { __typename: type, [key]: rawId }, globalId(kind, rawId)] as const,
      ),
      ...global.map(([type, id]) => [type, { __typename: type, id }, id] as const),
    ];
  }

  test('are found by each of their keys: those that `node` finds', async () => {
    const all = await representations();
    const entity = subgraph.getType('_Entity');
    const types = entity === undefined || !('getTypes' in entity) ? [] : entity.getTypes().map(({ name }) => name);
    expect([...new Set(all.map(([type]) => type))].sort()).toEqual(types.sort());
    const keys = all.flatMap(([type, representation]) => Object.keys(representation).map((key) => `${type}.${key}`));
    for (const type of new Set(all.map(([name]) => name))) {
      for (const key of entityKeysOf(subgraph.getType(type))) expect(keys).toContain(`${type}.${key}`);
    }
    const { data, errors } = await read(all.map(([, representation]) => representation));
    expect(errors).toEqual([]);
    expect(data._entities).toEqual(all.map(([__typename, , id]) => ({ __typename, id })));
    for (const [__typename, , id] of all) {
      const { data: one } = await workspace.ask(`query ($id: ID!) { node(id: $id) { __typename id } }`, { id });
      expect(one.node).toEqual({ __typename, id });
    }
  });

  test('are found as an interface that they implement', async () => {
    const all = await representations();
    const asInterface = all.flatMap(([type, representation, id]) => {
      const found = schema.getType(type);
      const interfaces = found instanceof GraphQLObjectType ? found.getInterfaces() : [];
      return interfaces
        .filter((each) => entityKeysOf(each).length > 0)
        .map(
          ({ name }) =>
            [
              { ...representation, __typename: name },
              { __typename: type, id },
            ] as const,
        );
    });
    expect(asInterface.length).toBeGreaterThan(3);
    const { data, errors } = await read(asInterface.map(([representation]) => representation));
    expect(errors).toEqual([]);
    expect(data._entities).toEqual(asInterface.map(([, found]) => found));
  });

  test('are null for whoever cannot see them, for ids of nobody and for ids of other types', async () => {
    const all = (await representations()).map(([, representation]) => representation);
    const stranger = await served.workspace();
    const { data, errors } = await read(all, stranger.key);
    expect(errors).toEqual([]);
    expect(data._entities).toEqual(all.map(() => null));
    const others = [
      { __typename: 'Account', accountId: newId(randomBytes) },
      { __typename: 'Account', accountId: named.draftId },
      { __typename: 'Account', id: globalId('Webhook', named.webhookId) },
      { __typename: 'NetworkPost', id: globalId('Account', named.accountId) },
      { __typename: 'PnetJobPosting', jobId: '' },
      { __typename: 'Delivery', id: globalId('Delivery') },
      { __typename: 'Delivery', deliveryId: '\u0000"\'--' },
    ];
    const none = await read(others);
    expect(none.errors).toEqual([]);
    expect(none.data._entities).toEqual(others.map(() => null));
  });

  test('are read together: one statement for all of a type', async () => {
    const drafts = await Promise.all(Array.from({ length: 50 }, () => workspace.draft({ accountId: named.accountId })));
    const accounts = await Promise.all(Array.from({ length: 50 }, () => workspace.account()));
    const all = [
      ...drafts.map((jobId) => ({ __typename: 'PnetJobPosting', jobId })),
      ...accounts.map((accountId) => ({ __typename: 'Account', accountId })),
      // A gateway may ask for one several times.
      ...accounts.map((accountId) => ({ __typename: 'Account', id: globalId('Account', accountId) })),
    ];
    const none = await statementsOf(workspace.workspaceId, () => read([]));
    const statements = await statementsOf(workspace.workspaceId, async () => {
      const { data } = await read(all);
      expect(data._entities.filter((each: unknown) => each !== null)).toHaveLength(all.length);
    });
    expect(statements.length - none.length).toBe(2);
  });

  test('need the scopes of their types, each for itself', async () => {
    const all = await representations();
    const scopes: Readonly<Record<string, Scope>> = {
      Account: 'accounts:read',
      PnetJobPosting: 'jobs:read',
      Webhook: 'webhooks:read',
      Delivery: 'webhooks:read',
      AccountEvent: 'webhooks:read',
    };
    for (const scope of new Set([...Object.values(scopes), 'posts:read'] as const)) {
      const key = await workspace.newKey({ scopes: [scope] });
      const { data, errors } = await read(
        all.map(([, representation]) => representation),
        key,
      );
      const expected = all.map(([type, , id]) =>
        (scopes[type] ?? 'posts:read') === scope ? { __typename: type, id } : null,
      );
      expect(data._entities).toEqual(expected);
      expect(errors.map(({ path, extensions }) => [path?.[1], extensions.code]).sort()).toEqual(
        expected.flatMap((each, place) => (each === null ? [[place, 'INSUFFICIENT_PRIVILEGES']] : [])).sort(),
      );
    }
  });

  test('are only those of the accounts of a limited key', async () => {
    const other = await workspace.account();
    const key = await workspace.newKey({ accountIds: [named.accountId] });
    const { data } = await read(
      [named.accountId, other].map((accountId) => ({ __typename: 'Account', accountId })),
      key,
    );
    expect(data._entities).toEqual([{ __typename: 'Account', id: globalId('Account', named.accountId) }, null]);
  });

  test.each<[string, unknown, unknown]>([
    [
      'an unknown type',
      { __typename: 'Nothing', id: '1' },
      'representations.0.__typename is no entity of this subgraph: Nothing',
    ],
    [
      'a type that is no entity',
      { __typename: 'PageInfo', id: '1' },
      'representations.0.__typename is no entity of this subgraph: PageInfo',
    ],
    [
      'the interface of all nodes',
      { __typename: 'Node', id: '1' },
      'representations.0.__typename is no entity of this subgraph: Node',
    ],
    [
      'a name of objects in JavaScript',
      { __typename: 'constructor', id: '1' },
      'representations.0.__typename is no entity of this subgraph: constructor',
    ],
    [
      'a long name',
      { __typename: 'N'.repeat(100_000), id: '1' },
      expect.stringMatching(/^representations\.0\.__typename is no entity of this subgraph: N{99}…$/),
    ],
    ['no key', { __typename: 'Account' }, 'representations.0 must have "id" or "accountId"'],
    ['the key of another type', { __typename: 'PnetPost', jobId: '1' }, 'representations.0 must have "id"'],
    ['a number as a key', { __typename: 'Account', accountId: 5 }, 'representations.0.accountId must be a string'],
    ['an object as a key', { __typename: 'Account', id: { id: '1' } }, 'representations.0.id must be a string'],
    ['a list as a key', { __typename: 'Account', id: ['1'] }, 'representations.0.id must be a string'],
    ['null as a key', { __typename: 'Account', id: null }, 'representations.0.id must be a string'],
  ])('%s is an error at its path, and costs no other', async (_what, representation, message) => {
    const { status, data, errors } = await read([
      representation,
      { __typename: 'Account', accountId: named.accountId },
    ]);
    expect(status).toBe(200);
    expect(data._entities).toMatchObject([null, { __typename: 'Account' }]);
    expect(errors).toMatchObject([
      {
        path: ['_entities', 0],
        message,
        extensions: { code: 'INVALID_PARAMETERS', status: 400 },
      },
    ]);
  });

  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
  const account = () => ({ __typename: 'Account', accountId: named.accountId });

  test.each<[string, () => unknown, string]>([
    ['no list', () => 'Account', 'INVALID_PARAMETERS'],
    ['a number', () => [5], 'INVALID_PARAMETERS'],
    ['a list', () => [[]], 'INVALID_PARAMETERS'],
    ['null', () => [null], 'INVALID_PARAMETERS'],
    ['an object without a type', () => [{ id: '1' }], 'INVALID_PARAMETERS'],
    ['a type that is no text', () => [{ __typename: ['Account'], id: '1' }], 'INVALID_PARAMETERS'],
    ['an object that is nested deeply', () => [{ ...account(), more: deep(80) }], 'MALFORMED_REQUEST'],
    ['ten thousand', () => Array.from({ length: 10_001 }, () => ({ __typename: 'Account' })), 'LIMIT_TOO_HIGH'],
    ['ten thousand with keys', () => Array.from({ length: 10_001 }, account), 'CONTENT_TOO_LARGE'],
    [
      'an object with thousands of fields',
      () => [{ ...account(), ...Object.fromEntries(Array.from({ length: 19_000 }, (_, at) => [`f${at}`, [0]])) }],
      'LIMIT_TOO_HIGH',
    ],
  ])('%s is refused before anything is executed', async (_what, sent, code) => {
    const { data, errors } = await read(sent());
    expect(data).toBeNull();
    expect(errors[0]?.extensions).toMatchObject({ code, status: expect.any(Number), requestId: expect.any(String) });
    expect(JSON.stringify(errors).length).toBeLessThan(16_384);
  });

  test('representations may stand in the document', async () => {
    const { accountId } = named;
    const query = `query ($id: String!) { _entities(representations: [{ __typename: "Account", accountId: "${accountId}" }, { __typename: "Account", accountId: $id }]) { ... on Account { accountId } } }`;
    const { data } = await workspace.ask(query, { id: accountId });
    expect(data._entities).toEqual([{ accountId }, { accountId }]);
  });

  test('beyond the limit have an error each, and the others are read', async () => {
    const { data, errors } = await read(Array.from({ length: maxByIds + 3 }, account));
    expect(data._entities.filter((each: unknown) => each !== null)).toHaveLength(maxByIds);
    expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual(
      [0, 1, 2].map((beyond) => [['_entities', maxByIds + beyond], 'LIMIT_TOO_HIGH']),
    );
  });

  test('more than a hundred that are invalid have one error together', async () => {
    const invalid = () => ({ __typename: 'Nothing' });
    const hundred = await read([account(), ...Array.from({ length: 100 }, invalid)]);
    expect(hundred.data._entities[0]).not.toBeNull();
    expect(hundred.errors).toHaveLength(100);
    const more = await read([account(), ...Array.from({ length: 101 }, invalid)]);
    expect(more.data).toBeNull();
    expect(more.errors).toMatchObject([{ path: ['_entities'], extensions: { code: 'INVALID_PARAMETERS' } }]);
  });

  test('that would cost too much are not read', async () => {
    const fields = Array.from({ length: 150 }, (_, at) => `f${at}: name`).join(' ');
    const query = entitiesQuery.replace('... on Node { id }', `... on Account { ${fields} }`);
    const many = Array.from({ length: 990 }, account);
    const statements = await statementsOf(workspace.workspaceId, async () => {
      const { data, errors } = await workspace.ask(query, { representations: many });
      expect(data).toBeNull();
      expect(errors[0]?.extensions).toMatchObject({ code: 'LIMIT_TOO_HIGH' });
    });
    expect(statements).toEqual([]);
  });
});

test('entities cost what nodes cost, and what is sent of them', () => {
  const costOf = (text: string, variables: object): number => {
    const document = parse(text);
    const operation = getOperationAST(document);
    if (!operation) throw new Error('There is no operation');
    return operationCost(subgraph, document, operation, variables);
  };
  const selection = '{ __typename ... on Account { name posts(first: 5) { nodes { ... on PnetPost { text } } } } }';
  const ids = (count: number) => Array.from({ length: count }, (_, at) => String(at));
  const nodes = (count: number) =>
    costOf(`query ($ids: [ID!]!) { nodes(ids: $ids) ${selection} }`, { ids: ids(count) });
  const entities = (count: number) =>
    costOf(`query ($all: [_Any!]!) { _entities(representations: $all) ${selection} }`, {
      all: ids(count).map((id) => ({ __typename: 'Account', id })),
    });
  // Of each representation the two entries of the object.
  for (const count of [1, 10, 100]) expect(entities(count) - nodes(count)).toBe(count * 10);
  const each = entities(2) - entities(1);
  expect(entities(maxByIds) - entities(1)).toBe((maxByIds - 1) * each);
  // Those beyond the limit are not read.
  expect(entities(maxByIds + 1) - entities(maxByIds)).toBeLessThan(each);
});
