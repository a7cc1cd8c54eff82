/** Execution by resolvers gives what graphql-js gives: data in its order, and errors with their paths and places. */
import { setImmediate } from 'node:timers/promises';
import {
  buildSchema,
  execute as executeByGraphQLJs,
  type GraphQLError,
  getVariableValues,
  Kind,
  parse,
  validate,
} from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { execute } from '../../src/graphql/executors/resolving/execute.ts';

const schema = buildSchema(`
  interface Named { name: String }
  type Person implements Named { name: String!, friends: [Person!], pet: Animal, echo(text: String! = "x", times: Int): String }
  type Robot implements Named { name: String, serial: Int! }
  union Animal = Cat | Dog
  type Cat { lives: Int }
  type Dog { tricks: [[String!]]! }
  enum Mood { HAPPY SAD }
  type Query {
    plain: Person, later: Person, required: Person!, missing: Person, list: [Named], lists: [[Int]], broken: [Int!]
    brokenLater: [Person!], interrupted: [Int!], rejected: String, thrown: String!, returned: [String], mood: Mood, unknownMood: Mood, notAList: [Int], set: [Int]
    nothing: String!, wrongKind: Named, method(by: Int = 1): Int
  }
  type Mutation { append(text: String!, wait: Boolean = false): [String!]!, fail: String! }
`);

const later = async <Value>(value: Value): Promise<Value> => {
  await null;
  return value;
};
const fail = (message: string): never => {
  throw new Error(message);
};

const cat = { kind: 'Cat', lives: () => later(9) };
const dog = { kind: 'Dog', tricks: [['sit', null], later(['roll']), null] };
const grace = { kind: 'Person', name: 'Grace', pet: dog, echo: ({ text, times = 1 }: Echo) => text.repeat(times ?? 1) };
const ada = { kind: 'Person', name: 'Ada', friends: [grace, later(grace)], pet: later(cat) };
interface Echo {
  readonly text: string;
  readonly times?: number | null;
}

const root = (appended: string[]) => ({
  plain: ada,
  later: () => later(ada),
  required: { ...grace, name: null },
  missing: undefined,
  list: [ada, null, { kind: 'Robot', serial: null }, new Error('no item'), later({ kind: 'Robot', serial: 7 })],
  lists: [[1, 'two', later(3)], null, later([4]), [1.5]],
  broken: [1, later(null), 3],
  rejected: () => later(fail).then((rejects) => rejects('rejected')),
  thrown: () => fail('thrown'),
  returned: ['a', new Error('returned'), later(new Error('later'))],
  mood: 'HAPPY',
  unknownMood: 'ANGRY',
  notAList: 5,
  set: new Set([1, 2]),
  nothing: null,
  wrongKind: { kind: 'Cat' },
  method: ({ by }: { readonly by: number }) => by + 1,
  append: async ({ text, wait }: { readonly text: string; readonly wait: boolean }) => {
    if (wait) await later(null);
    appended.push(text);
    return [...appended];
  },
  fail: () => fail('failed'),
});

for (const name of ['Named', 'Animal']) {
  const type = schema.getType(name);
  if (type !== undefined && 'resolveType' in type)
    type.resolveType = (value) => (name === 'Animal' ? later(value.kind) : value.kind);
}
const robot = schema.getType('Robot');
if (robot !== undefined && 'isTypeOf' in robot) robot.isTypeOf = ({ serial }) => serial !== 0;
// graphql-js has a root value; here the root fields have resolvers, as in the gateway.
for (const type of [schema.getQueryType(), schema.getMutationType()]) {
  for (const field of Object.values(type?.getFields() ?? {})) {
    field.resolve = (_root, args, { source }) => {
      const value = source[field.name];
      return typeof value === 'function' ? value(args) : value;
    };
  }
}

