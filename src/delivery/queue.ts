/** The durable queue as the worker sees it: turns that bring jobs. */
import type { Logger } from 'pino';
import { newId, type RandomBytes } from '../ids.ts';
import type { Vault } from '../security/vault.ts';
import type { Demand } from './claim-quota.ts';
import type { Signals } from './notifications.ts';
import type { ClaimedBatch, ClaimedDelivery, TurnOrder, TurnReport } from './queue-transaction.ts';
import { type Outcome, type Release, settlementOf } from './settle.ts';
import { createTargets, type Target } from './target.ts';

/** A delivery that this process has claimed. */
export interface Job extends ClaimedDelivery {
  readonly claim: string;
  readonly target: Target;
}

export interface Queue {
  /** Stores what came of claims, gives others back, and claims anew, in one transaction. */
  turn(outcomes: readonly Outcome[], releases: readonly Release[], demand: Demand | null): Promise<Job[]>;
}

/** Makes a turn, wherever that is done. */
export type MakeTurn = (order: TurnOrder) => Promise<TurnReport>;

export interface QueueContext {
  readonly makeTurn: MakeTurn;
  readonly signals: Pick<Signals, 'updated'>;
  readonly vault: Vault;
  readonly randomBytes: RandomBytes;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly leaseMs: number;
}

const latestFirstEvery = 4;

export function createQueue(context: QueueContext): Queue {
  const { makeTurn, signals, vault, randomBytes, logger, now, leaseMs } = context;
  // New deliveries are due at 0 and retries at a time: what is due last comes first now and then, so that retries need not
  // wait until nothing new comes in.
  let turns = 0;
  const targetOf = createTargets(vault);
  const toJobs = ({ webhook, destination, deliveries }: ClaimedBatch, claim: string): Job[] => {
    try {
      const target = targetOf(webhook, destination);
      return deliveries.map((delivery) => ({ ...delivery, claim, target }));
    } catch (error) {
      // What is sealed cannot be opened. The others go on; these are due again when their leases run out.
      logger.error({ err: error, webhookId: webhook.id }, 'a webhook cannot be delivered to');
      return [];
    }
  };
  return {
    async turn(outcomes, releases, demand) {
      turns += 1;
      const time = now().getTime();
      const claim = newId(randomBytes);
      const { settled, claimed } = await makeTurn({
        settlement: outcomes.length === 0 ? null : settlementOf(outcomes, time),
        releases,
        demand,
        claim,
        leaseMs,
        latestFirst: turns % latestFirstEvery === 0,
        now: time,
      });
      if (settled.length > 0) signals.updated(settled);
      return claimed.flatMap((batch) => toJobs(batch, claim));
    },
  };
}
