/** What the errors of Postgres and of its driver say of the database. */
import pg from 'pg';
import { DatabaseFault, type FaultReason } from './faults.ts';

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

/** Whether a statement did not get a lock in the time that it had for that. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseFault && error.cause instanceof pg.DatabaseError && error.cause.code === '55P03';
