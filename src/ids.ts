/** Ids of accounts, webhooks, keys and workspaces: a UUID's 16 bytes as 22 characters of base64url. */
import { ServiceError } from './errors.ts';

/** Random bytes, injected: `randomBytes` of node:crypto in the process. */
export type RandomBytes = (size: number) => Buffer;

/** A new id. It never starts with a hyphen: on a command line that would be an option. */
export function newId(randomBytes: RandomBytes): string {
  const bytes = randomBytes(16);
  const id = bytes.toString('base64url');
  if (!id.startsWith('-')) return id;
  bytes[0] = (bytes[0] as number) ^ 0x80;
  return bytes.toString('base64url');
}

/**
 * An id whose first 8 characters are its time, to the millisecond: rows that are made together lie together in an index,
 * so that a batch of them touches few pages.
 */
export function newTimedId(randomBytes: RandomBytes, time: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(time, 0, 6);
  return bytes.toString('base64url');
}

/** 16 bytes leave the last of the 22 characters two bits. */
const idPattern = /^[A-Za-z0-9_-]{21}[AQgw]$/;

export const isId = (value: string): boolean => idPattern.test(value);

/** Throws `errors/invalid_resource_identifier` for an id that none of ours can look like. */
export function checkId(value: string, what: string): void {
  if (isId(value)) return;
  throw new ServiceError('invalid_resource_identifier', {
    detail: `The ${what} id is malformed: it has 22 characters of A-Z, a-z, 0-9, - and _.`,
  });
}
