/**
 * How large a response is, before it is serialized. The same long text under a hundred aliases is one object in memory,
 * and a hundred copies as JSON: a response can be too large for any string.
 */
import { type ExecutionResult, GraphQLError } from 'graphql';
import { ServiceError } from '../kernel/errors.ts';
import { jsonBytes } from '../kernel/lib/json-text.ts';

export interface SizedResult {
  readonly result: ExecutionResult;
  readonly bytes: number;
}

export function orRefusal(result: ExecutionResult, maxBytes: number): SizedResult {
  const bytes = jsonBytes(result.data, maxBytes);
  if (bytes <= maxBytes) return { result, bytes };
  const originalError = new ServiceError('limit_too_high', {
    detail: `The response would have more than ${maxBytes} bytes. Request fewer items or fields.`,
  });
  return { result: { errors: [new GraphQLError('The response is too large', { originalError })] }, bytes: 0 };
}

/**
 * The result of mutations, of which those that there is room for are kept: what was done cannot be refused any more. Each
 * of the others is null, as every mutation can be, with an error at its path that says that it was run.
 */
export function withRoomFor(result: ExecutionResult, maxBytes: number): SizedResult {
  const { data, errors = [] } = result;
  const bytes = jsonBytes(data, maxBytes);
  if (data === undefined || data === null || bytes <= maxBytes) return { result, bytes };
  const kept: Record<string, unknown> = {};
  const untold: GraphQLError[] = [];
  let left = maxBytes;
  for (const [name, value] of Object.entries(data)) {
    const bytes = jsonBytes(value, left);
    kept[name] = bytes <= left ? value : null;
    if (bytes <= left) left -= bytes;
    else
      untold.push(new GraphQLError('The result is too large', { path: [name], originalError: untoldResult(maxBytes) }));
  }
  return { result: { ...result, data: kept, errors: [...errors, ...untold] }, bytes: maxBytes - left };
}

const untoldResult = (maxBytes: number) =>
  new ServiceError('limit_too_high', {
    detail: `The mutation was run, and its result is left out: the response would have more than ${maxBytes} bytes. Read what it changed before you run it again.`,
  });
