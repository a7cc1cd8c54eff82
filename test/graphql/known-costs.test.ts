import { Kind, parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { createCosts, operationCost } from '../../src/graphql/cost/operation-cost.ts';
import { schema } from '../support/schema.ts';

const values: readonly unknown[] = [
  undefined,
  null,
  '',
  'a',
  '7',
  0,
  1,
  7,
  100,
  true,
  false,
  [],
  ['a'],
  ['a', 'b'],
  { a: [1] },
];

test.each([
  'query ($a: Int, $b: Boolean = false) { accounts(first: $a) { nodes { id name @include(if: $b) } } }',
  'query ($a: Int = 5, $b: Int) { a: accounts(first: $a) { nodes { id } } b: webhooks(first: $b) { nodes { id } } }',
  'query ($a: [ID!]!, $b: Boolean!) { nodes(ids: $a) { id @skip(if: $b) } }',
  'mutation ($a: EditJobInput!, $b: Boolean!) { editJob(input: $a) { __typename @skip(if: $b) } }',
])('a remembered cost is that of the same values: %s', (text) => {
  const document = parse(text);
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The document has no operation');
  const costOf = createCosts(schema, document, operation);
  for (const _ of ['first', 'again']) {
    for (const a of values) {
      for (const b of values) {
        const sent = JSON.parse(JSON.stringify({ a, b }));
        expect(costOf(sent), JSON.stringify(sent)).toBe(operationCost(schema, document, operation, sent));
      }
    }
  }
});

test('long values are not remembered', () => {
  const names = Array.from({ length: 500 }, (_, at) => `$v${at}: Float`).join(' ');
  const document = parse(`query (${names}) { viewer { name } }`);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The document has no operation');
  const costOf = createCosts(schema, document, operation);
  const sent = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`v${at}`, Math.PI]));
  const kept = vi.spyOn(Map.prototype, 'set');
  costOf(sent);
  const longest = Math.max(...kept.mock.calls.map(([key]) => (typeof key === 'string' ? key.length : 0)));
  kept.mockRestore();
  expect(longest).toBeLessThan(300);
});
