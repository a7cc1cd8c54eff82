/**
 * Faults of the database, as opposed to those of a request. Callers get `errors/service_unavailable`, or
 * `errors/request_timeout` where a commit was lost; the log has the driver's error.
 */
import { retrySoon, ServiceError } from '../kernel/errors.ts';

const faultDetails = {
  unavailable: 'The database cannot be reached. Try again.',
  busy: 'All connections to the database are in use. Try again.',
  slow: 'The database took too long. Try again.',
  conflict: 'The request conflicted with other requests. Try again.',
  full: 'The database is full: its disk has no space left. Try again when there is space.',
  'read-only': 'The database cannot be written to at the moment. Try again.',
  damaged: 'The database is damaged: it has to be restored.',
  replaced: 'The files of the database were replaced or deleted. The gateway has to be started again.',
} as const;

export type FaultReason = keyof typeof faultDetails;

export class DatabaseFault extends ServiceError {
  readonly reason: FaultReason;

  /** @param cause the driver's error, for the log */
  constructor(reason: FaultReason, cause: unknown) {
    super('service_unavailable', { detail: faultDetails[reason], cause, headers: retrySoon });
    this.reason = reason;
  }
}

/** An unconfirmed commit: the transaction may be stored. Not 503, which says that nothing was carried out. */
export const unconfirmed = (cause: DatabaseFault): ServiceError =>
  new ServiceError('request_timeout', {
    detail: 'The database did not confirm the change. It may have been made: check that before you repeat it.',
    cause,
    outcomeUnknown: true,
  });

export type OnFault = (fault: DatabaseFault) => void;

/** SQLITE_READONLY_DBMOVED, which SQLite reports only without a WAL. */
export const databaseMoved = 1032;

/** Result codes of SQLite by their low byte; the rest is detail. */
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

/** A fault, or the same error if the statement is to blame. */
export function sqliteFault(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const reason = error.errcode === databaseMoved ? 'replaced' : reasonOfCode[error.errcode & 0xff];
  return reason === undefined ? error : new DatabaseFault(reason, error);
}
