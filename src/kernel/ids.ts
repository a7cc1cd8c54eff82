/** Ids of accounts, webhooks, keys and workspaces: a UUID's 16 bytes as 22 characters of base64url. */
import { ServiceError } from './errors.ts';

export type RandomBytes = (size: number) => Buffer;

/** Never starts with a hyphen, which a command line would read as an option. */
export function newId(randomBytes: RandomBytes): string {
  const bytes = randomBytes(16);
  const id = bytes.toString('base64url');
  if (!id.startsWith('-')) return id;
  bytes[0] = (bytes[0] as number) ^ 0x80;
  return bytes.toString('base64url');
}

/** The first 8 characters encode `time`, in epoch milliseconds: a batch of rows touches few pages of an index. */
export function newTimedId(randomBytes: RandomBytes, time: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(time, 0, 6);
  return bytes.toString('base64url');
}

/** The time of an id of {@link newTimedId}, in epoch milliseconds. */
export const timeOfId = (id: string): number => Buffer.from(id, 'base64url').readUIntBE(0, 6);

/** 16 bytes leave only two bits for the last of the 22 characters. */
const idPattern = /^[A-Za-z0-9_-]{21}[AQgw]$/;

export const isId = (value: string): boolean => idPattern.test(value);

/** @param what the kind of resource, for the message. @throws ServiceError `invalid_resource_identifier` */
export function checkId(value: string, what: string): void {
  if (isId(value)) return;
  throw new ServiceError('invalid_resource_identifier', {
    detail: `The ${what} id is malformed: it has 22 characters of A-Z, a-z, 0-9, - and _, of which the last is A, Q, g or w.`,
  });
}

/** Separators and escapes of addresses, and control characters. */
const addressCharacters = /[/\\%?#;\p{Cc}]/u;

/** The usual characters of ids, which need no further check. */
const plainCharacters = /^[\w-]+$/;

/**
 * Whether an id can be a path segment. Percent-encoding its separators is not enough: a proxy may decode the path
 * before it forwards it, and a service may normalise characters to them (NFKC), such as the full-width solidus.
 */
export function fitsPath(id: string): boolean {
  if (plainCharacters.test(id)) return true;
  if (!id.isWellFormed()) return false;
  const plain = id.normalize('NFKC');
  return plain !== '' && plain !== '.' && plain !== '..' && !addressCharacters.test(plain);
}
