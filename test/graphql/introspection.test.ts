/** Introspection as tools send it is a part of what was executed once: the same as if it had been executed itself. */
import {
  buildSchema,
  type DirectiveNode,
  type DocumentNode,
  executeSync,
  type GraphQLSchema,
  getIntrospectionQuery,
  getOperationAST,
  Kind,
  parse,
  print,
  type VariableNode,
  validate,
  visit,
} from 'graphql';
import { expect, test, vi } from 'vitest';
import { preparedIntrospection } from '../../src/graphql/executors/introspection.ts';
import { schema } from '../support/schema.ts';

/** Everything that can be deprecated, and types within types. */
const small = buildSchema(`
  directive @marks(old: Int @deprecated, new: [[Int!]!]! = [[1]]) repeatable on FIELD | OBJECT
  interface Named { name: String! }
  type Query implements Named {
    name(old: Int @deprecated(reason: "\\"Old\\""), new: Kind = NEW): String!
    before: Int @deprecated
    things(by: By): [[Thing!]!]!
  }
  union Thing = Query
  input By @oneOf { a: Int, b: [Int] @deprecated }
  enum Kind { OLD @deprecated NEW }
  scalar Url @specifiedBy(url: "https://url.spec.whatwg.org")
`);

const options = {
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};

/** Numbers from 0 to 1 that are the same in every run. */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Some of the selections of a document, in another order, with other flags. */
function someOf(document: DocumentNode, random: () => number): DocumentNode {
  const shuffled = visit(document, {
    SelectionSet(set) {
      const ranked = set.selections.map((selection) => ({ selection, rank: random() }));
      // A fragment that nothing spreads would be invalid.
      const kept = ranked.filter(({ selection }) => print(selection).includes('...') || random() > 0.2);
      const order = (kept.length === 0 ? ranked : kept).toSorted((a, b) => a.rank - b.rank);
      return { ...set, selections: order.map(({ selection }) => selection) };
    },
    BooleanValue: (value) => ({ ...value, value: random() > 0.5 }),
  });
  return parse(print(shuffled));
}

const asPrepared = (introspect: ReturnType<typeof preparedIntrospection>, document: DocumentNode, values = {}) => {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('There is no operation');
  return introspect(document, operation)?.(values) ?? null;
};

const whole = parse(getIntrospectionQuery(options).replaceAll('{\n', '{ __typename\n'));

test.each([
  ['a schema with all that can be deprecated', small, 200],
  ['the schema', schema, 5],
] as const)('any part of it in any order equals the result of an execution: %s', (_what, of: GraphQLSchema, runs) => {
  const introspect = preparedIntrospection(of);
  for (let run = 0; run < runs; run += 1) {
    const document = run === 0 ? whole : someOf(whole, randoms(run));
    const executed = JSON.stringify(executeSync({ schema: of, document }));
    // Not `toBe`, which would print half a megabyte.
    expect(asPrepared(introspect, document) === executed, print(document)).toBe(true);
  }
});

/** The same document with its flags and some conditions in variables, of which some have defaults, and the values of them. */
function withVariables(document: DocumentNode, random: () => number) {
  const values: Record<string, boolean> = {};
  const definitions: string[] = [];
  const variable = (): VariableNode => {
    const name = `v${definitions.length}`;
    const value = random() > 0.4;
    const isDefault = random() > 0.5;
    definitions.push(`$${name}: Boolean${isDefault ? ` = ${value}` : '!'}`);
    if (!isDefault) values[name] = value;
    return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } };
  };
  const condition = (): DirectiveNode => ({
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: random() > 0.5 ? 'include' : 'skip' },
    arguments: [
      {
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: 'if' },
        value: random() > 0.5 ? variable() : { kind: Kind.BOOLEAN, value: random() > 0.5 },
      },
    ],
  });
  const directives = () => (random() > 0.8 ? [condition()] : []);
  const changed = visit(document, {
    BooleanValue: () => (random() > 0.5 ? variable() : undefined),
    Field: { leave: (node) => ({ ...node, directives: directives() }) },
    FragmentSpread: { leave: (node) => ({ ...node, directives: directives() }) },
  });
  const heading = definitions.length === 0 ? 'query' : `query (${definitions.join(', ')})`;
  return { document: parse(print(changed).replace(/(^|\n)(query \w+|query|)(?= ?\{)/, `$1${heading}`)), values };
}

test.each([
  ['a schema with all that can be deprecated', small, 300],
  ['the schema', schema, 5],
] as const)('with variables, defaults and conditions, too: %s', (_what, of: GraphQLSchema, runs) => {
  const introspect = preparedIntrospection(of);
  let answered = 0;
  for (let run = 1; run <= runs; run += 1) {
    const { document, values } = withVariables(someOf(whole, randoms(run)), randoms(run + 1_000));
    if (validate(of, document).length > 0) continue;
    const executed = JSON.stringify(executeSync({ schema: of, document, variableValues: values }));
    expect(asPrepared(introspect, document, values) === executed, print(document)).toBe(true);
    answered += 1;
  }
  expect(answered).toBeGreaterThan(runs / 2);
});

test('the introspection is executed once, whatever is selected in whatever order', () => {
  const listed = vi.spyOn(small, 'getTypeMap');
  const introspect = preparedIntrospection(small);
  asPrepared(introspect, whole);
  const once = listed.mock.calls.length;
  expect(once).toBeGreaterThan(0);
  for (let run = 1; run <= 50; run += 1) expect(asPrepared(introspect, someOf(whole, randoms(run)))).not.toBeNull();
  expect(listed.mock.calls.length).toBe(once);
  listed.mockRestore();
});
