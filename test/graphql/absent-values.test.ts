/**
 * One rule for what is left out, for null and for a default, over every optional argument and every optional field of an input that the
 * schema has: all three are the same. A list of nothing (`first: 0`) tells the rest of the list. Changes refuse null
 * (null-inputs.test.ts).
 */
import {
  astFromValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  print,
  type ValueNode,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { furnish, type Named } from '../support/operations.ts';
import { outlined } from '../support/outlined.ts';
import { schema } from '../support/schema.ts';

const text = JSON.stringify;

/** A place of a field of each type in an operation. A test fails for a type that is missing. */
const routes: Readonly<Record<string, (field: string, named: Named & { readonly photonetId: string }) => string>> = {
  Query: (field) => field,
  Viewer: (field) => `viewer { ${field} }`,
  Workspace: (field) => `viewer { workspace { ${field} } }`,
  Account: (field, { accountId }) => `account(accountId: ${text(accountId)}) { ${field} }`,
  Webhook: (field, { webhookId }) => `webhook(webhookId: ${text(webhookId)}) { ${field} }`,
  Delivery: (field, { deliveryId }) => `delivery(deliveryId: ${text(deliveryId)}) { ${field} }`,
  PnetAuthor: (field, { accountId }) =>
    `posts(accountId: ${text(accountId)}, identifier: "ACoSandbox1", first: 1) { nodes { ... on PnetPost { author { ${field} } } } }`,
  PhotonetAuthor: (field, { photonetId }) =>
    `posts(accountId: ${text(photonetId)}, identifier: "sandbox.sixty", first: 1) { nodes { ... on PhotonetPost { author { ${field} } } } }`,
};

const isOptional = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField) =>
  !isNonNullType(type) || defaultValue !== undefined;

interface Optional {
  readonly type: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly argument: GraphQLArgument;
}

const optionals: readonly Optional[] = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__') && type !== schema.getSubscriptionType())
  .flatMap((type) =>
    (isObjectType(type) ? Object.values(type.getFields()) : []).flatMap((field) =>
      field.args.filter(isOptional).map((argument) => ({ type: type.name, field, argument })),
    ),
  );

/** What a field needs besides. */
const others = (field: GraphQLField<unknown, unknown>, named: Named): string[] => {
  const values: Readonly<Record<string, string>> = { accountId: named.accountId, identifier: 'ACoSandbox1' };
  return field.args
    .filter((each) => !isOptional(each))
    .map(({ name }) => {
      if (values[name] === undefined) throw new Error(`Give the test a value for ${name}`);
      return `${name}: ${text(values[name])}`;
    });
};

const isList = (type: GraphQLNamedType) => isObjectType(type) && type.name.endsWith('Connection');

function selectionOf({ type }: GraphQLField<unknown, unknown>): string {
  const named = getNamedType(type);
  if (!isList(named)) return '{ __typename }';
  const hasCount = isObjectType(named) && named.getFields().totalCount !== undefined;
  return `{ nodes { __typename } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } ${hasCount ? 'totalCount' : ''} }`;
}

const literalOf = ({ defaultValue, type }: GraphQLArgument) => print(astFromValue(defaultValue, type) as ValueNode);

let served: Served;
let workspace: SeededWorkspace;
let named: Named & { readonly photonetId: string };

describe('an optional argument', () => {
  beforeAll(async () => {
    const [embedded] = backends;
    served = await (embedded as (typeof backends)[number]).start();
    workspace = await served.workspace();
    const photonetId = await workspace.account({ type: 'PHOTONET' });
    named = { ...(await furnish(workspace)), photonetId };
  });
  afterAll(() => served.close());

  async function read(type: string, field: string, variables = '', values: Record<string, unknown> = {}) {
    const route = routes[type];
    if (route === undefined) throw new Error(`Give the test a route to ${type}`);
    const { data, errors } = await workspace.ask(`query ${variables} { ${route(field, named)} }`, values);
    return { data, errors };
  }

  test.each(optionals.map((each) => [`${each.type}.${each.field.name}(${each.argument.name}:)`, each] as const))(
    '%s',
    async (_name, { type, field, argument }) => {
      const given = others(field, named);
      const call = (value: string | null) => {
        const args = value === null ? given : [...given, `${argument.name}: ${value}`];
        return `${field.name}${args.length === 0 ? '' : `(${args.join(', ')})`} ${selectionOf(field)}`;
      };
      const absent = await read(type, call(null));
      expect(absent.errors).toEqual([]);
      expect(text(absent.data)).toMatch(new RegExp(`"${field.name}":(?:\\[\\{|\\{)`));
      const nullable = String(argument.type).replace(/!$/, '');
      expect(await read(type, call('null'))).toEqual(absent);
      expect(await read(type, call('$value'), `($value: ${nullable})`, { value: null })).toEqual(absent);
      expect(await read(type, call('$value'), `($value: ${nullable})`)).toEqual(absent);
      if (argument.defaultValue !== undefined) expect(await read(type, call(literalOf(argument)))).toEqual(absent);
    },
  );

  const lists = optionals.filter(({ argument }) => argument.name === 'first');

  test.each(lists.map((each) => [`${each.type}.${each.field.name}`, each] as const))(
    '%s of nothing tells the rest of the list',
    async (_name, { type, field }) => {
      const list = (first: number, after = '') => {
        const args = [...others(field, named), `first: ${first}`, ...(after === '' ? [] : [`after: ${text(after)}`])];
        return `list: ${field.name}(${args.join(', ')}) ${selectionOf(field)}`;
      };
      const listIn = ({ data }: { readonly data?: unknown }) => {
        let found: Record<string, unknown> | undefined;
        JSON.stringify(data, (key, value) => {
          if (key === 'list') found ??= value;
          return value;
        });
        return found as Record<string, unknown> & {
          nodes: unknown[];
          pageInfo: { hasNextPage: boolean; endCursor: string | null };
        };
      };
      const [none, all] = [listIn(await read(type, list(0))), listIn(await read(type, list(50)))];
      const hasItems = all.nodes.length > 0;
      expect(none).toEqual({
        ...all,
        nodes: [],
        edges: [],
        pageInfo: {
          hasNextPage: hasItems,
          hasPreviousPage: false,
          startCursor: null,
          endCursor: hasItems ? expect.any(String) : null,
        },
      });
      // Nothing was skipped.
      const { endCursor } = none.pageInfo;
      if (endCursor !== null) expect(listIn(await read(type, list(50, endCursor))).nodes).toEqual(all.nodes);
      const negative = await read(type, list(-1));
      expect(negative.errors?.[0]?.extensions).toMatchObject({
        issues: [{ path: ['first'], code: 'TOO_SMALL', limit: 0, message: 'must be at least 0' }],
      });
    },
  );

  test('there are all kinds of lists', () => expect(lists.length).toBeGreaterThan(10));
});

