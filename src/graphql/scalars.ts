/**
 * The scalars that GraphQL lacks. Output is tolerant of what a provider sends, but never of a wrong value.
 *
 * The contract's *number* needs none: `Float` is exact for integers to 2^53, and clients know it without being told.
 *
 * Why not `graphql-scalars`: its DateTime turns text into a Date, so the form that a network or a caller sent is lost.
 */
import { GraphQLError } from 'graphql';
import { ServiceError } from '../errors.ts';
import { builder } from './builder.ts';
import { printedAs } from './compiled/leaves.ts';

builder.scalarType('DateTime', {
  description: 'A date and time in ISO 8601 format, such as `2026-01-31T09:30:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: printedAs('instant'),
  serialize(value) {
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value;
    throw misread('DateTime');
  },
  parseValue(value) {
    // The shape of the request checks the format, and reports it together with the other invalid fields.
    if (typeof value === 'string') return value;
    throw new GraphQLError('DateTime must be ISO 8601 text');
  },
});

/** As in a body of the REST endpoints. Whatever stores or sends the value may recurse into it. */
const maxJsonDepth = 64;

builder.scalarType('JSON', {
  description: `Any JSON value. As an input, at most ${maxJsonDepth} levels deep.`,
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
  parseValue(value) {
    if (isWithin(maxJsonDepth, value)) return value;
    throw new GraphQLError(`JSON must be nested at most ${maxJsonDepth} levels deep`);
  },
});

/** Level by level: a recursion could run out of stack before it has found that the value is too deep. */
function isWithin(maxDepth: number, value: unknown): boolean {
  let level = [value].filter(isObject);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === maxDepth) return false;
    level = level.flatMap((each) => Object.values(each).filter(isObject));
  }
  return true;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Not a GraphQLError, which would blame the caller. */
const misread = (scalar: string) =>
  new ServiceError('provider_error', { detail: `The provider sent a value that is not a ${scalar}.` });
