/** The durable queue as the worker sees it: outcomes go in, claimed deliveries come out. */
import type { Logger } from 'pino';
import { newId, type RandomBytes } from '../kernel/ids.ts';
import type { Vault } from '../kernel/secrets/vault.ts';
import { boundedLinesByKey } from '../telemetry/bounded-lines.ts';
import type { ClaimQuota } from './claim-quota.ts';
import { claimTokenOf } from './claim-token.ts';
import { createDestinations, type Destination } from './destination.ts';
import type { ClaimedBatch, PreparedDelivery, QueueOrder, QueueReport } from './queue-transaction.ts';
import { type DisabledWebhook, type Outcome, type Release, settlementOf } from './settle.ts';

/** A delivery that this process has claimed, ready to be sent. */
export interface ClaimedDelivery extends PreparedDelivery {
  readonly claimToken: string;
  readonly destination: Destination;
}

/** What a claim brought. */
export interface Claim {
  readonly deliveries: ClaimedDelivery[];
  /** Whether more would have been claimed if there were room for its bytes. */
  readonly more: boolean;
  /** Whether the next claim may find more that is due, although nothing has happened since this one. */
  readonly unfinished: boolean;
  readonly disabled: readonly DisabledWebhook[];
}

export interface Queue {
  /** Settles the outcomes, gives back the releases and claims within the quota, in one transaction. */
  settleAndClaim(outcomes: readonly Outcome[], releases: readonly Release[], quota: ClaimQuota | null): Promise<Claim>;
}

export interface QueueContext {
  /** Settles and claims in one transaction, and notifies with its commit. */
  readonly transact: (order: QueueOrder) => Promise<QueueReport>;
  readonly vault: Vault;
  readonly randomBytes: RandomBytes;
  /** The id of this process, with which its claims begin. */
  readonly processId: string;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly leaseMs: number;
}

const latestFirstEvery = 4;
/** Lines of the log in a minute, of webhooks that cannot be delivered to: what waits for one is claimed again and again. */
const linesPerMinute = 60;

export function createQueue({ transact, vault, randomBytes, processId, logger, now, leaseMs }: QueueContext): Queue {
  // Old deliveries come first. Now and then the latest do, so that they need not wait for all the retries of a backlog.
  let count = 0;
  const open = createDestinations(vault);
  const mayLog = boundedLinesByKey(linesPerMinute, () => now().getTime());
  const toClaimed = (batch: ClaimedBatch, claimToken: string): ClaimedDelivery[] => {
    try {
      const destination = open(batch.webhook, batch.destination);
      return batch.deliveries.map((delivery) => ({ ...delivery, claimToken, destination }));
    } catch (error) {
      // What is sealed cannot be opened. The other webhooks go on; these deliveries are due again when their leases end.
      const webhookId = batch.webhook.id;
      const fields = mayLog(webhookId);
      if (fields !== null) logger.error({ err: error, webhookId, ...fields }, 'a webhook cannot be delivered to');
      return [];
    }
  };
  return {
    async settleAndClaim(outcomes, releases, quota) {
      count += 1;
      const time = now().getTime();
      const claimToken = claimTokenOf(processId, newId(randomBytes));
      const { claimed, more, unfinished, disabled } = await transact({
        settlement: outcomes.length === 0 ? null : settlementOf(outcomes, time),
        releases,
        quota,
        claimToken,
        leaseMs,
        latestFirst: count % latestFirstEvery === 0,
        now: time,
      });
      const deliveries = claimed.flatMap((batch) => toClaimed(batch, claimToken));
      return { deliveries, more, unfinished, disabled };
    },
  };
}
