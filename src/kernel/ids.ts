/** Ids of accounts, webhooks, keys and workspaces: a UUID's 16 bytes as 22 characters of base64url. */
import { ServiceError } from './errors.ts';

/** A source of random bytes: `randomBytes` of node:crypto, or a fixed one in tests. */
export type RandomBytes = (size: number) => Buffer;

/** A new id. It never starts with a hyphen, which a command line would read as an option. */
export function newId(randomBytes: RandomBytes): string {
  const bytes = randomBytes(16);
  const id = bytes.toString('base64url');
  if (!id.startsWith('-')) return id;
  bytes[0] = (bytes[0] as number) ^ 0x80;
  return bytes.toString('base64url');
}

/**
 * A new id whose first 8 characters encode its time in milliseconds. Rows that are created together stand together in an
 * index, so a batch of them touches few pages.
 * @param time milliseconds since the epoch
 */
export function newTimedId(randomBytes: RandomBytes, time: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(time, 0, 6);
  return bytes.toString('base64url');
}

/** 16 bytes leave only two bits for the last of the 22 characters. */
const idPattern = /^[A-Za-z0-9_-]{21}[AQgw]$/;

export const isId = (value: string): boolean => idPattern.test(value);

/**
 * @param what the kind of resource, as the error names it
 * @throws ServiceError `invalid_resource_identifier` when the id is malformed
 */
export function checkId(value: string, what: string): void {
  if (isId(value)) return;
  throw new ServiceError('invalid_resource_identifier', {
    detail: `The ${what} id is malformed: it has 22 characters of A-Z, a-z, 0-9, - and _.`,
  });
}

/** What separates or escapes the parts of an address, and control characters. */
const addressCharacters = /[/\\%?#;\p{Cc}]/u;

/** What every id of a network has: nothing else is to be asked of it. */
const plainCharacters = /^[\w-]+$/;

/**
 * Whether an id can be a segment of a path. No id has the characters that structure an address, and percent-encoding is not
 * enough: a proxy that decodes the path before it forwards it would lead to another resource. The same goes for what a
 * service may normalise to them (NFKC), such as the full-width solidus.
 */
export function fitsPath(id: string): boolean {
  if (plainCharacters.test(id)) return true;
  if (!id.isWellFormed()) return false;
  const plain = id.normalize('NFKC');
  return plain !== '' && plain !== '.' && plain !== '..' && !addressCharacters.test(plain);
}
