/** What compiles: every field below what is read as JSON, or else there is a reason. */
import {
  assertInterfaceType,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { compileOperation } from '../../src/graphql/executors/compiled/operation.ts';
import { Declined } from '../../src/graphql/executors/declined.ts';
import { sourceOf } from '../../src/graphql/kit/source.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { embeddedPages } from '../support/embedded-pages.ts';
import { schema } from '../support/schema.ts';
import { servicePorts } from '../support/service-ports.ts';

/** Compiles an operation. @returns why it is not compiled; null if it is */
function reasonFor(query: string, ports: Ports = servicePorts): string | null {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const operation = getOperationAST(document, null);
  if (!operation) throw new Error('No operation');
  try {
    compileOperation(schema, ports, document, operation, {});
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

/** Behind the name of a field. */
function inner({ args, type }: GraphQLField<unknown, unknown>): string {
  const needed = args.filter(isRequiredArgument).map(({ name }) => `${name}: "b"`);
  const given = needed.length === 0 ? '' : `(${needed.join(', ')})`;
  return isLeafType(getNamedType(type)) ? given : `${given} { __typename }`;
}

interface Backend {
  readonly ports: Ports;
  /** Root fields, with their arguments. */
  readonly roots: Readonly<Record<string, string>>;
  /** Names of fields that resolvers read. */
  readonly made: readonly string[];
  /** Lists within lists. */
  readonly nested: readonly string[];
}

const authors = schema.getPossibleTypes(assertInterfaceType(schema.getType('NetworkAuthor')));
const listsOf = (types: readonly GraphQLNamedType[], field: string) => types.map(({ name }) => `${name}.${field}`);

const madeInBoth = ['totalCount', 'isTotalCountExact', 'health', 'receivesNotices', 'statistics', 'backlog'];

const backends: Readonly<Record<string, Backend>> = {
  'a service': {
    ports: servicePorts,
    roots: { posts: 'posts(accountId: "a", identifier: "b")', webhooks: 'webhooks' },
    made: [...madeInBoth, 'account', 'deliveries'],
    nested: listsOf(authors, 'posts'),
  },
  'our own database': {
    ports: embeddedPages,
    roots: {
      posts: 'posts(accountId: "a", identifier: "b")',
      deliveries: 'deliveries',
      webhooks: 'webhooks',
      webhook: 'webhook(webhookId: "w")',
      delivery: 'delivery(deliveryId: "d")',
      jobPostings: 'jobPostings',
      accounts: 'accounts',
      account: 'account(accountId: "a")',
    },
    made: [
      ...madeInBoth,
      ...['accounts', 'headers', 'data', 'lastAttempt', 'attempts', 'screeningQuestions'],
      ...['autoArchiveApplicants', 'hasRejectionNotification', 'hasPosterInfo'],
    ],
    nested: [
      ...listsOf(authors, 'posts'),
      ...['Webhook.deliveries', 'Account.posts', 'Account.webhooks', 'Account.jobPostings'],
    ],
  },
};

/** Every field of every type below a type, each with a query for it alone. */
function fieldsBelow({ made }: Backend, root: GraphQLNamedType, around: (selection: string) => string): Reached[] {
  const seen = new Set<string>();
  const below = (type: GraphQLNamedType, place: (selection: string) => string): Reached[] => {
    if (seen.has(type.name)) return [];
    seen.add(type.name);
    const possible = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    return [
      ...fields.flatMap((field) => [
        { name: `${type.name}.${field.name}`, field, query: place(`${field.name}${inner(field)}`) },
        ...(field.args.length > 0 || made.includes(field.name)
          ? []
          : below(getNamedType(field.type), (selection) => place(`${field.name} { ${selection} }`))),
      ]),
      ...possible.flatMap((each) => below(each, (selection) => place(`... on ${each.name} { ${selection} }`))),
    ];
  };
  return below(root, around);
}

const rootsRead = (ports: Ports) =>
  Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    (field) => sourceOf(field)?.pages(ports) !== undefined,
  );

const named = ({ name, query }: Reached) => [name, query] as const;

describe.each(Object.entries(backends))('of %s', (_name, backend) => {
  const { ports, roots, made, nested } = backend;
  const fields = rootsRead(ports).filter(({ name }) => roots[name] !== undefined);
  const reached = fields.flatMap(({ name, type }) =>
    fieldsBelow(backend, getNamedType(type), (selection) => `{ ${roots[name]} { ${selection} } }`),
  );
  const isMade = ({ field }: Reached): boolean => made.includes(field.name);

  test('all is known that is read, and what is below it', () => {
    // A posting that is found by its id has the fields of those in the list, but for its content.
    const names = rootsRead(ports).map(({ name }) => name);
    expect(names.filter((name) => name !== 'jobPosting').sort()).toEqual(Object.keys(roots).sort());
    expect(reached.length).toBeGreaterThan(150);
    const isNested = (each: Reached) => each.field.args.length > 0 && !isMade(each);
    expect([...new Set(reached.filter(isNested).map(({ name }) => name))].sort()).toEqual([...nested].sort());
  });

  test.each(reached.filter((each) => !isMade(each)).map(named))('%s compiles', (_, query) => {
    expect(reasonFor(query, ports)).toBeNull();
  });

  test.each(reached.filter(isMade).map(named))('%s is left to its resolver', (_, query) => {
    expect(reasonFor(query, ports)).toMatch(
      / is (known to its resolver only|read by itself)$|^pages do not come as JSON$/,
    );
  });

  test('lists of several kinds share a plan', () => {
    const each = fields.map(({ name }) => `${roots[name]} { __typename }`);
    expect(reasonFor(`{ ${each.join(' ')} }`, ports)).toBeNull();
  });
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
    const selection = all(getNamedType(schema.getQueryType()?.getFields().posts?.type) as GraphQLNamedType);
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
