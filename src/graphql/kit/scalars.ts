/**
 * Scalars, tolerant of providers' values but never returning a wrong one.
 *
 * The contract's *number* needs none: `Float` is exact to 2^53, and clients know it.
 *
 * Why not `graphql-scalars`: its DateTime turns text into a Date, and the form that a network or caller sent is lost.
 */
import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { dateTimeOf } from '../../kernel/date-time.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { shortened } from '../../kernel/issues.ts';
import { isShallow, maxJsonDepth, noteNumber, withDigits } from '../../kernel/lib/json-text.ts';
import { instantOf } from '../../splice/instant.ts';
import { printedAs } from '../executors/compiled/parts.ts';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description: 'A time in UTC, such as `2026-01-31T09:30:00.000Z`. Inputs take any offset.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: printedAs('instant'),
  serialize(value) {
    const dateTime = typeof value === 'string' ? dateTimeOf(value) : typeof value === 'number' && instantOf(value);
    if (typeof dateTime === 'string') return dateTime;
    const sent = typeof value === 'string' ? shortened(value) : value;
    throw misreadScalar('DateTime', typeof sent === 'string' || typeof sent === 'number' ? sent : undefined);
  },
  parseValue(value) {
    // The request's shape checks the format, together with the other fields.
    if (typeof value === 'string') return value;
    throw new GraphQLError('DateTime must be RFC 3339 text');
  },
});

builder.scalarType('JSON', {
  description: `Any JSON value. Inputs have at most ${maxJsonDepth} levels.`,
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
  parseValue: parseOpenJson,
  parseLiteral(node, variables) {
    const value = valueFromASTUntyped(node, variables);
    noteLiterals(value, node);
    return parseOpenJson(value);
  },
});

function parseOpenJson(value: unknown): unknown {
  if (!isShallow(value)) throw new GraphQLError(`JSON must be nested at most ${maxJsonDepth} levels deep`);
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new GraphQLError('A number beyond 2^53 keeps its digits in an object or list alone');
  }
  const refused = withDigits(value);
  if (refused === undefined) return value;
  throw new GraphQLError(`JSON can have no number that is as large, small or long as ${shortened(refused)}`);
}

function noteLiterals(value: unknown, node: ValueNode): void {
  if (typeof value !== 'object' || value === null) return;
  const entries: [string, ValueNode][] = [];
  if (node.kind === Kind.LIST) for (const [at, each] of node.values.entries()) entries.push([String(at), each]);
  if (node.kind === Kind.OBJECT) for (const each of node.fields) entries.push([each.name.value, each.value]);
  for (const [key, each] of entries) {
    const found: unknown = Reflect.get(value, key);
    if (each.kind === Kind.INT || each.kind === Kind.FLOAT) noteNumber(value, key, found, each.value);
    else noteLiterals(found, each);
  }
}

/** The shape checks the code, and reports it with the other invalid fields. */
builder.scalarType('Currency', {
  extensions: printedAs('string'),
  description: 'A currency, such as `EUR`.',
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
const misreadScalar = (scalar: string, value?: string | number) =>
  new ServiceError('provider_error', { detail: `The provider sent a value that is not a ${scalar}.`, value });
