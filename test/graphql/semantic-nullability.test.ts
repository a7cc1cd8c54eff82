/**
 * What can fail by itself is nullable, with `@semanticNonNull` where null means an error. Derived from the schema: a field of
 * the query type and a list that are not so are named here with the reason, and the next one fails this test.
 */
import {
  buildSchema,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { semanticToStrict } from 'graphql-sock';
import { describe, expect, test } from 'vitest';
import { pageWeightsOf } from '../../src/graphql/cost/weights.ts';
import { semanticNonNullOf } from '../../src/graphql/kit/semantic-nullability.ts';
import { isRequired } from '../../src/graphql/kit/wire.ts';
import { printedSchema } from '../../src/graphql/schema/print.ts';
import { schema } from '../support/schema.ts';

type Field = GraphQLField<unknown, unknown>;

const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
  !type.name.startsWith('__') && (isObjectType(type) || isInterfaceType(type))
    ? Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, parent: type, field }))
    : [],
);

/** Why null says that there is nothing to see, so that a client must expect it. */
const notFound = 'null: the key can see no such object';
/** Why the field is not nullable. */
const inMemory = 'not null: it is made of the request and of what the program knows, so it fails with the request only';

/** The fields of the query type that are not `@semanticNonNull`. */
const otherReads: Readonly<Record<string, string>> = {
  'Query.account': notFound,
  'Query.delivery': notFound,
  'Query.jobPosting': notFound,
  'Query.node': notFound,
  'Query.webhook': notFound,
};

const isRead = ({ parent }: (typeof fields)[number]) => parent === schema.getQueryType();
const isConnection = ({ field }: (typeof fields)[number]) => pageWeightsOf(getNamedType(field.type)) !== undefined;
const isWrite = ({ parent }: (typeof fields)[number]) => parent === schema.getMutationType();

/** The nullability of a value and of the items of its list. */
const isNullableAt = (type: GraphQLOutputType, level: number): boolean => {
  if (level === 0) return !isNonNullType(type);
  const list = getNullableType(type);
  return isListType(list) && isNullableAt(list.ofType, level - 1);
};

const expectNullOnlyOnError = (field: Field, levels: readonly number[] = [0]) => {
  expect(semanticNonNullOf(field)).toEqual({ levels });
  for (const level of levels) expect(isNullableAt(field.type, level)).toBe(true);
};

describe('null means an error', () => {
  const reads = fields.filter((each) => isRead(each) || isConnection(each));

  test.each(reads.filter(({ name }) => otherReads[name] === undefined))('of $name', ({ field }) =>
    expectNullOnlyOnError(field),
  );

  test.each(reads.filter(({ name }) => otherReads[name] !== undefined))('not of $name', ({ name, field }) => {
    expect(semanticNonNullOf(field)).toBeUndefined();
    expect(isNonNullType(field.type)).toBe(otherReads[name] === inMemory);
  });

  test('and every exception is a field', () => {
    expect(reads.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(otherReads)));
  });

  test.each(fields.filter(isWrite))('of $name, which hides nothing of the others', ({ field }) =>
    expectNullOnlyOnError(field),
  );

  test('of values that the contract requires a network to send, and not of optional ones', () => {
    const read = fields.filter(({ field }) => field.extensions.required !== undefined);
    expect(read.length).toBeGreaterThan(100);
    for (const { name, field } of read) {
      const levels = isListType(getNullableType(field.type)) ? [0, 1] : [0];
      if (isRequired(field)) expectNullOnlyOnError(field, levels);
      else expect(semanticNonNullOf(field), name).toBeUndefined();
    }
  });

  test('of an item of a connection, in its node and its edge', () => {
    for (const type of Object.values(schema.getTypeMap())) {
      if (pageWeightsOf(type) === undefined || !isObjectType(type)) continue;
      const { nodes, edges } = type.getFields();
      const edge = edges && getNamedType(edges.type);
      const node = isObjectType(edge) ? edge.getFields().node : undefined;
      if (nodes === undefined || node === undefined) throw new Error(`${type.name} is no connection`);
      expectNullOnlyOnError(nodes, [1]);
      expectNullOnlyOnError(node);
    }
  });

  test('which the head of the schema says, once, and the directive at each field', () => {
    expect(schema.description).toContain('`@semanticNonNull` is null only with an error at its path');
    for (const { name, field } of fields) expect(field.description, name).not.toMatch(/null only with an error/i);
  });
});

describe('schema.graphql', () => {
  const printed = buildSchema(printedSchema(schema));

  test('defines the directive as clients know it', () => {
    expect(printedSchema(schema).replace(/ *"""[\s\S]*?"""\n/g, '')).toContain(
      'directive @semanticNonNull(\n  levels: [Int] = [0]\n) on FIELD_DEFINITION\n',
    );
  });

  test('has it at the fields that the schema says', () => {
    for (const { name, parent, field } of fields) {
      const type = printed.getType(parent.name);
      if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${parent.name} is not printed`);
      const node = type.getFields()[field.name]?.astNode;
      const has = node?.directives?.some((directive) => directive.name.value === 'semanticNonNull');
      expect(has, name).toBe(semanticNonNullOf(field) !== undefined);
    }
  });

  test('becomes a strict schema for clients that handle errors', () => {
    const query = semanticToStrict(printed).getQueryType()?.getFields() ?? {};
    expect(String(query.posts?.type)).toBe('PostConnection!');
    expect(String(query.webhook?.type)).toBe('Webhook');
  });
});
