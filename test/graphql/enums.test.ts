/** Output enums accept values that the gateway does not know; inputs never do. */
import { GraphQLEnumType, parseValue } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';

const reaction = schema.getType('PnetReaction') as GraphQLEnumType;

test('an output enum serializes a known value under its name, and an unknown one as UNRECOGNIZED', () => {
  expect(reaction).toBeInstanceOf(GraphQLEnumType);
  expect(reaction.serialize('PRAISE')).toBe('PRAISE');
  for (const unknown of ['CURIOUS', '', 'constructor', 7, null]) {
    expect(reaction.serialize(unknown)).toBe('UNRECOGNIZED');
  }
});

test('UNRECOGNIZED is not an input, as a variable or in a document', () => {
  expect(reaction.parseValue('LIKE')).toBe('LIKE');
  expect(() => reaction.parseValue('UNRECOGNIZED')).toThrow(/only ever returned/);
  expect(() => reaction.parseLiteral(parseValue('UNRECOGNIZED'), {})).toThrow(/only ever returned/);
});
