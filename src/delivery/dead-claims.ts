/** Frees dead processes' claims before their leases end. */
import type { Logger } from 'pino';
import type { After } from '../kernel/lib/after.ts';
import type { Troubles } from '../kernel/troubles.ts';
import type { Database } from '../store/database.ts';
import type { NotifyingTransaction } from '../store/notifications.ts';
import type { Presence } from '../store/presence.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { claimant, claimTokenOf, processOf } from './claim.ts';
import { type Repeated, repeat } from './repeat.ts';

const deadLookMs = 1_000;

interface DeadClaimsContext {
  readonly database: Database;
  readonly transaction: NotifyingTransaction;
  readonly presence: Pick<Presence, 'id' | 'findDead'>;
  readonly logger: Logger;
  readonly telemetry?: Pick<Telemetry, 'metrics'>;
  readonly after: After;
}

export function startFreeingDeadClaims({
  troubles,
  ...context
}: DeadClaimsContext & { readonly troubles: Troubles }): Repeated {
  const { after } = context;
  const failed = 'the claims of dead processes could not be freed';
  return repeat({ troubles, after, failed, retryMs: deadLookMs }, async () => {
    await freeDeadClaims(context);
    return deadLookMs;
  });
}

/** @returns how many deliveries are due again */
export async function freeDeadClaims({
  database,
  transaction,
  presence,
  logger,
  telemetry,
}: DeadClaimsContext): Promise<number> {
  const claimants = await database
    .selectFrom('deliveries')
    .select(claimant.as('start'))
    .distinct()
    .where('claim_token', 'is not', null)
    .execute();
  const ids = claimants.flatMap(({ start }) => processOf(start) ?? []);
  const dead = await presence.findDead(ids.filter((id) => id !== presence.id));
  if (dead.length === 0) return 0;
  const { numUpdatedRows } = await transaction(async (open, changed) => {
    changed.work();
    const claimed = open
      .selectFrom('deliveries')
      .select('id')
      .where('claim_token', 'is not', null)
      .where(
        claimant,
        'in',
        dead.map((id) => claimTokenOf(id, '')),
      )
      // Another process frees locked ones.
      .forUpdate()
      .skipLocked();
    return open
      .updateTable('deliveries')
      .set({ claim_token: null, next_at: 0 })
      .where('id', 'in', claimed)
      .executeTakeFirstOrThrow();
  });
  telemetry?.metrics?.count('postern.delivery.leases.freed', {}, Number(numUpdatedRows));
  logger.warn({ processes: dead.length, deliveries: Number(numUpdatedRows) }, 'freed the claims of dead processes');
  return Number(numUpdatedRows);
}
