import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { createOperationCache, valuesFor } from '../../src/graphql/compiled/operation-cache.ts';
import { rememberedCosts } from '../../src/graphql/cost/known-costs.ts';
import { Fallback } from '../../src/graphql/fallback.ts';
import { schema } from '../../src/graphql/schema.ts';
import { createValidity } from '../../src/graphql/validity.ts';
import { postsAsBytes as ports } from '../support/posts-as-bytes.ts';

const options = {
  ports,
  maxCost: 1000,
  costOf: rememberedCosts(schema),
  schema,
  refusalOf: createValidity(schema, true),
};
const list = 'posts(accountId: "a", identifier: "b", first: $first) { nodes { ... on PnetPost { text } } }';
const document = parse(`query Posts($first: Int!) { ${list} }`);

const reasonOf = (act: () => void): string | null => {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof Fallback) return error.reason;
    throw error;
  }
};

test('an operation that was too expensive is remembered: other values may be cheaper', () => {
  const { find, check } = createOperationCache(options);
  const operation = find(document, null);
  expect(reasonOf(() => check(operation, valuesFor(operation, { first: 100 })))).toBe('cost');
  expect(find(document, null)).toBe(operation);
  expect(reasonOf(() => check(operation, valuesFor(operation, { first: 1 })))).toBeNull();
});

test('an operation is cached once, whether a request names it or not', () => {
  const { find, compiledFor } = createOperationCache(options);
  expect(find(document, 'Posts')).toBe(find(document, null));
  const values = { first: 1 };
  expect(compiledFor(find(document, 'Posts'), values)).toBe(compiledFor(find(document, null), values));
});

test('an operation that is too expensive is not validated', () => {
  const { find, check } = createOperationCache(options);
  const invalid = find(parse(`query ($first: Int!) { ${list} b: ${list.replace('text', 'nothing')} }`), null);
  expect(reasonOf(() => check(invalid, { first: 100 }))).toBe('cost');
  expect(reasonOf(() => check(invalid, { first: 1 }))).toBe('invalid');
});
