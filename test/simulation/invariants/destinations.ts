/** A destination is disabled for a 410, and after five days of nothing but failures: not sooner, and not later. */

import { require } from '../world.ts';
import type { Commit, History } from './history.ts';
import { isSuccess, isUnsent } from './settlements.ts';

const failingLimit = 5 * 24 * 3_600_000;
/** Deliveries that were claimed before a destination began to fail say nothing of it when they succeed. */
const tolerance = 2 * 60_000;

/** The health of a destination, as its attempts tell it. */
interface Health {
  /** On the clock of processes: since when there have been failures only; null if the last attempt succeeded. */
  failingSince: number | null;
  wasEnabled: boolean;
  hasFailed: boolean;
}

export function createDestinationCheck(): (history: History, commit: Commit) => void {
  const known = new Map<string, Health>();
  return ({ world, attempts }, { process, before, after }) => {
    for (const [id, webhook] of after.webhooks) {
      const health = known.get(id) ?? { failingSince: null, wasEnabled: webhook.enabled === 1, hasFailed: false };
      known.set(id, health);
      const settled = [...after.deliveries.values()].flatMap((delivery) => {
        const previous = before.deliveries.get(delivery.id);
        const isSettled = delivery.webhook_id === id && previous !== undefined && delivery.attempts > previous.attempts;
        return isSettled ? (attempts.get(delivery.id) ?? []).filter((each) => each.settled).slice(-1) : [];
      });
      const responses = settled.flatMap(({ ended }) =>
        ended === null || isUnsent(ended.response) ? [] : ended.response,
      );
      const succeeded = responses.some(isSuccess);
      const failed = responses.some((response) => !isSuccess(response));
      const gone = responses.some(({ failure, status }) => failure === null && status === 410);
      const clock = process.clock();
      if (succeeded) health.failingSince = null;
      else if (failed) health.failingSince ??= clock;
      health.hasFailed ||= failed;
      require(health.hasFailed || webhook.failing_since === null, () => `the webhook ${id} is blamed for nothing`);
      const isEnabled = webhook.enabled === 1;
      if (isEnabled && !health.wasEnabled) health.failingSince = null;
      const failingFor = health.failingSince === null ? 0 : clock - health.failingSince;
      if (gone) require(!isEnabled, () => `the webhook ${id} is enabled after a 410`);
      if (!Number.isFinite(world.jumpedAt)) {
        const isLate = failed && !succeeded && isEnabled && failingFor > failingLimit + tolerance;
        require(!isLate, () => `the webhook ${id} is enabled after ${failingFor} ms of failures`);
        const isDisabledNow = health.wasEnabled && !isEnabled && webhook.disabled_reason === 'failing';
        const isEarly = isDisabledNow && failingFor < failingLimit - tolerance;
        require(!isEarly, () => `the webhook ${id} was disabled after ${failingFor} ms of failures`);
      }
      health.wasEnabled = isEnabled;
    }
  };
}
