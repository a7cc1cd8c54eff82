/** What an idempotency key stands for, once its request has ended. */
import type { Transaction } from 'kysely';
import { ServiceError } from '../kernel/errors.ts';
import type { AtomicKey } from '../kernel/idempotency.ts';
import { idempotencyLimits } from './idempotency-rows.ts';
import type { IdempotentResponseTable, Tables } from './schema.ts';

/** Only successes are stored; the endpoint knows their status. */
const success = 200;

/** The columns of a key whose request has succeeded. A response that is too large is sent, and not stored. */
export const storedResponse = (body: string): Pick<IdempotentResponseTable, 'status' | 'body' | 'claimed_until'> =>
  Buffer.byteLength(body) <= idempotencyLimits.bodyBytes
    ? { status: success, body, claimed_until: 0 }
    : { status: null, body: null, claimed_until: 0 };

/**
 * Stores an atomic command's response with its rows, last of them (locks.ts).
 * @throws ServiceError `service_unavailable` if another request has taken the key over, as this one took too long
 */
export async function storeWithRows(
  transaction: Transaction<Tables>,
  atomicKey: AtomicKey | undefined,
  result: object,
): Promise<void> {
  if (atomicKey === undefined) return;
  const { numUpdatedRows } = await transaction
    .updateTable('idempotent_responses')
    .set({ ...storedResponse(atomicKey.print(result)), claimed_by: null })
    .where('id', '=', atomicKey.id)
    .where('claimed_by', '=', atomicKey.holder)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw takenOver();
}

const takenOver = () =>
  new ServiceError('service_unavailable', {
    detail: 'Another request with this idempotency key took over from this one. Try again.',
  });
