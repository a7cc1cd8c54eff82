/** What is known of documents and their operations is found once, and bounded. */
import { parse } from 'graphql';
import { expect, test } from 'vitest';
import type { KnowledgeOptions } from '../../src/graphql/documents/known-documents.ts';
import { rememberedDocuments } from '../../src/graphql/documents/known-documents.ts';
import { Declined } from '../../src/graphql/executors/declined.ts';
import { schema } from '../support/schema.ts';
import { servicePorts as ports } from '../support/service-ports.ts';

const options: KnowledgeOptions = { schema, introspection: false, compiling: ports };
const list = 'posts(accountId: "a", identifier: "b", first: $first) { nodes { ... on PnetPost { text } } }';
const text = `query Posts($first: Int!, $on: Boolean = true) { ${list} viewer @skip(if: $on) { name } }`;

const planOf = (document: ReturnType<ReturnType<typeof rememberedDocuments>>, values: object) => {
  const plans = document.find(null)?.plans;
  return plans instanceof Declined ? plans : plans?.planFor({ ...values });
};

test('a document is parsed once, and its operation known once, whether a request names it or not', () => {
  const documentOf = rememberedDocuments(options);
  const known = documentOf(text);
  expect(documentOf(text)).toBe(known);
  expect(known.find('Posts')).toBe(known.find(null));
  expect(known.find('Other')).toBeUndefined();
  expect(known.errors).toBe(known.errors);
});

test('an operation is compiled once for the values that decide what is selected', () => {
  const compiled = `query Posts($first: Int!, $on: Boolean!) { ${list.replace('text', 'text @include(if: $on)')} }`;
  const document = rememberedDocuments(options)(compiled);
  expect(planOf(document, { first: 1, on: true })).toBe(planOf(document, { first: 2, on: true }));
  expect(planOf(document, { first: 1, on: false })).not.toBe(planOf(document, { first: 1, on: true }));
  expect(planOf(document, { first: 1 })).toBeInstanceOf(Declined);
});

test('a comment counts: texts of few tokens do not fill the memory', () => {
  const documentOf = rememberedDocuments(options, { maxTokens: 1_000 });
  const texts = Array.from({ length: 10 }, (_, index) => `{__typename}#${index}${'x'.repeat(8_000)}`);
  const known = texts.map((each) => documentOf(each));
  expect(texts.map((each) => documentOf(each)).filter((each, at) => each === known[at])).toEqual([]);
  const last = texts.at(-1) ?? '';
  expect(documentOf(last)).toBe(documentOf(last));
});

test('errors are kept without stacks, which would hold more than anything that counts', () => {
  const { errors, schemaError } = rememberedDocuments(options)(`{ __schema { kind } ${'x'.repeat(1_000)} }`);
  expect(errors.map(({ stack = '' }) => stack.split('\n    at ').length)).toEqual([1, 1]);
  expect(schemaError?.message).toContain('introspection');
  expect(schemaError?.stack).not.toContain('\n    at ');
});

test('what is found of a document that was pushed out does not replace its successor', () => {
  const documentOf = rememberedDocuments(options, { maxTokens: 1_000 });
  const posts = `query ($first: Int!) { ${list} }`;
  const old = documentOf(posts);
  for (let n = 0; n < 10; n += 1) documentOf(`{__typename}#${n}${'x'.repeat(8_000)}`);
  const successor = documentOf(posts);
  expect(successor).not.toBe(old);
  expect(planOf(old, { first: 1 })).not.toBeInstanceOf(Declined);
  expect(documentOf(posts)).toBe(successor);
});

test('a plan that is given up for another no longer counts', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const variables = names.map((name) => `$${name}: Boolean!`).join(' ');
  const directives = names.map((name) => `${name}: text @include(if: $${name})`).join(' ');
  const documentOf = rememberedDocuments(options);
  const document = documentOf(`query ($first: Int!, ${variables}) { ${list.replace('text', directives)} }`);
  const planOfNumber = (number: number) => {
    const choices = names.map((name, place) => [name, (number >> place) % 2 === 1] as const);
    expect(planOf(document, { first: 1, ...Object.fromEntries(choices) })).not.toBeInstanceOf(Declined);
    return document.weight;
  };
  const weights = Array.from({ length: 2 ** names.length }, (_, number) => planOfNumber(number));
  expect(Math.max(...weights)).toBeLessThan(2 * Number(weights[15]));
  // All sixteen are other ones by now, and the same as in the first round.
  const again = Array.from({ length: 2 ** names.length }, (_, number) => planOfNumber(number));
  expect(again.at(-1)).toBe(weights.at(-1));
});

test('what is found of a document counts: a plan and errors push others out', () => {
  const one = '{ viewer { name } }';
  const found: Readonly<Record<string, (document: ReturnType<ReturnType<typeof rememberedDocuments>>) => unknown>> = {
    [`query ($first: Int!) { ${list} }`]: (document) => planOf(document, { first: 1 }),
    '{ a b c }': ({ errors }) => errors,
  };
  for (const [other, find] of Object.entries(found)) {
    const [small, large] = [one, other].map((each) => rememberedDocuments(options)(each).weight);
    const documentOf = rememberedDocuments(options, { maxTokens: Number(small) + Number(large) });
    const [first, second] = [documentOf(one), documentOf(other)];
    expect(documentOf(one)).toBe(first);
    find(second);
    expect(documentOf(other)).toBe(second);
    expect(documentOf(one)).not.toBe(first);
  }
});

test('documents that others send evict no trusted document, nor what is known of it', () => {
  const trusted = 'query Posts { posts(accountId: "a", identifier: "b", first: 1) { nodes { __typename } } }';
  const documentOf = rememberedDocuments(options, { trusted: new Map([[trusted, parse(trusted)]]) });
  const known = documentOf(trusted);
  const plan = planOf(known, {});
  for (let index = 0; index < 500; index += 1) {
    planOf(documentOf(trusted.replace('Posts', `Posts${index}`) + ' '.repeat(20_000)), {});
  }
  expect(documentOf(trusted)).toBe(known);
  expect(planOf(known, {})).toBe(plan);
});
