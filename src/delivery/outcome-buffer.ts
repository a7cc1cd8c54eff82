/**
 * Outcomes that wait to be settled. After a failure fewer are settled at once, down to a single one, and those that failed
 * come last: so one that cannot be stored is alone in the end, and the rest goes on.
 */
import type { Outcome } from './settle.ts';

export interface OutcomeBuffer {
  add(outcome: Outcome): void;
  /** Takes the outcomes of the next settlement, which ends with `settled` or `returned`. */
  take(): readonly Outcome[];
  settled(): void;
  /**
   * Takes outcomes back that could not be settled.
   * @returns those that are given up: they failed alone before, and others have been settled since
   */
  returned(outcomes: readonly Outcome[]): readonly Outcome[];
  readonly size: number;
}

export function createOutcomeBuffer(): OutcomeBuffer {
  let waiting: Outcome[] = [];
  let atOnce = Number.POSITIVE_INFINITY;
  /** Outcomes that failed alone: since the last success, and before it. */
  let suspects: Outcome[] = [];
  const refused = new WeakSet<Outcome>();
  return {
    add(outcome) {
      waiting.push(outcome);
    },
    take() {
      const taken = waiting.slice(0, atOnce);
      waiting = waiting.slice(taken.length);
      return taken;
    },
    settled() {
      atOnce *= 2;
      for (const suspect of suspects) refused.add(suspect);
      suspects = [];
    },
    returned(outcomes) {
      if (outcomes.length > 0) atOnce = Math.ceil(outcomes.length / 2);
      if (outcomes.length === 1) {
        const givenUp = outcomes.filter((outcome) => refused.has(outcome));
        if (givenUp.length > 0) return givenUp;
        suspects.push(...outcomes);
      }
      waiting.push(...outcomes);
      return [];
    },
    get size() {
      return waiting.length;
    },
  };
}
