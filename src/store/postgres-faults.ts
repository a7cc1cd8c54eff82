import pg from 'pg';
import { DatabaseFault, type FaultReason } from './faults.ts';

/** SQLSTATEs (Postgres, appendix A), or classes: their first two characters. */
const reasonOfState: Readonly<Record<string, FaultReason>> = {
  '08': 'unavailable',
  '25006': 'read-only',
  // Idle transaction timeout: the connection ends too.
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

/** A fault, or the same error if the statement is to blame. */
export function postgresFault(error: unknown): unknown {
  if (error instanceof DatabaseFault) return error;
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    const reason = reasonOfState[code] ?? reasonOfState[code.slice(0, 2)];
    return reason === undefined ? error : new DatabaseFault(reason, error);
  }
  // Unsendable values are our mistake. Anything else without a SQLSTATE concerns the connection.
  return error instanceof TypeError || error instanceof RangeError ? error : new DatabaseFault('unavailable', error);
}
