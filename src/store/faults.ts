/**
 * Faults of the database: what is wrong with it, and not with a request. They leave the drivers as the contract's
 * `errors/service_unavailable`, whatever the operation, and the log has the driver's own error.
 */
import pg from 'pg';
import { ServiceError } from '../errors.ts';

/** What a caller is told. */
const details = {
  unavailable: 'The database cannot be reached. Try again.',
  slow: 'The database took too long. Try again.',
  conflict: 'The request was in conflict with others. Try again.',
  full: 'The database is full: its disk has no space left. Try again when there is space.',
  'read-only': 'The database cannot be written to at the moment. Try again.',
  damaged: 'The database is damaged, and has to be restored.',
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

/** Is told each fault. */
export type OnFault = (fault: DatabaseFault) => void;

/** Whether the transaction or statement was undone because of others, and may succeed when it is repeated. */
export const isConflict = (error: unknown): boolean => error instanceof DatabaseFault && error.reason === 'conflict';

/** SQLSTATEs (Postgres, appendix A), and the classes that their first two characters are. */
const reasonOfState: Readonly<Record<string, FaultReason>> = {
  '08': 'unavailable',
  '25006': 'read-only',
  // The transaction was idle for too long. The connection ends, too.
  '25P03': 'unavailable',
  '28': 'unavailable',
  '3D000': 'unavailable',
  '40001': 'conflict',
  '40P01': 'conflict',
  '53': 'unavailable',
  '53100': 'full',
  '55P03': 'slow',
  '57': 'unavailable',
  '57014': 'slow',
  '58': 'unavailable',
  XX001: 'damaged',
  XX002: 'damaged',
};

/** The error of a statement or a connection on Postgres: a fault, or the same error if the statement is to blame. */
export function postgresFault(error: unknown): unknown {
  if (error instanceof DatabaseFault) return error;
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    const reason = reasonOfState[code] ?? reasonOfState[code.slice(0, 2)];
    return reason === undefined ? error : new DatabaseFault(reason, error);
  }
  // Values that cannot be sent are our mistake. Whatever else comes without a SQLSTATE is about the connection.
  return error instanceof TypeError || error instanceof RangeError ? error : new DatabaseFault('unavailable', error);
}

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
  const reason = reasonOfCode[error.errcode & 0xff];
  return reason === undefined ? error : new DatabaseFault(reason, error);
}