const operations: readonly { readonly text: string; readonly variables?: Readonly<Record<string, unknown>> }[] = [
  { text: '{ plain { name friends { name pet { __typename ... on Dog { tricks } } } pet { ... on Cat { lives } } } }' },
  {
    text: '{ a: later { ...P } b: plain { ...P } } fragment P on Person { n: name friends { ...Q } } fragment Q on Named { name }',
  },
  { text: '{ plain { name } plain { friends { name } } ... on Query { plain { friends { pet { __typename } } } } }' },
  { text: '{ list { __typename name ... on Robot { serial } } }' },
  { text: '{ lists broken returned set notAList mood unknownMood missing { name } wrongKind { name } }' },
  { text: '{ rejected later { name } mood }' },
  { text: '{ plain { name } required { name } }' },
  { text: '{ later { name } rejected thrown }' },
  { text: '{ nothing }' },
  { text: '{ then: mood __proto__: mood constructor: mood later { then: name __proto__: name } }' },
  { text: 'query ($by: Int) { a: method(by: $by) b: method c: method(by: 4) }', variables: { by: 2 } },
  { text: 'query ($by: Int) { method(by: $by) }', variables: {} },
  { text: 'query ($t: String) { plain { friends { echo(text: $t) } } }', variables: { t: null } },
  {
    text: 'query ($t: String = "ab", $n: Int) { plain { friends { echo(text: $t, times: $n) } } }',
    variables: { n: 2 },
  },
  {
    text: 'query ($yes: Boolean!) { a: mood @skip(if: $yes) b: mood @include(if: $yes) ... @skip(if: $yes) { c: mood } }',
    variables: { yes: true },
  },
  { text: 'query ($yes: Boolean = true) { mood plain { name @skip(if: $yes) } }', variables: { yes: null } },
  { text: 'query ($yes: Boolean = true) { mood later @include(if: $yes) { name } }', variables: { yes: null } },
  { text: '{ __schema { queryType { name } } __type(name: "Robot") { name fields { name } } __typename }' },
  { text: 'mutation { a: append(text: "a", wait: true) b: append(text: "b") c: append(text: "c", wait: true) }' },
  { text: 'mutation { a: append(text: "a") fail b: append(text: "b") }' },
];

/** The texts of graphql-js itself reach no client. */
const ownTexts: readonly string[] = ['rejected', 'thrown', 'returned', 'later', 'no item', 'failed'];

const told = (errors: readonly GraphQLError[] = []) =>
  errors.map(({ path, locations, message }) => ({
    path,
    locations,
    message: ownTexts.includes(message) ? message : '',
  }));

test.each(operations)('$text', async ({ text, variables = {} }) => {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('The document has no operation');
  const { coerced: values = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  const expected = await executeByGraphQLJs({
    schema,
    document,
    variableValues: variables,
    contextValue: { source: root([]) },
  });
  const result = await execute({ schema, document, operation, values, context: { source: root([]) } });
  expect(JSON.stringify(result.data)).toBe(JSON.stringify(expected.data));
  expect(told(result.errors)).toEqual(told(expected.errors));
});

test('types are resolved with the path of their field, in lists of lists too', async () => {
  const nested = buildSchema(
    'type Query { lists: [[Named]] } interface Named { name: String } type Cat implements Named { name: String }',
  );
  const named = nested.getType('Named');
  const paths: unknown[] = [];
  if (named === undefined || !('resolveType' in named)) throw new Error('There is no interface');
  named.resolveType = (_value, _context, { path: { prev, key } }) => {
    paths.push({ prev, key });
    return 'Cat';
  };
  const document = parse('{ all: lists { name } }');
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The document has no operation');
  const rootValue = { lists: [[{ name: 'Tom' }]] };
  await execute({ schema: nested, document, operation, values: {}, context: null, rootValue });
  expect(paths).toEqual([{ prev: undefined, key: 'all' }]);
});

test('arguments are coerced once, however many objects a list has', async () => {
  const document = parse('{ plain { friends { name echo(text: "a") } } }');
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The document has no operation');
  const friends = Array.from({ length: 100 }, () => grace);
  const args = new Set<unknown>();
  const friend = { ...grace, echo: (given: Echo) => args.add(given) && '' };
  const context = { source: { plain: { friends: friends.map(() => friend) } } };
  await execute({ schema, document, operation, values: {}, context });
  expect(args.size).toBe(1);
});

async function failsLater(): Promise<never> {
  for (let turn = 0; turn < 10; turn += 1) await null;
  return fail('rejected');
}

test.each([
  ['brokenLater', '{ brokenLater { name } }'],
  ['interrupted', '{ interrupted }'],
  ['broken', '{ broken }'],
])('no rejection is left behind by a list that has failed: %s', async (name, text) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The document has no operation');
  const source = {
    brokenLater: [{ name: () => later(null) }, { name: null }],
    interrupted: function* () {
      yield later(null);
      fail('interrupted');
    },
    broken: () => [failsLater(), null],
  };
  const { data, errors } = await execute({ schema, document, operation, values: {}, context: { source } });
  expect(data).toEqual({ [name]: null });
  expect(errors).toHaveLength(1);
  await setImmediate();
  expect(unhandled).toEqual([]);
});
