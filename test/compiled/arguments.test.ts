import { buildSchema, type FieldNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { compileArguments } from '../../src/graphql/executors/compiled/readers.ts';
import { Declined } from '../../src/graphql/executors/declined.ts';

const schema = buildSchema('input Range { from: Int, to: Int } type Query { list(ids: [Int], range: Range): Int }');
const field = schema.getQueryType()?.getFields().list;

function read(given: string) {
  const [definition] = parse(`query ($x: Int) { list(${given}) }`).definitions;
  const node = definition !== undefined && 'selectionSet' in definition && definition.selectionSet?.selections[0];
  if (field === undefined) throw new Error('No field');
  return compileArguments(field, node as FieldNode)({ x: 2 });
}

test.each([['ids: [1, $x]'], ['ids: [$x]'], ['range: { from: 1, to: $x }'], ['range: { from: $x }']])(
  'a literal with a variable inside is not compiled: %s',
  (given) => expect(() => read(given)).toThrow(expect.any(Declined)),
);

test.each([
  ['ids: $x', { ids: 2 }],
  ['ids: [1, 2]', { ids: [1, 2] }],
  ['range: { from: 1 }', { range: { from: 1 } }],
])('%s', (given, values) => expect(read(given)).toEqual(values));
