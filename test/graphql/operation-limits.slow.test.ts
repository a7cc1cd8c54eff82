/** What an operation may ask for: refused before it is validated, in the contract's terms, and told what it costs. */
import { buildClientSchema, getIntrospectionQuery, parse, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxIntrospectionCost, operationLimits } from '../../src/graphql/cost/limits.ts';
import { examples } from '../../src/pages/graphiql/examples.ts';
import { exampleOperation } from '../support/examples.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { schema } from '../support/schema.ts';
import { wholeSelection } from '../support/selection.ts';

const times = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => of(n)).join(' ');

/** Selections within each other. */
const nested = (levels: number, open: string, inner: string, close: string): string =>
  open.repeat(levels) + inner + close.repeat(levels);

const laughing = (aliases: number): string =>
  `{ __schema { ${times(aliases, (n) => `a${n}: types { ...T }`)} } }
   fragment T on __Type { ${times(aliases, (n) => `b${n}: fields { ...F }`)} }
   fragment F on __Field { ${times(aliases, (n) => `c${n}: args { name }`)} }`;

const manySchemas = `{ ${times(2_700, (n) => `s${n}: __schema { ...S }`)} } fragment S on __Schema { types { name fields { name } } }`;

/** For each limit, a document beyond it; it is within all the others that are checked before. */
const beyond: Readonly<Record<keyof typeof operationLimits | 'cost', string>> = {
  characters: `{ viewer { name } } #${'x'.repeat(operationLimits.characters)}`,
  tokens: `{ viewer { ${'name '.repeat(operationLimits.tokens)} } }`,
  nesting: nested(9_000, '{ viewer ', '', '}'),
  operations: times(operationLimits.operations + 1, (n) => `query Q${n} { viewer { name } }`),
  fragmentNesting: `{ ...F0 } ${times(200, (n) => `fragment F${n} on Query { ...F${n + 1} }`)} fragment F200 on Query { viewer { name } }`,
  aliases: `{ viewer { ${times(operationLimits.aliases + 1, (n) => `a${n}: name`)} } }`,
  rootFields: `{ ${times(operationLimits.rootFields + 1, (n) => `a${n}: viewer { name }`)} }`,
  mutations: `mutation { ${times(operationLimits.mutations + 1, (n) => `m${n}: deleteWebhook(input: { webhookId: "x" }) { __typename }`)} }`,
  depth: nested(30, '{ webhook(webhookId: "x") ', '{ id }', '}'),
  comparisons: `{ viewer { ${'name '.repeat(2_000)} } }`,
  selections: `{ ...A0 } ${times(14, (n) => `fragment A${n} on Query { a: node { ...A${n + 1} ...B } b: node { ...A${n + 1} ...B } a: node { ...B } b: node { ...B } }`)} fragment A14 on Query { c } fragment B on Query { d }`,
  cost: laughing(30),
};

// biome-ignore lint/suspicious/noExplicitAny: tests read data of every shape
type GraphQLBody = Record<string, any>;

