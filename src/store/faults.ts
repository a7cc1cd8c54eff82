/**
 * Faults of the database: what is wrong with it, and not with a request. They leave the drivers as the contract's
 * `errors/service_unavailable`, whatever the operation, and the log has the driver's own error. Only where a commit was
 * lost it is `errors/request_timeout`.
 */
import { ServiceError } from '../kernel/errors.ts';

/** What a caller is told. */
const details = {
  unavailable: 'The database cannot be reached. Try again.',
  slow: 'The database took too long. Try again.',
  conflict: 'The request was in conflict with others. Try again.',
  full: 'The database is full: its disk has no space left. Try again when there is space.',
  'read-only': 'The database cannot be written to at the moment. Try again.',
  damaged: 'The database is damaged, and has to be restored.',
  replaced: 'The files of the database were replaced or deleted. The gateway has to be started again.',
} as const;

export type FaultReason = keyof typeof details;

/** How long a caller should wait: about as long as another server takes to step in. */
const retryAfterSeconds = '5';

export class DatabaseFault extends ServiceError {
  readonly reason: FaultReason;

  /** @param cause the driver's error, for the log */
  constructor(reason: FaultReason, cause: unknown) {
    super('service_unavailable', { detail: details[reason], cause, headers: { 'retry-after': retryAfterSeconds } });
    this.reason = reason;
  }
}

/**
 * The error of a commit that was not confirmed: the transaction may be stored. Not 503, which says that nothing was
 * carried out.
 * @param cause the fault that ended the connection, for the log
 */
export const unconfirmed = (cause: DatabaseFault): ServiceError =>
  new ServiceError('request_timeout', {
    detail: 'The database did not confirm the change. It may have been made: check that before you repeat it.',
    cause,
    outcomeUnknown: true,
  });

/** Is told each fault. */
export type OnFault = (fault: DatabaseFault) => void;

/** Whether the transaction or statement was undone because of others, and may succeed when it is repeated. */
export const isConflict = (error: unknown): boolean => error instanceof DatabaseFault && error.reason === 'conflict';

/** SQLITE_READONLY_DBMOVED. SQLite looks at that only where there is no WAL. */
export const databaseMoved = 1032;

/** Result codes of SQLite: the low byte, as the rest says more of the same. */
const reasonOfCode: Readonly<Record<number, FaultReason>> = {
  3: 'unavailable', // PERM
  5: 'slow', // BUSY
  6: 'slow', // LOCKED
  7: 'unavailable', // NOMEM
  8: 'read-only', // READONLY
  10: 'unavailable', // IOERR
  11: 'damaged', // CORRUPT
  13: 'full', // FULL
  14: 'unavailable', // CANTOPEN
  15: 'unavailable', // PROTOCOL
  26: 'damaged', // NOTADB
};

/** The error of a statement on SQLite: a fault, or the same error if the statement is to blame. */
export function sqliteFault(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const reason = error.errcode === databaseMoved ? 'replaced' : reasonOfCode[error.errcode & 0xff];
  return reason === undefined ? error : new DatabaseFault(reason, error);
}
