/** What the ends of attempts say of their destination. Pure functions. */
import { recovered } from '../capabilities/webhooks/destinations.ts';
import type { DisabledReason } from '../capabilities/webhooks/shapes.ts';
import { minute } from '../kernel/lib/time-units.ts';
import type { WebhookDestinationTable } from '../store/schema.ts';
import { maxAheadMs } from '../store/statement-time.ts';
import { failingLimit, type RetryDecision } from './retry-policy.ts';

/**
 * A webhook is failing from its third failed attempt in a row on, two minutes after the first at the earliest: a
 * delivery that fails alone does so with its fourth attempt.
 */
export const failingFrom = { attempts: 3, ms: 2 * minute } as const;

export type StoredRun = Pick<WebhookDestinationTable, 'failing_since' | 'failed_attempts' | 'failing'>;

interface Judgement {
  readonly changes: StoredRun & Partial<Pick<WebhookDestinationTable, 'paused_until'>>;
  /** Why the webhook is to be disabled, or null. */
  readonly disabled: Exclude<DisabledReason, 'caller'> | null;
}

/** A later time was written before the clock was set back. */
const isPast = (since: number | null, now: number): since is number =>
  since !== null && !(since > now + maxAheadMs['webhook_destinations.failing_since']);

/**
 * The last decision counts, or the one that says that the destination is gone.
 * @param decisions in the order of their attempts
 * @param now epoch milliseconds
 * @param believed `now` by a clock that has not jumped ahead: only its owner enables a webhook again
 */
export function judge(
  stored: StoredRun,
  decisions: readonly RetryDecision[],
  now: number,
  believed: number = now,
): Judgement {
  const isGone = decisions.some(({ gone }) => gone);
  if (!isGone && decisions.at(-1)?.outcome === 'succeeded') return { changes: recovered, disabled: null };
  const failed = decisions.slice(decisions.findLastIndex(({ outcome }) => outcome === 'succeeded') + 1);
  const before = failed.length === decisions.length && stored.failing_since !== null ? stored : recovered;
  const failing_since = isPast(before.failing_since, now) ? before.failing_since : now;
  const failed_attempts = before.failed_attempts + failed.length;
  const isFailing = failed_attempts >= failingFrom.attempts && now - failing_since >= failingFrom.ms;
  const pauseMs = decisions.at(-1)?.pauseMs ?? 0;
  return {
    changes: {
      failing_since,
      failed_attempts,
      failing: before.failing === 1 || isFailing ? 1 : 0,
      ...(pauseMs === 0 ? {} : { paused_until: now + pauseMs }),
    },
    disabled: isGone ? 'gone' : believed - failing_since >= failingLimit ? 'failing' : null,
  };
}
