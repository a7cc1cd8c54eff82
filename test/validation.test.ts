/** What shapes have in common: the kinds of fields with their limits, and the error of a request that breaks a shape. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ServiceError } from '../src/kernel/errors.ts';
import { invalidParameters } from '../src/kernel/issues.ts';
import { parse } from '../src/kernel/parse.ts';
import { boundedList, httpUrl, identifier, numericId, pageLimit, shortText, text } from '../src/kernel/validation.ts';

const shape = z.strictObject({
  name: shortText(),
  url: httpUrl().optional(),
  tags: boundedList(shortText(), 1, 2).optional(),
  limit: pageLimit({ max: 10, default: 5 }).optional(),
});

/** The error of a value that does not fit the shape. */
function errorOf(value: unknown, against: z.ZodType = shape, invalid?: 'unprocessable_entity'): ServiceError {
  try {
    parse(against, value, { invalid });
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(value)} was accepted`);
}

describe('parse', () => {
  test('returns a valid value', () => {
    const value = { name: 'x', url: 'https://a.example/', tags: ['a', 'b'], limit: 10 };
    expect(parse(shape, value)).toEqual(value);
  });

  test.each([
    [{}, 'missing_parameters', 'name is required'],
    [{ name: null }, 'invalid_parameters', 'name must not be null: leave the field out instead'],
    [{ name: 7 }, 'invalid_parameters', 'name must be a string'],
    [{ name: 'x', nmae: 'y' }, 'invalid_parameters', 'nmae is not a field of this request'],
    [{ name: 'a\0b' }, 'invalid_parameters', 'name must not contain the character U+0000'],
    [{ name: 'x'.repeat(256) }, 'too_many_characters', 'name must have at most 255 characters'],
    [{ name: 'x', tags: [] }, 'invalid_parameters', 'tags must have at least 1 entry'],
    [{ name: 'x', tags: ['a', 'b', 'c'] }, 'limit_too_high', 'tags must have at most 2 entries'],
    [{ name: 'x', tags: ['a', 7] }, 'invalid_parameters', 'tags.1 must be a string'],
    [{ name: 'x', limit: 11 }, 'limit_too_high', 'limit must be at most 10'],
    [{ name: 'x', limit: 1.5 }, 'invalid_parameters', 'limit must be a whole number'],
    ['nonsense', 'invalid_parameters', 'The request must be an object'],
  ])('%j', (value, name, detail) => {
    expect(errorOf(value)).toMatchObject({ errorName: name, detail });
  });

  test('names every invalid field, and has the type of the gravest violation', () => {
    const error = errorOf({ url: 'ftp://a', limit: 99 });
    expect(error.errorName).toBe('missing_parameters');
    expect(error.issues.map(({ path }) => path)).toEqual([['name'], ['url'], ['limit']]);
    expect(error.detail).toBe(error.issues.map(({ path, message }) => `${path} ${message}`).join('; '));
  });

  test('gives every violation the one type of an operation that has only one', () => {
    expect(errorOf({}, shape, 'unprocessable_entity')).toMatchObject({
      errorName: 'unprocessable_entity',
      issues: [{ path: ['name'], message: 'is required' }],
    });
  });

  test('of a union whose discriminator is wrong, names what every variant requires', () => {
    const union = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), common: text(), own: text() }),
      z.object({ kind: z.literal('b'), common: text(), own: text().optional() }),
    ]);
    expect(errorOf({ kind: 'c' }, union).issues).toEqual([
      { path: ['kind'], code: 'not_allowed', message: 'must be one of a, b' },
      { path: ['common'], code: 'required', message: 'is required' },
    ]);
  });

  test('of a union, says that a field is of another variant', () => {
    const union = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a') }),
      z.strictObject({ kind: z.literal('b'), own: text().optional() }),
    ]);
    expect(errorOf({ kind: 'a', own: 'x', other: 'y' }, union).issues).toEqual([
      { path: ['own'], code: 'conflicting', message: 'is not accepted with this kind' },
      { path: ['other'], code: 'unknown_field', message: 'is not a field of this request' },
    ]);
  });
});

describe('httpUrl', () => {
  test.each(['http://a', 'HTTPS://a.example:81/x?y#z', 'http://[::1]/'])('%s fits', (url) => {
    expect(parse(httpUrl(), url)).toBe(url);
  });

  test.each([
    'a',
    '//a',
    'http:a',
    'https://u@a',
    'https://u:p@a',
    'https://a b',
    'https:\\\\a',
    'http://a\n',
    'http:///a',
    'https:////a/b',
  ])('%j is errors/invalid_url', (url) => {
    expect(errorOf(url, httpUrl()).errorName).toBe('invalid_url');
  });
});

test('identifiers have 1 to 255 characters, and a numeric id has digits only', () => {
  expect(parse(identifier(), 'x'.repeat(255))).toHaveLength(255);
  expect(errorOf('', identifier()).detail).toBe('The request must not be empty');
  expect(parse(numericId(), '007')).toBe('007');
  for (const id of ['7a', '']) {
    expect(errorOf(id, numericId()).detail).toBe('The request must be a numeric id, written as digits in a string');
  }
});

test('a rule that no shape can state has issues and a detail of the same form', () => {
  expect(
    invalidParameters([
      { path: ['data', 0, 'key'], code: 'not_allowed', message: 'is not a key of the source' },
      { path: [], code: 'required', message: 'is empty' },
    ]),
  ).toMatchObject({
    errorName: 'invalid_parameters',
    detail: 'data.0.key is not a key of the source; The request is empty',
  });
});