describe('limits of an operation', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  beforeAll(async () => {
    gateway = await startGateway();
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  const get = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.address}/graphql?query=${encodeURIComponent(query)}`, { headers });
  const post = async (query: string, headers: Record<string, string> = {}, variables = {}) => {
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return { status: response.status, body: (await response.json()) as GraphQLBody };
  };
  const withKey = () => ({ 'x-api-key': workspace.key });
  const refusal = {
    errors: [{ extensions: { code: 'LIMIT_TOO_HIGH', status: 400, requestId: expect.any(String) } }],
    extensions: { cost: { limit: 150_000 } },
  };
  /** Of an operation that asks for the schema only. */
  const schemaRefusal = { ...refusal, extensions: { cost: { limit: maxIntrospectionCost } } };

  test.each([
    ['thirty aliases at each of three levels', laughing(30), schemaRefusal],
    ['a hundred aliases at each of three levels', laughing(100), refusal],
  ])('refuses %s without a key', async (_what, query, expected) => {
    expect(await post(query)).toMatchObject({ status: 400, body: expected });
    if (query.length < 8_000) expect((await get(query)).status).toBe(400);
  });

  test('refuses 2,700 aliases of the schema', async () => {
    expect(await post(manySchemas, withKey())).toMatchObject({ status: 400, body: refusal });
  });

  test.each(Object.entries(beyond))('refuses a document beyond the limit on %s', async (limit, query) => {
    const { status, body } = await post(query, withKey());
    expect(body).toMatchObject(limit === 'cost' ? schemaRefusal : refusal);
    expect(status).toBe(400);
    expect(body.data).toBeUndefined();
    if (limit !== 'cost') {
      expect(body.errors[0].message).toContain(String(operationLimits[limit as keyof typeof operationLimits]));
    }
  });

  test.each([
    ['selections', nested(9_000, '{ a ', '', '}')],
    ['lists', `{ a(b: ${nested(9_000, '[', '', ']')}) }`],
    ['objects', `{ a(b: ${nested(9_000, '{ b: ', '1', '}')}) }`],
    ['types', `query ($a: ${nested(9_000, '[', 'Int', ']')}) { a }`],
    ['arguments of directives', `{ a @b(c: ${nested(9_000, '[', '', ']')}) }`],
    ['inline fragments', nested(9_000, '{ ... ', '{ a }', '}')],
  ])('reports to the caller that %s are nested too deeply, and logs no failure', async (_what, query) => {
    const before = gateway.log.length;
    expect(await post(query, withKey())).toMatchObject({ status: 400, body: refusal });
    expect(gateway.log.slice(before).filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  test('leaves fragments that spread themselves to the validation', async () => {
    for (const query of [
      '{ ...F } fragment F on Query { ...F }',
      '{ viewer { workspace { ...F } } } fragment F on Workspace { name ...F }',
      '{ webhooks(first: 1) { nodes { ...F } } } fragment F on Webhook { deliveries(first: 1) { nodes { webhook { ...F } } } }',
      '{ __schema { types { ...F } } } fragment F on __Type { ofType { ...F } }',
    ]) {
      const { body } = await post(query, { 'x-api-key': workspace.key });
      expect(body.errors[0].message).toMatch(/within itself/);
    }
  });

  test('accepts usual operations: the examples of GraphiQL, and five lists of 100 complete posts', async () => {
    // A subscription would go on.
    for (const example of examples.filter(({ name }) => !name.startsWith('Watch'))) {
      const { body } = await post(await exampleOperation(example), { 'x-api-key': workspace.key }, example.variables);
      expect(JSON.stringify(body), example.name).not.toContain('LIMIT_TOO_HIGH');
    }
    const accountId = await workspace.account();
    const post100 = (n: number) =>
      `p${n}: posts(accountId: $accountId, identifier: "ACoSandbox250", first: 100) { nodes ${wholeSelection('Post', ['PnetAuthor.posts', 'PhotonetAuthor.posts'])} pageInfo { hasNextPage endCursor } }`;
    const { data, errors } = await graphql(
      gateway.address,
      workspace.key,
      `query ($accountId: ID!) { ${times(5, post100)} }`,
      {
        accountId,
      },
    );
    expect(errors).toEqual([]);
    expect(data.p4.nodes).toHaveLength(100);
  });

  test('reports the cost on request only', async () => {
    const query =
      'query ($first: Int!, $with: Boolean = false) { webhooks(first: $first) { nodes { id name @include(if: $with) } } }';
    const cost = async (variables: object) => {
      const headers = { 'x-api-key': workspace.key, 'graphql-cost': 'report' };
      const { body } = await post(query, headers, variables);
      expect(body.errors).toBeUndefined();
      return body.extensions.cost as { requestedCost: number; limit: number };
    };
    const one = await cost({ first: 1 });
    const ten = await cost({ first: 10 });
    const tenWithNames = await cost({ first: 10, with: true });
    expect(one.limit).toBe(150_000);
    // A webhook weighs 20 for being read, 10 for itself, and its id 1; its name one more.
    expect(ten.requestedCost - one.requestedCost).toBe(9 * 31);
    expect(tenWithNames.requestedCost - ten.requestedCost).toBe(10);
    const { body } = await post(query, { 'x-api-key': workspace.key }, { first: 1 });
    expect(body.extensions).toBeUndefined();
  });
});

describe('introspection', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  test('of every tool needs no key, with all that graphql-js can ask for', async () => {
    const options = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true };
    const query = getIntrospectionQuery({ ...options, inputValueDeprecation: true, oneOf: true });
    const { data, errors } = await graphql(gateway.address, undefined, query);
    expect(errors).toEqual([]);
    expect(printSchema(buildClientSchema(data))).toBe(printSchema(schema));
  });

  test.each([
    ['with __typename everywhere, as Apollo adds it', getIntrospectionQuery().replaceAll(/\{\n/g, '{ __typename\n')],
    [
      'with eleven types within types',
      getIntrospectionQuery()
        .replace('ofType {', 'ofType { kind name ofType { kind name } ofType {')
        .replace(/\}\s*$/, '} }'),
    ],
  ])('is answered %s', async (_how, query) => {
    parse(query);
    const { data, errors } = await graphql(gateway.address, undefined, query);
    expect(errors).toEqual([]);
    expect(data).toBeTruthy();
  });

  test('in any order and of any part is reported with its cost', async () => {
    const costOf = async (query: string) => {
      const { extensions, data } = await fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'graphql-cost': 'report' },
        body: JSON.stringify({ query }),
      }).then((response) => response.json() as Promise<GraphQLBody>);
      expect(data).toBeTruthy();
      return extensions.cost.requestedCost as number;
    };
    const whole = await costOf(getIntrospectionQuery());
    expect(whole).toBe(maxIntrospectionCost);
    expect(await costOf('{ __schema { types { name } } }')).toBeLessThan(whole / 10);
    expect(await costOf(getIntrospectionQuery().replace('kind\n      name\n', 'name\n      kind\n'))).toBe(whole);
  });

  test('that no tool sends has a lower limit, as it needs no key', async () => {
    const types = (names: number) => `{ __schema { ${times(names, (n) => `a${n}: types { name fields { name } }`)} } }`;
    expect((await graphql(gateway.address, undefined, types(1))).errors).toEqual([]);
    const { data, errors } = await graphql(gateway.address, undefined, types(2));
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(`the limit is ${maxIntrospectionCost}`),
        extensions: { code: 'LIMIT_TOO_HIGH' },
      },
    ]);
  });

  test('can be off, and then no error suggests a name', async () => {
    const closed = await startGateway({ environment: { INTROSPECTION: 'off' } });
    const { key } = await closed.workspace();
    const own = await gateway.workspace();
    const message = async (query: string, variables = {}, isOpen = false) => {
      const { data, errors } = isOpen
        ? await graphql(gateway.address, own.key, query, variables)
        : await graphql(closed.address, key, query, variables);
      expect(data).toBeNull();
      return errors.map((error) => error.message).join('\n');
    };
    for (const query of [
      getIntrospectionQuery(),
      '{ __schema { types { name } } }',
      '{ __type(name: "Query") { name } }',
    ]) {
      expect(await message(query)).toMatch(/introspection has been disabled/i);
    }
    const { errors } = await graphql(closed.address, key, '{ viewer { __typename name } }');
    expect(errors).toEqual([]);
    const misspelt = [
      ['{ viewr { name } }', {}],
      ['{ viewer }', {}],
      ['{ webhooks(frst: 1) { nodes { id } } }', {}],
      ['{ eventSamples(source: MESAGING) { event } }', {}],
      ['query ($s: WebhookSource) { eventSamples(source: $s) { event } }', { s: 'MESAGING' }],
      ['mutation { deleteWebhook(input: { webhokId: "x" }) { __typename } }', {}],
      ['query ($s: WebhookSorce) { eventSamples(source: $s) { event } }', {}],
    ] as const;
    for (const [query, variables] of misspelt) {
      expect(await message(query, variables, true), query).toContain('Did you mean');
      expect(await message(query, variables), query).not.toContain('Did you mean');
    }
    await closed.close();
  });
});

describe('the size of a response', () => {
  test('is limited, also where the same text is selected under many names', async () => {
    const gateway = await startGateway({ tuning: { maxResponseBytes: 3_000 } });
    const workspace = await gateway.workspace();
    const ask = (count: number) =>
      graphql(gateway.address, workspace.key, `{ viewer { ${times(count, (n) => `a${n}: keyId`)} } }`);
    expect((await ask(10)).errors).toEqual([]);
    const { status, data, errors } = await ask(190);
    expect({ status, data }).toEqual({ status: 400, data: null });
    expect(errors).toMatchObject([
      { message: expect.stringContaining('3000 bytes'), extensions: { code: 'LIMIT_TOO_HIGH', status: 400 } },
    ]);
    await gateway.close();
  });

  test('is limited without hiding what mutations did: those that do not fit are reported as executed', async () => {
    const gateway = await startGateway({ tuning: { maxResponseBytes: 3_000 } });
    const workspace = await gateway.workspace();
    const input = '{ source: USERS, requestUrl: "https://hooks.example/", isEnabled: false }';
    const create = (alias: string, selection: string) =>
      `${alias}: createWebhook(input: ${input}) { ... on WebhookCreated { webhook { ${selection} } } }`;
    const large = times(100, (n) => `a${n}: requestUrl`);
    const mutations = [create('first', 'webhookId'), create('second', large), create('third', 'webhookId')];
    const { status, data, errors } = await graphql(
      gateway.address,
      workspace.key,
      `mutation { ${mutations.join(' ')} }`,
    );
    const told = { webhook: { webhookId: expect.any(String) } };
    expect({ status, data }).toEqual({ status: 200, data: { first: told, second: null, third: told } });
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('The mutation was run'),
        path: ['second'],
        extensions: { code: 'LIMIT_TOO_HIGH', status: 400 },
      },
    ]);
    const { data: listed } = await graphql(gateway.address, workspace.key, '{ webhooks { nodes { webhookId } } }');
    expect(listed.webhooks.nodes).toHaveLength(3);
    await gateway.close();
  });
});
