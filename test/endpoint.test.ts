import { expect, test } from 'vitest';
import { z } from 'zod';
import { constantsOf, endpointNames, pathParameters } from '../src/kernel/endpoint.ts';
import { endpoints } from '../src/rest/endpoints.ts';

test('every endpoint of the contract has one row, with an operation id of its own', () => {
  expect(endpoints.map(({ name }) => name).sort()).toEqual([...endpointNames].sort());
  expect(endpoints.map(({ operationId }) => operationId).sort()).toEqual([
    'createWebhook',
    'deleteWebhook',
    'editJob',
    'listPosts',
    'listWebhooks',
    'publishJob',
    'solveJobCheckpoint',
  ]);
});

test.each(endpoints)('the response of $name has kinds that tell it apart', ({ response }) => {
  expect(constantsOf(response, 'object')).not.toEqual([]);
});

test('path parameters are read from the path', () => {
  expect(pathParameters({ path: '/a/{b}/c/{d_e}' })).toEqual(['b', 'd_e']);
  expect(pathParameters({ path: '/a' })).toEqual([]);
});

test('the constants of a field are those of every variant, each once', () => {
  const variant = <Type extends string>(type: Type) => z.object({ object: z.literal('X'), type: z.literal(type) });
  const union = z.discriminatedUnion('type', [variant('a'), variant('b')]);
  expect(constantsOf(union, 'type')).toEqual(['a', 'b']);
  expect(constantsOf(union, 'object')).toEqual(['X']);
  expect(constantsOf(union, 'other')).toEqual([]);
  expect(constantsOf(z.object({ object: z.string() }), 'object')).toEqual([]);
  expect(constantsOf(z.string(), 'object')).toEqual([]);
});
