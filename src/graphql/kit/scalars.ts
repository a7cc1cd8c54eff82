/**
 * The scalars that GraphQL lacks. Output is tolerant of what a provider sends, but never of a wrong value.
 *
 * The contract's *number* needs none: `Float` is exact for integers to 2^53, and clients know it without being told.
 *
 * Why not `graphql-scalars`: its DateTime turns text into a Date, so the form that a network or a caller sent is lost.
 */
import { GraphQLError } from 'graphql';
import { dateTimeOf } from '../../kernel/date-time.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { isShallow, maxJsonDepth } from '../../kernel/lib/json-limits.ts';
import { instantOf } from '../../splice/instant.ts';
import { printedAs } from '../executors/compiled/leaves.ts';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description:
    'A date and time in RFC 3339 format and in UTC, such as `2026-01-31T09:30:00.000Z`. As an input, any offset is accepted. What a network sent for it is in the field whose name ends in `Raw`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: printedAs('instant'),
  serialize(value) {
    const dateTime = typeof value === 'string' ? dateTimeOf(value) : typeof value === 'number' && instantOf(value);
    if (typeof dateTime === 'string') return dateTime;
    throw misread('DateTime');
  },
  parseValue(value) {
    // The shape of the request checks the format, and reports it together with the other invalid fields.
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

/** Text that is handed on as it is: which currencies there are, the network decides, whose error says so. */
builder.scalarType('Currency', {
  description: 'A currency as the network names it, such as by its ISO 4217 code `EUR`.',
  specifiedByURL: 'https://www.iso.org/iso-4217-currency-codes.html',
  serialize(value) {
    if (typeof value === 'string') return value;
    throw misread('Currency');
  },
  parseValue(value) {
    if (typeof value === 'string') return value;
    throw new GraphQLError('Currency must be the text of an ISO 4217 code');
  },
});

/** Not a GraphQLError, which would blame the caller. */
const misread = (scalar: string) =>
  new ServiceError('provider_error', { detail: `The provider sent a value that is not a ${scalar}.` });