/** Changes, in which null could be read as "remove" or as "all". */
const changes = ['editJob', 'updateWebhook', 'redeliverWebhookDeliveries'];

/** An input that does something, for each mutation with an optional field. */
const inputs: Readonly<Record<string, (named: Named) => object>> = {
  createAccessToken: () => ({ scopes: ['POSTS_READ'] }),
  createJobDraft: ({ accountId }) => ({
    accountId,
    posting: {
      jobTitle: { text: 'New' },
      company: { text: 'One' },
      recruiter: { projectId: '1', functions: ['acct'] },
      autoArchiveApplicants: { hasFailedScreening: true },
      screeningQuestions: [
        { numeric: { question: 'How many?', minExpectation: 1 } },
        { multipleChoices: { question: 'Which?', choices: ['a', 'b'], expectedChoices: ['a'] } },
      ],
    },
  }),
  createTriggerWebhook: () => ({
    requestUrl: 'https://hooks.example/new',
    trigger: { name: 'Send', icon: 'WEBHOOK_ICON', context: 'CHAT' },
  }),
  createWebhook: () => ({ requestUrl: 'https://hooks.example/new', source: 'USERS' }),
  emitEvent: ({ accountId }) => ({ accountId, event: 'NEW_RELATION' }),
  fireTriggerWebhook: ({ accountId, triggerId }) => ({
    accountId,
    webhookId: triggerId,
    chatId: '1',
  }),
  publishJob: ({ accountId, draftId }) => ({ accountId, jobId: draftId, mode: 'FREE' }),
  sendTestEvent: ({ webhookId }) => ({ webhookId }),
};

/** The same value with null in the place of each optional field that it lacks or has, everywhere in it. */
function* nullsIn(type: GraphQLInputType, value: unknown): Generator<readonly [path: string, value: unknown]> {
  if (isNonNullType(type)) return yield* nullsIn(type.ofType, value);
  if (isListType(type) && Array.isArray(value)) {
    for (const [at, each] of value.entries())
      for (const [path, changed] of nullsIn(type.ofType, each)) yield [`${at}.${path}`, value.with(at, changed)];
    return;
  }
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null) return;
  for (const field of Object.values(type.getFields())) {
    const inner: unknown = Reflect.get(value, field.name);
    if (inner !== undefined)
      for (const [path, changed] of nullsIn(field.type, inner))
        yield [`${field.name}.${path}`, { ...value, [field.name]: changed }];
    else if (!isNonNullType(field.type) && !type.isOneOf) yield [field.name, { ...value, [field.name]: null }];
  }
}

/** Those of {@link furnish} are not. */
async function enabledWebhooks(owner: SeededWorkspace) {
  const webhookId = await owner.webhook();
  const triggerId = await owner.webhook({ trigger: { name: 'Send', icon: 'ChatAppIcon', context: 'CHAT' } });
  return { webhookId, triggerId };
}

const failure = '... on ServiceError { code message }';

describe('an optional field of an input', () => {
  beforeAll(async () => {
    const [embedded] = backends;
    served = await (embedded as (typeof backends)[number]).start();
  });
  afterAll(() => served.close());

  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {}).flatMap(({ name, args: [input] }) => {
    if (input === undefined || changes.includes(name)) return [];
    const optional = Object.values((getNamedType(input.type) as GraphQLInputObjectType).getFields()).some(isOptional);
    return optional ? [{ name, type: input.type }] : [];
  });

  test.each(mutations)('of $name', async ({ name, type }) => {
    const make = inputs[name];
    if (make === undefined) throw new Error(`Give the test an input of ${name}`);
    const ask = async (input: object, owner: SeededWorkspace) => {
      const query = `mutation ($input: ${type}) { ${name}(input: $input) { __typename ${failure} } }`;
      const { data, errors } = await owner.ask(query, { input });
      return outlined({ data, errors });
    };
    const seen = new Set<string>();
    const owner = await served.workspace();
    const own = { ...(await furnish(owner)), ...(await enabledWebhooks(owner)) };
    expect(text(await ask(make(own), owner))).not.toContain('InvalidRequestError');
    // Again: some of it is done only once.
    const absent = await ask(make(own), owner);
    for (const [path, input] of nullsIn(type, make(own))) {
      seen.add(path);
      expect(await ask(input as object, owner), path).toEqual(absent);
    }
    expect(seen.size).toBeGreaterThan(0);
  });
});
