/** Requests from GraphQL's terms to the contract's, and the paths of issues back. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { issuesInGraphQL, tagOneOf, toSnakeCase, unwrapped } from '../../src/graphql/kit/contract-mapping.ts';
import { ServiceError } from '../../src/kernel/errors.ts';

type Path = (string | number)[];

/** The path of an issue as a mutation shows it. */
function pathIn(request: unknown, path: Path, prefix?: string[]): Path {
  const error = new ServiceError('invalid_parameters', { issues: [{ path, code: 'malformed', message: 'is wrong' }] });
  return [...(issuesInGraphQL(error, request, prefix).issues[0]?.path ?? [])];
}

describe('tagOneOf', () => {
  test('takes a variant beside others that are null or undefined', () => {
    expect(tagOneOf('type', { a: null, b: {}, c: undefined })).toEqual({ type: 'b' });
  });

  test.each([{}, { a: null }, { a: {}, b: {} }])('refuses %j: exactly one variant must be given', (oneOf) => {
    expect(() => tagOneOf('type', oneOf)).toThrow(expect.objectContaining({ type: 'errors/invalid_parameters' }));
  });
});

describe('issuesInGraphQL', () => {
  test.each([
    [['limit'], ['first']],
    [['cursor'], ['after']],
    [['id'], ['webhookId']],
    [
      ['company', 'id'],
      ['company', 'providerId'],
    ],
    [
      ['company', 'limit'],
      ['company', 'limit'],
    ],
    [[], []],
  ])('%j is %j', (contract, graphql) => {
    expect(pathIn({}, contract)).toEqual(graphql);
  });

  test('a path that leads nowhere in the request is named all the same', () => {
    expect(pathIn({ a: 'text' }, ['a', 'b_c', 'd_e'])).toEqual(['a', 'bC', 'dE']);
    expect(pathIn(null, ['a_b'])).toEqual(['aB']);
  });

  test('keeps all that the failure says, and says the new paths in its detail', () => {
    const error = new ServiceError('invalid_url', {
      issues: [{ path: ['request_url'], code: 'malformed', message: 'must be a URL' }],
      title: 'Bad URL',
      family: 'account',
      headers: { 'retry-after': '5' },
      outcomeUnknown: true,
    });
    const mapped = issuesInGraphQL(error, {}, ['input']);
    expect(mapped).toMatchObject({ type: 'errors/invalid_url', status: 400, title: 'Bad URL', family: 'account' });
    expect(mapped).toMatchObject({ headers: { 'retry-after': '5' }, outcomeUnknown: true });
    expect(mapped.detail).toBe('input.requestUrl must be a URL');
    expect(mapped.cause).toBe(error);
  });

  test('a failure without issues is the same failure', () => {
    const error = new ServiceError('resource_not_found');
    expect(issuesInGraphQL(error)).toBe(error);
  });
});

test('the path of every field of an input is found again from its request', () => {
  const word = fc
    .stringMatching(/^[a-z]{2,5}([A-Z][a-z]{1,4})?$/)
    .filter((name) => !['id', 'limit', 'cursor'].includes(name));
  const fields = fc.dictionary(word, fc.integer(), { minKeys: 1, maxKeys: 4 });
  const input = fc.record({ method: fc.tuple(word, fields), source: fc.tuple(word, fields), common: fields });
  fc.assert(
    fc.property(input, ({ method, source, common }) => {
      const own = Object.keys(source[1]);
      const shared = Object.fromEntries(Object.entries(common).filter(([name]) => !own.includes(name)));
      const around = { ...toSnakeCase(shared), the_method: tagOneOf('the_type', { [method[0]]: method[1] }) };
      const request = unwrapped(source[0], toSnakeCase(source[1]), around);
      const snake = (name: string) => Object.keys(toSnakeCase({ [name]: 0 }))[0] ?? '';
      for (const name of own) expect(pathIn(request, [snake(name)])).toEqual([source[0], name]);
      for (const name of Object.keys(shared)) expect(pathIn(request, [snake(name)])).toEqual([name]);
      for (const name of Object.keys(method[1])) {
        expect(pathIn(request, ['the_method', snake(name)])).toEqual(['theMethod', method[0], name]);
      }
    }),
  );
});
