/** Ids of postings and drafts: digits only, like the network's. */
import { ServiceError } from '../../kernel/errors.ts';
import type { RandomBytes } from '../../kernel/ids.ts';

/** 15 digits, the first of which is not zero. */
export const newJobId = (randomBytes: RandomBytes): string =>
  (100_000_000_000_000n + (randomBytes(8).readBigUInt64BE() % 900_000_000_000_000n)).toString();

export const isJobId = (value: string): boolean => /^\d{1,32}$/.test(value);

/** @throws ServiceError `invalid_resource_identifier` when the id is malformed */
export function checkJobId(value: string): void {
  if (isJobId(value)) return;
  throw new ServiceError('invalid_resource_identifier', { detail: 'The job id is malformed: it has digits only.' });
}
