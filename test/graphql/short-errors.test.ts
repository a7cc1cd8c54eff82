import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { shortErrors } from '../../src/graphql/kit/errors.ts';
import { ServiceError } from '../../src/kernel/errors.ts';

const complaints = (count: number, text = 'No') =>
  Array.from({ length: count }, (_, n) => new GraphQLError(`${text} ${n}`));
const own = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => new GraphQLError(`own ${n}`, { path: ['a', n], originalError: new ServiceError('resource_not_found') }),
  );
const messages = (errors: readonly GraphQLError[]) => shortErrors(errors).map(({ message }) => message);

test('fifty errors of graphql-js are reported, and how many more there are', () => {
  expect(messages(complaints(50))).toHaveLength(50);
  expect(messages(complaints(51)).slice(49)).toEqual(['No 49', 'There is 1 more error.']);
  expect(messages(complaints(90)).slice(50)).toEqual(['There are 40 more errors.']);
});

test('fewer long errors are reported, but always the first', () => {
  const long = messages(complaints(50, 'word '.repeat(90)));
  expect(long.length).toBeLessThan(25);
  expect(long.at(-1)).toBe(`There are ${51 - long.length} more errors.`);
});

test("Postern's own errors are neither cut nor counted", () => {
  const all = messages([...own(60), ...complaints(51), ...own(1)]);
  expect(all.filter((message) => message.startsWith('own'))).toHaveLength(61);
  expect(all.filter((message) => message.startsWith('No'))).toHaveLength(50);
  expect(all.at(-1)).toBe('There is 1 more error.');
  expect(messages(own(120))).toHaveLength(120);
});
