/** The worker's durable queue: outcomes go in, claimed deliveries come out. */
import { newId, type RandomBytes } from '../kernel/ids.ts';
import { cautiousTime } from '../kernel/lib/cautious-time.ts';
import type { Clock } from '../kernel/lib/time-units.ts';
import type { Vault } from '../kernel/secrets/vault.ts';
import type { Database } from '../store/database.ts';
import type { SharedClock } from '../store/shared-clock.ts';
import { rowBytes, type StoredBytes } from '../store/stored-bytes.ts';
import { claimTokenOf } from './claim.ts';
import type { ClaimQuota } from './claim-quota.ts';
import { type ClaimTicket, confirmClaims } from './confirm.ts';
import { createDestinations, type Destination } from './destination.ts';
import type { PreparedDelivery, QueueOrder, QueueReport } from './queue-transaction.ts';
import { type AttemptOutcome, type ReleasedClaim, settlementOf } from './settle.ts';

export interface ClaimedDelivery extends Omit<PreparedDelivery, 'payload'>, ClaimTicket {
  /** A Buffer, which no garbage collector moves; or the reason for none. */
  readonly body: Buffer | Error;
  readonly destination: Destination;
}

export interface ClaimResult extends Pick<QueueReport, 'more' | 'waiting' | 'resumeAfter' | 'unfinished' | 'disabled'> {
  readonly deliveries: readonly ClaimedDelivery[];
}

export interface Queue {
  /** In one transaction. @param lockWaitMs see {@link QueueOrder.lockWaitMs} */
  settleAndClaim(
    outcomes: readonly AttemptOutcome[],
    releases: readonly ReleasedClaim[],
    quota: ClaimQuota | null,
    lockWaitMs?: number,
  ): Promise<ClaimResult>;
  /** @returns the ids of deliveries still to be sent as claimed */
  confirm(tickets: readonly ClaimTicket[]): Promise<ReadonlySet<string>>;
}

export interface QueueContext {
  readonly database: Database;
  /** In one transaction, with notifications at its commit. */
  readonly carryOut: (order: QueueOrder) => Promise<QueueReport>;
  readonly vault: Vault;
  readonly randomBytes: RandomBytes;
  /** The prefix of its claim tokens. */
  readonly processId: string;
  readonly time: SharedClock;
  /** Clock of the process itself. */
  readonly now: () => Date;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly storedBytes: Pick<StoredBytes, 'add'>;
}

const latestFirstEvery = 4;

export function createQueue(context: QueueContext): Queue {
  const { database, carryOut, vault, randomBytes, processId, time, leaseMs, storedBytes } = context;
  // Old deliveries first; now and then the latest, which need not wait for all retries of a backlog.
  let count = 0;
  const open = createDestinations(vault);
  const believed = cautiousTime(context.now, context.clock, null);
  return {
    confirm: async (tickets) => confirmClaims(database, tickets, await time()),
    async settleAndClaim(outcomes, releases, quota, lockWaitMs) {
      count += 1;
      const now = await time();
      const claimToken = claimTokenOf(processId, newId(randomBytes));
      const { claimed, changed, settled, ...report } = await carryOut({
        settlement: outcomes.length === 0 ? null : settlementOf(outcomes, now),
        releases,
        quota,
        lockWaitMs,
        claimToken,
        leaseMs,
        latestFirst: count % latestFirstEvery === 0,
        now,
        believed: believed(),
      });
      for (const { deliveryId, attempt } of outcomes) {
        const workspaceId = settled.get(deliveryId);
        if (workspaceId === undefined) continue;
        storedBytes.add(
          workspaceId,
          rowBytes + Buffer.byteLength(`${attempt.response_body}${attempt.response_headers ?? ''}`),
        );
      }
      const deliveries = claimed.flatMap(({ webhook, deliveries }) => {
        const destination = open(webhook);
        const { revision = 0 } = webhook;
        return deliveries.map(
          ({ payload, deliveryId, number, attempt, traceparent }): ClaimedDelivery => ({
            deliveryId,
            number,
            attempt,
            traceparent,
            body: payload instanceof Error ? payload : Buffer.from(payload),
            claimToken,
            destination,
            revision,
          }),
        );
      });
      return { ...report, deliveries };
    },
  };
}
