/** What the schema says of costs, for every field of it, and what the analysis makes of it. */
import {
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  parse,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { defaultWeight, directivesOf } from '../../src/graphql/cost/directives.ts';
import { LimitError } from '../../src/graphql/cost/limits.ts';
import { operationCost } from '../../src/graphql/cost/operation-cost.ts';
import { fragmentsOf } from '../../src/graphql/cost/selections.ts';
import { requireReasonableShape } from '../../src/graphql/documents/parse.ts';
import { printedForComposers, printedSchema } from '../../src/graphql/schema/print.ts';
import { schema } from '../support/schema.ts';

const fields = Object.values(schema.getTypeMap())
  .filter((type) => !type.name.startsWith('__'))
  .filter((type) => isObjectType(type) || isInterfaceType(type))
  .flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({ type, field, coordinate: `${type.name}.${field.name}` })),
  );

const costOf = (text: string, variables = {}): number => {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== 'OperationDefinition') throw new Error('The first definition must be the operation');
  return operationCost(schema, document, operation, variables);
};

describe('the schema', () => {
  test('says the size of every list', () => {
    const unsized = fields
      .filter(({ field }) => isListType(getNullableType(field.type)))
      // The size of these is that of their connection.
      .filter(({ type }) => type.extensions.connection === undefined)
      .filter(({ field }) => directivesOf(field).listSize?.assumedSize === undefined);
    expect(unsized.map(({ coordinate }) => coordinate)).toEqual([]);
  });

  test('has the page sizes that a refusal names', () => {
    const sizes = fields.flatMap(({ field }) => field.args.filter(({ name }) => name === 'first'));
    const named = new LimitError('cost', 1, 2).message.match(/(?<= of )[\d or]+(?= items)/)?.[0].split(' or ');
    const defaults = new Set(sizes.map(({ defaultValue }) => `${defaultValue}`));
    expect(new Set(named)).toEqual(defaults);
  });

  test('sizes every connection by its argument `first`', () => {
    const connections = fields.filter(({ field }) => getNamedType(field.type).extensions.connection !== undefined);
    expect(connections.length).toBeGreaterThan(6);
    for (const { field, coordinate } of connections) {
      const { cost, listSize } = directivesOf(field);
      expect(listSize, coordinate).toMatchObject({ slicingArguments: ['first'], sizedFields: ['edges', 'nodes'] });
      expect(
        field.args.map(({ name }) => name),
        coordinate,
      ).toContain('first');
      expect(Number(cost?.weight), coordinate).toBeGreaterThan(100);
    }
    const named = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'));
    expect(named.map(({ coordinate }) => coordinate)).toEqual(connections.map(({ coordinate }) => coordinate));
  });

  test('weighs every field that reads or writes, and every value', () => {
    const calls = fields.filter(({ field }) => {
      const { resolve, subscribe } = (field.extensions.pothosOptions ?? {}) as Record<string, unknown>;
      return /\b(?:loaders|ports|connect\(|connectPosts\(|run\(|perform\(|findNode\(|postingAfter\()/.test(
        `${resolve} ${subscribe}`,
      );
    });
    expect(calls.length).toBeGreaterThan(30);
    for (const { field, coordinate } of calls) {
      expect(Number(directivesOf(field).cost?.weight), coordinate).toBeGreaterThan(10);
    }
    for (const name of ['Query', 'Mutation', 'Subscription']) {
      const roots = fields.filter(({ type }) => type.name === name && name !== 'Query');
      for (const { field, coordinate } of roots) expect(directivesOf(field).cost, coordinate).toBeDefined();
    }
    const values = fields.filter(({ field }) => isLeafType(getNamedType(field.type)));
    for (const { field, coordinate } of values) {
      expect(Number(directivesOf(field).cost?.weight), coordinate).toBeGreaterThanOrEqual(1);
    }
  });

  test.each([
    ['schema.graphql, but for the default', printedSchema, [defaultWeight]],
    // Routers count a value as nothing where none is said.
    ['the schema for composers', printedForComposers, []],
  ])('says every directive of every field of an object in %s', (_what, print, unsaid) => {
    const printed = parse(print(schema));
    for (const { type, field, coordinate } of fields) {
      const node = printed.definitions
        .flatMap((each) =>
          each.kind === Kind.OBJECT_TYPE_DEFINITION || each.kind === Kind.INTERFACE_TYPE_DEFINITION
            ? each.name.value === type.name
              ? (each.fields ?? [])
              : []
            : [],
        )
        .find(({ name }) => name.value === field.name);
      const names = node?.directives
        ?.map(({ name }) => name.value)
        .filter((name) => ['cost', 'listSize'].includes(name));
      const said = directivesOf(field);
      const expected = [
        ...(said.cost === undefined || isInterfaceType(type) || unsaid.includes(said.cost.weight) ? [] : ['cost']),
        ...(said.listSize === undefined ? [] : ['listSize']),
      ];
      expect(names, coordinate).toEqual(expected);
    }
  });
});

describe('the cost of an operation', () => {
  const list = (first: number | string, selection: string, name = 'webhooks') =>
    `${name}: webhooks(first: ${first}) { nodes { ${selection} } }`;

  test('counts fields once for each object, and merges those that are one in the response', () => {
    const plain = costOf(`{ ${list(100, 'id')} }`);
    expect(costOf(`{ ${list(100, 'id id id')} }`)).toBe(plain);
    expect(costOf(`{ ${list(100, '...F ...F')} } fragment F on Webhook { id }`)).toBe(plain);
    expect(costOf(`{ ${list(100, 'id a: id')} }`)).toBe(plain + 100);
    expect(costOf(`{ ${list(100, 'id')} ${list(100, 'id', 'b')} }`)).toBe(2 * plain);
  });

  test('counts a page by its default where `first` is omitted, and a page that is too large as the largest', () => {
    expect(costOf('{ webhooks { nodes { id } } }')).toBe(costOf(`{ ${list(100, 'id')} }`));
    expect(costOf(`{ ${list(1_000_000, 'id')} }`)).toBe(costOf(`{ ${list(250, 'id')} }`));
    for (const odd of ['-1', '0', '"x"', 'null', '$unknown', '[1]'])
      expect(costOf(`{ ${list(odd, 'id')} }`)).toBeGreaterThan(0);
  });

  test('counts `nodes` by its ids, in the text or in a variable', () => {
    const one = costOf('{ nodes(ids: ["a"]) { id } }');
    const three = costOf('{ nodes(ids: ["a", "b", "c"]) { id } }');
    // Each is an object (10), its id, and an entry of the argument.
    expect(three - one).toBe(2 * 12);
    expect(costOf('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ['a', 'b', 'c'] })).toBe(three);
  });

  test('counts the dearest type of an interface or union', () => {
    const own = (selection: string) => costOf(`{ node(id: "x") { ${selection} } }`);
    expect(own('... on Account { name } ... on Webhook { name requestUrl }')).toBe(
      own('... on Webhook { name requestUrl }'),
    );
  });

  test('honours @skip and @include', () => {
    const without = costOf(`{ ${list(100, 'id')} }`);
    expect(costOf(`{ ${list(100, 'id name @skip(if: true)')} }`)).toBe(without);
    expect(costOf(`{ ${list(100, 'id ... @include(if: false) { name }')} }`)).toBe(without);
    expect(costOf(`query ($x: Boolean!) { ${list(100, 'id name @include(if: $x)')} }`, { x: true })).toBe(
      without + 100,
    );
    expect(costOf(`query ($x: Boolean!) { ${list(100, 'id name @include(if: $x)')} }`)).toBe(without + 100);
  });

  test('counts the entries of arguments for each object that has the field', () => {
    const deliveries = (states: string) =>
      costOf(`{ ${list(100, `deliveries(states: [${states}]) { nodes { id } }`)} }`);
    expect(deliveries('FAILED, HELD') - deliveries('FAILED')).toBe(100);
    const byDefault = costOf(
      'query ($s: [DeliveryState!] = [FAILED, HELD]) { webhooks { nodes { deliveries(states: $s) { nodes { id } } } } }',
    );
    expect(byDefault).toBe(deliveries('FAILED, HELD'));
  });

  test('counts the entries of JSON and of inputs alike in the text, in a variable and in its default', () => {
    const text = (data: string) => costOf(`mutation { emitEvent(input: { data: ${data} }) { __typename } }`);
    const sent = (data: object) =>
      costOf('mutation ($i: EmitEventInput!) { emitEvent(input: $i) { __typename } }', { i: { data } });
    const byDefault = (data: string) =>
      costOf(`mutation ($i: EmitEventInput = { data: ${data} }) { emitEvent(input: $i) { __typename } }`);
    const empty = text('{}');
    // An entry of a list weighs 1, one of an object 5.
    for (const [literal, value, weight] of [
      ['{}', {}, 0],
      ['{ a: 1, b: 2 }', { a: 1, b: 2 }, 10],
      ['{ a: [[1, 2], { b: [3] }] }', { a: [[1, 2], { b: [3] }] }, 15],
    ] as const) {
      expect(text(literal) - empty).toBe(weight);
      expect(sent(value)).toBe(text(literal));
      expect(byDefault(literal)).toBe(text(literal));
    }
  });

  test('is computed quickly, however much the document multiplies out to', () => {
    // Each level has two names for the next one: 2^11 ways through the document.
    const levels = Array.from(
      { length: 11 },
      (_, n) => `fragment F${n} on __Type { a: ofType { ...F${n + 1} } b: ofType { ...F${n + 1} } }`,
    );
    const document = parse(`{ __schema { types { ...F0 } } } ${levels.join(' ')} fragment F11 on __Type { name }`);
    let reads = 0;
    for (const definition of document.definitions) {
      if (!('selectionSet' in definition)) continue;
      const { selections } = definition.selectionSet;
      Object.defineProperty(definition.selectionSet, 'selections', {
        get: () => {
          reads += 1;
          return selections;
        },
      });
    }
    requireReasonableShape(document, fragmentsOf(document));
    const [operation] = document.definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('The first definition must be the operation');
    expect(operationCost(schema, document, operation, {})).toBeGreaterThan(2 ** 11);
    expect(reads).toBeLessThan(100);
  });
});
