/** What compiles: every field below the lists of a service, or else there is a reason. */
import {
  assertInterfaceType,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/capabilities/schema.ts';
import { chosenOperation } from '../../src/graphql/cost/operation-cost.ts';
import { compileOperation } from '../../src/graphql/executors/compiled/operation.ts';
import { Declined } from '../../src/graphql/executors/declined.ts';
import { listSourceOf } from '../../src/graphql/kit/list-source.ts';
import { listsAsBytes as ports } from '../support/lists-as-bytes.ts';

/** Compiles an operation. @returns why it is not compiled; null if it is */
function reasonFor(query: string, values = {}): string | null {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const operation = chosenOperation(document, null);
  if (operation === undefined) throw new Error('No operation');
  try {
    compileOperation(schema, ports, document, operation, values);
    return null;
  } catch (error) {
    if (error instanceof Declined) return error.reason;
    throw error;
  }
}

/** A field that an operation can select. */
interface Reached {
  /** As `Type.field`. */
  readonly name: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly query: string;
}

const inner = (field: GraphQLField<unknown, unknown>): string =>
  isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';

/** Fields of webhooks, and of their lists, that are read by themselves. */
const madeByResolvers: readonly string[] = [
  'account',
  'totalCount',
  'health',
  'receivesNotices',
  'deliveries',
  'statistics',
  'backlog',
];

const isMade = ({ name }: GraphQLField<unknown, unknown>): boolean => madeByResolvers.includes(name);

/** Every field of every type below a type, each with a query for it alone. */
function fieldsBelow(
  type: GraphQLNamedType,
  around: (selection: string) => string,
  seen = new Set<string>(),
): Reached[] {
  if (seen.has(type.name)) return [];
  seen.add(type.name);
  const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  return [
    ...fields.flatMap((field) => [
      { name: `${type.name}.${field.name}`, field, query: around(`${field.name}${inner(field)}`) },
      ...(field.args.length > 0 || isMade(field)
        ? []
        : fieldsBelow(getNamedType(field.type), (selection) => around(`${field.name} { ${selection} }`), seen)),
    ]),
    ...possible.flatMap((each) =>
      fieldsBelow(each, (selection) => around(`... on ${each.name} { ${selection} }`), seen),
    ),
  ];
}

const lists = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
  (field) => listSourceOf(field)?.bytes(ports) !== undefined,
);
const roots: Readonly<Record<string, string>> = {
  posts: 'posts(accountId: "a", identifier: "b")',
  webhooks: 'webhooks',
};
const reached = lists.flatMap(({ name, type }) =>
  fieldsBelow(getNamedType(type), (selection) => `{ ${roots[name]} { ${selection} } }`),
);

/** Lists within lists. */
const isNestedList = ({ field }: Reached): boolean => field.args.length > 0 && !isMade(field);

test('the lists of a service, and what is below them', () => {
  expect(lists.map(({ name }) => name)).toEqual(Object.keys(roots));
  expect(reached.length).toBeGreaterThan(150);
  const authors = schema.getPossibleTypes(assertInterfaceType(schema.getType('NetworkAuthor')));
  expect(reached.filter(isNestedList).map(({ name }) => name)).toEqual(
    authors.map(({ name }) => `${name}.posts`).sort(),
  );
});

const named = ({ name, query }: Reached) => [name, query] as const;

test.each(reached.filter(({ field }) => !isMade(field)).map(named))('%s compiles', (_, query) => {
  expect(reasonFor(query)).toBeNull();
});

test.each(reached.filter(({ field }) => isMade(field)).map(named))('%s is left to its resolver', (name, query) => {
  expect(reasonFor(query)).toMatch(new RegExp(`\\.${name.split('.').at(-1)} is known to its resolver only$`));
});

test('lists of two kinds do not share a plan', () => {
  expect(reasonFor(`{ ${roots.posts} { __typename } ${roots.webhooks} { __typename } }`)).toBe('no list of one kind');
});

/** As many selections, each under a name of its own. */
const times = (count: number, name: string, selection: string) =>
  Array.from({ length: count }, (_, at) => `${name}${at}: ${selection}`).join(' ');

describe('a plan is bounded', () => {
  const all = (type: GraphQLNamedType, depth = 0): string => {
    const fields = isObjectType(type) ? Object.values(type.getFields()).filter(({ args }) => args.length === 0) : [];
    const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
    return `{ __typename ${[
      ...fields.map((field) => {
        const named = getNamedType(field.type);
        return isLeafType(named) ? field.name : depth > 8 ? '' : `${field.name} ${all(named, depth + 1)}`;
      }),
      ...possible.map((each) => `... on ${each.name} ${all(each, depth + 1)}`),
    ].join(' ')} }`;
  };

  test('with room for all that the schema has', () => {
    const selection = all(getNamedType(lists[0]?.type) as GraphQLNamedType);
    expect(reasonFor(`{ posts(accountId: "a", identifier: "b") ${selection} }`)).toBeNull();
    expect(reasonFor(`{ ${times(6, 'list', `posts(accountId: "a", identifier: "b") ${selection}`)} }`)).toBeNull();
  });

  test.each([
    ['fragments in fragments', 10, 60, 120],
    ['a few of them', 2, 40, 100],
  ])('by what is selected, not by the length of the document: %s', (_what, nodes, authors, names) => {
    const query = `{ posts(accountId: "a", identifier: "b") { ${times(nodes, 'n', 'nodes { ...Post }')} } }
      fragment Post on PnetPost { ${times(authors, 'a', 'author { ...Author }')} }
      fragment Author on PnetAuthor { ${times(names, 'p', 'name')} }`;
    expect(reasonFor(query)).toBe('more than a plan holds');
  });

  test('by the length of names, too', () => {
    const query = `{ posts(accountId: "a", identifier: "b") { nodes { ...Post } } }
      fragment Post on PnetPost { ${times(20, 'a', 'author { ...Author }')} }
      fragment Author on PnetAuthor { ${'n'.repeat(20_000)}: name }`;
    expect(reasonFor(query)).toBe('more than a plan holds');
  });
});
