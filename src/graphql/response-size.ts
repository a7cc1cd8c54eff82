/**
 * How large a response is, before it is serialized. The same long text under a hundred aliases is one object in memory,
 * and a hundred copies as JSON: a response can be too large for any string.
 */
import { type ExecutionResult, GraphQLError } from 'graphql';
import { ServiceError } from '../kernel/errors.ts';

/** Punctuation around a value, or a number. */
const bytesOfOther = 8;

/**
 * Bytes of the value as JSON, roughly: of text with many escapes it is less than they are. Counts no further than the limit.
 * It has no recursion, as nobody knows how deeply the data of an event is nested.
 */
function bytesOf(value: unknown, limit: number): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && bytes <= limit) {
    const next = open.pop();
    if (typeof next === 'string') {
      bytes += Buffer.byteLength(next) + 3;
    } else if (Array.isArray(next)) {
      bytes += next.length;
      for (const each of next) open.push(each);
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, each] of Object.entries(next)) {
        bytes += key.length + 4;
        open.push(each);
      }
    } else {
      bytes += bytesOfOther;
    }
  }
  return bytes;
}

/** @throws ServiceError `limit_too_high` for a result that is larger than `maxBytes` as JSON */
export function requireSendable({ data }: ExecutionResult, maxBytes: number): void {
  if (bytesOf(data, maxBytes) <= maxBytes) return;
  throw new ServiceError('limit_too_high', {
    detail: `The response would have more than ${maxBytes} bytes. Request fewer items or fields.`,
  });
}

/**
 * The result of mutations, of which those that there is room for are kept: what was done cannot be refused any more. Each
 * of the others is null, as every mutation can be, with an error at its path that says that it was run.
 */
export function withRoomFor(result: ExecutionResult, maxBytes: number): ExecutionResult {
  const { data, errors = [] } = result;
  if (data === undefined || data === null || bytesOf(data, maxBytes) <= maxBytes) return result;
  const kept: Record<string, unknown> = {};
  const untold: GraphQLError[] = [];
  let left = maxBytes;
  for (const [name, value] of Object.entries(data)) {
    const bytes = bytesOf(value, left);
    kept[name] = bytes <= left ? value : null;
    if (bytes <= left) left -= bytes;
    else
      untold.push(new GraphQLError('The result is too large', { path: [name], originalError: untoldResult(maxBytes) }));
  }
  return { ...result, data: kept, errors: [...errors, ...untold] };
}

const untoldResult = (maxBytes: number) =>
  new ServiceError('limit_too_high', {
    detail: `The mutation was run, and its result is left out: the response would have more than ${maxBytes} bytes. Read what it changed before you run it again.`,
  });
