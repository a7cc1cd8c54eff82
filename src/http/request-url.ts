import { unescape as lenient } from 'node:querystring';
import { ServiceError } from '../kernel/errors.ts';

/** A client may send the absolute address (RFC 9112, section 3.2.2), whose path may be empty (RFC 9110, section 4.2.3). */
export function pathIn(url: string): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = target.search(/[?#]/);
  return (end === -1 ? target : target.slice(0, end)) || '/';
}

/**
 * Values in their order. @param plus a plain plus sign: a space, as in forms, or itself
 * @throws ServiceError `unescaped_characters` for invalid UTF-8: another text would go on than was sent
 */
type QueryReader = (name: string, plus?: ' ' | '+') => string[];

/** Reads parameters one by one: those that nobody asks for may be malformed. */
export function parametersOfUrl(url: string): QueryReader {
  const [, query = ''] = url.split(/\?(.*)/s, 2);
  const pairs = query.split('&').map(split);
  return (name, plus = ' ') =>
    pairs.filter((pair) => pair.name === name).map(({ value }) => decode(name, value.replaceAll('+', plus)));
}

interface Pair {
  readonly name: string;
  readonly value: string;
}

function split(pair: string): Pair {
  const end = pair.indexOf('=');
  const [name, value] = end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
  return { name: lenient(name.replaceAll('+', ' ')), value };
}

/** Clients encode all others. */
const printable = /^[ -~]*$/;

function decode(name: string, value: string): string {
  try {
    if (printable.test(value)) return decodeURIComponent(value);
  } catch {
    // Not decodable: as below.
  }
  throw new ServiceError('unescaped_characters', {
    detail: `The value of the query parameter ${name} is not percent-encoded UTF-8.`,
  });
}
