/**
 * Scalars, tolerant of providers' values but never returning a wrong one.
 *
 * The contract's *number* needs none: `Float` is exact to 2^53, and clients know it.
 *
 * Why not `graphql-scalars`: its DateTime turns text into a Date, and the form that a network or caller sent is lost.
 */
import { GraphQLError } from 'graphql';
import { dateTimeOf } from '../../kernel/date-time.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isShallow, maxJsonDepth } from '../../kernel/lib/json-text.ts';
import { instantOf } from '../../splice/instant.ts';
import { printedAs } from '../executors/compiled/parts.ts';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description:
    'A date and time in RFC 3339 format and in UTC, such as `2026-01-31T09:30:00.000Z`. As an input, any offset is accepted. What a network sent for it is in the field whose name ends in `Raw`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: printedAs('instant'),
  serialize(value) {
    const dateTime = typeof value === 'string' ? dateTimeOf(value) : typeof value === 'number' && instantOf(value);
    if (typeof dateTime === 'string') return dateTime;
    throw misreadScalar('DateTime');
  },
  parseValue(value) {
    // The request's shape checks the format, together with the other fields.
    if (typeof value === 'string') return value;
    throw new GraphQLError('DateTime must be RFC 3339 text');
  },
});

builder.scalarType('JSON', {
  description: `Any JSON value. As an input, at most ${maxJsonDepth} levels deep.`,
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
  parseValue(value) {
    if (isShallow(value)) return value;
    throw new GraphQLError(`JSON must be nested at most ${maxJsonDepth} levels deep`);
  },
});

/** The shape checks the code, and reports it with the other invalid fields. */
builder.scalarType('Currency', {
  extensions: printedAs('string'),
  description:
    'A currency by its ISO 4217 code, such as `EUR`. In proxy mode, the service decides which currencies it accepts.',
  specifiedByURL: 'https://www.iso.org/iso-4217-currency-codes.html',
  serialize(value) {
    if (typeof value === 'string') return value;
    throw misreadScalar('Currency');
  },
  parseValue(value) {
    if (typeof value === 'string') return value;
    throw new GraphQLError('Currency must be the text of an ISO 4217 code');
  },
});

/** Not a GraphQLError, which would blame the caller. */
const misreadScalar = (scalar: string) =>
  new ServiceError('provider_error', { detail: `The provider sent a value that is not a ${scalar}.` });
