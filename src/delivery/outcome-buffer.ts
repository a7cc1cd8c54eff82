/** After a failure fewer are settled at once, failed ones last: one that cannot be stored ends up alone. */
import type { AttemptOutcome } from './settle.ts';

interface OutcomeBuffer {
  add(outcome: AttemptOutcome): void;
  /** Ends with `settled` or `returned`. */
  take(): readonly AttemptOutcome[];
  settled(): void;
  /** @returns outcomes to give up: they failed alone, before and after others were settled */
  returned(outcomes: readonly AttemptOutcome[]): readonly AttemptOutcome[];
  readonly size: number;
}

export function createOutcomeBuffer(): OutcomeBuffer {
  let waiting: AttemptOutcome[] = [];
  let maxTaken = Number.POSITIVE_INFINITY;
  /** Outcomes that failed alone: since the last success, and before it. */
  let suspects = new Set<AttemptOutcome>();
  const refused = new WeakSet<AttemptOutcome>();
  return {
    add(outcome) {
      waiting.push(outcome);
    },
    take() {
      const taken = waiting.slice(0, maxTaken);
      waiting = waiting.slice(taken.length);
      return taken;
    },
    settled() {
      maxTaken *= 2;
      for (const suspect of suspects) refused.add(suspect);
      suspects = new Set();
    },
    returned(outcomes) {
      if (outcomes.length > 0) maxTaken = Math.ceil(outcomes.length / 2);
      if (outcomes.length === 1) {
        const givenUp = outcomes.filter((outcome) => refused.has(outcome));
        if (givenUp.length > 0) return givenUp;
        for (const outcome of outcomes) suspects.add(outcome);
      }
      waiting.push(...outcomes);
      return [];
    },
    get size() {
      return waiting.length;
    },
  };
}
