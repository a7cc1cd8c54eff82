/** For how long the response to an operation may be kept, from the hints of the schema. */
import { type GraphQLObjectType, type GraphQLSchema, getOperationAST, isObjectType, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { operationLimits } from '../../src/graphql/cost/limits.ts';
import { cacheHintOf, maxAgeOf } from '../../src/graphql/kit/cache-hint.ts';
import { builtSchema } from '../support/hinted-schema.ts';
import { schema } from '../support/schema.ts';

function secondsOf(text: string, of: GraphQLSchema = schema, operationName?: string): number {
  const document = parse(text);
  expect(validate(of, document)).toEqual([]);
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new Error('No operation');
  return maxAgeOf(of, document, operation);
}

const posts = (selection: string) => `posts(accountId: "a", identifier: "i") { ${selection} }`;

describe('of the schema', () => {
  test.each([
    ['a list', 60, `{ ${posts('nodes { ... on PnetPost { text author { name } } } pageInfo { endCursor }')} }`],
    ['a list of the accounts', 5, '{ accounts { nodes { name } totalCount } }'],
    ['the shortest of several', 5, `{ ${posts('nodes { __typename }')} account(accountId: "a") { name } }`],
    ['an object within another', 5, '{ jobPosting(jobId: "1") { state account { name } } }'],
    ['a posting', 60, '{ jobPosting(jobId: "1") { state salary { min } applyMethod { url } } }'],
    ['a key beside a list', 60, `{ viewer { name workspace { name } } ${posts('pageInfo { hasNextPage }')} }`],
    [
      'a fragment',
      60,
      `query { ...F } fragment F on Query { ${posts('nodes { ...P }')} } fragment P on NetworkPost { text author { name } }`,
    ],
  ])('%s: %i seconds', (_what, seconds, text) => {
    expect(secondsOf(text)).toBe(seconds);
  });

  test.each([
    ['what is read from nowhere', '{ viewer { name } __typename }'],
    ['webhooks, which the engine disables', '{ webhooks { nodes { webhookId } } }'],
    [
      'webhooks of an account',
      `{ ${posts('nodes { __typename }')} account(accountId: "a") { webhooks { nodes { webhookId } } } }`,
    ],
    ['deliveries', '{ delivery(deliveryId: "d") { deliveryId } }'],
    ['a checkpoint, which expires by itself', '{ jobPosting(jobId: "1") { checkpoint { attemptsLeft } } }'],
    ['whatever has an id', '{ node(id: "x") { ... on PnetPost { text } } }'],
    ['samples, which have times', '{ eventSamples { event } }'],
    ['the schema', `{ ${posts('nodes { __typename }')} __schema { queryType { name } } }`],
    [
      'what a directive leaves out',
      `query ($no: Boolean = false) { ${posts('nodes { __typename }')} webhooks @include(if: $no) { totalCount } }`,
    ],
    ['a mutation', 'mutation { deleteWebhook(input: { webhookId: "w" }) { __typename } }'],
    ['a subscription', 'subscription { accountUpdated(accountIds: ["a"]) { status } }'],
  ])('%s is not cached', (_what, text) => {
    expect(secondsOf(text)).toBe(0);
  });

  test('RESPONSE_CACHE_MAX_AGE is at most the largest hint: more would do nothing', () => {
    const hinted = Object.values(schema.getTypeMap()).flatMap((type) => [
      type,
      ...('getFields' in type ? Object.values(type.getFields()) : []),
    ]);
    const seconds = hinted.flatMap((each) => {
      const hint = cacheHintOf(each);
      return hint !== undefined && 'maxAge' in hint && Number.isFinite(hint.maxAge) ? [hint.maxAge] : [];
    });
    const largest = Math.max(...seconds);
    const withMaxAge = (value: number) =>
      readConfig({ RESPONSE_CACHE: 'memory', RESPONSE_CACHE_MAX_AGE: String(value) });
    expect(withMaxAge(largest).responseCache?.maxAge).toBe(largest);
    expect(() => withMaxAge(largest + 1)).toThrow(`from 1 to ${largest}`);
  });

  test('nothing with a hint shows webhooks, deliveries or their statistics', () => {
    const hinted = Object.values(schema.getTypeMap()).filter(
      (type): type is GraphQLObjectType => isObjectType(type) && cacheHintOf(type) !== undefined,
    );
    expect(hinted.length).toBeGreaterThan(30);
    const names = hinted
      .map(({ name }) => name)
      .filter((name) => /Webhook|Deliver|Statistics|Event|Secret|Error/.test(name));
    // An edge is reached by its connection only, which has none.
    expect(names.filter((name) => !name.endsWith('Edge'))).toEqual([]);
  });
});

describe('of a schema of the test', () => {
  test.each([
    ['a type without a hint', 0, '{ bare { value } }'],
    ['a field without an object', 0, '{ value }'],
    ['a hint of the type', 30, '{ thing { value } }'],
    ['a hint of the field, before that of its type', 10, '{ shorter { value } }'],
    ['a value with a hint of its own', 3, '{ thing { value brief } }'],
    ['a value that is never kept', 0, '{ thing { now } }'],
    ['a part of what may be kept', 30, '{ thing { part { value } } }'],
    ['a part of nothing', 0, '{ part { value } }'],
    ['a union, by the least of its types', 30, '{ thing { either { ... on Part { value } } } }'],
    ['a union with a type without a hint', 0, '{ thing { any { ... on Part { value } } } }'],
    ['the least, wherever it stands', 3, '{ thing { value } again: thing { part { thing { brief } } } }'],
  ])('%s: %i seconds', (_what, seconds, text) => {
    expect(secondsOf(text, builtSchema)).toBe(seconds);
  });

  test('a fragment that several objects have, by what each inherits', () => {
    const text = '{ thing { ...F } shorter { ...F } } fragment F on Thing { value }';
    expect(secondsOf(text, builtSchema)).toBe(10);
    const other = '{ shorter { ...F } thing { ...F } } fragment F on Thing { value brief }';
    expect(secondsOf(other, builtSchema)).toBe(3);
  });

  // Followed one by one, its paths would take minutes.
  test.each([
    ['nothing short', 30, 'value'],
    ['a short one at its end', 3, 'value brief'],
    ['what is never kept at its end', 0, 'value now'],
  ])('fragments that each spread the next one twice, as deep as the limits allow, with %s', (_what, seconds, last) => {
    const levels = operationLimits.fragmentNesting - 1;
    const spreads = Array.from({ length: levels }, (_, n) => `fragment F${n} on Thing { ...F${n + 1} ...F${n + 1} }`);
    const text = `{ thing { ...F0 } } ${spreads.join(' ')} fragment F${levels} on Thing { ${last} }`;
    expect(secondsOf(text, builtSchema)).toBe(seconds);
  });

  test('the operation that is chosen', () => {
    const text = 'query One { thing { value } } query Other { bare { value } }';
    expect([secondsOf(text, builtSchema, 'One'), secondsOf(text, builtSchema, 'Other')]).toEqual([30, 0]);
  });
});
