/** Output enums accept values that the gateway does not know; inputs never do. */
import { GraphQLEnumType, getNamedType, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/capabilities/schema.ts';

const types = Object.values(schema.getTypeMap());
const enums = types.filter((type) => isEnumType(type));
const tolerant = enums.filter((type) => type.getValue('UNRECOGNIZED') !== undefined);

const inputs = types.flatMap((type) => {
  if (isInputObjectType(type)) return Object.values(type.getFields());
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ args }) => args);
});

test('an output enum serializes a known value under its name, and an unknown one as UNRECOGNIZED', () => {
  const reaction = schema.getType('PnetReaction') as GraphQLEnumType;
  expect(reaction).toBeInstanceOf(GraphQLEnumType);
  expect(reaction.serialize('PRAISE')).toBe('PRAISE');
  for (const unknown of ['CURIOUS', '', 'constructor', 7, null]) {
    expect(reaction.serialize(unknown)).toBe('UNRECOGNIZED');
  }
});

test('no input has UNRECOGNIZED', () => {
  expect(tolerant.length).toBeGreaterThan(8);
  const sent = new Set(inputs.map(({ type }) => getNamedType(type)));
  expect(tolerant.filter((type) => sent.has(type)).map(({ name }) => name)).toEqual([]);
});

test.each(enums.filter(({ name }) => name.startsWith('Known')))(
  '$name has the values of the enum that is read',
  (known) => {
    const read = schema.getType(known.name.slice('Known'.length)) as GraphQLEnumType;
    const names = (type: GraphQLEnumType) => type.getValues().map(({ name }) => name);
    expect(names(read).sort()).toEqual([...names(known), 'UNRECOGNIZED'].sort());
  },
);
