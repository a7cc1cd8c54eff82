/** What goes wrong with the database: single statements in bad times, and outages, in which nothing is answered. */
import { DatabaseFault } from '../../src/store/faults.ts';
import type { Random } from '../support/random.ts';
import type { Fate } from './dialect.ts';
import type { Scheduler } from './scheduler.ts';

export interface DatabaseFaults {
  fateOf(sql: string): Fate;
  /** For so many milliseconds each statement has this chance of a fault. */
  trouble(ms: number, probability: number): void;
  /** For so many milliseconds statements take up to `slowMs`. */
  slowness(ms: number, slowMs: number): void;
  /** For so many milliseconds nothing is answered. */
  outage(ms: number): void;
  /** A statement has taken so many milliseconds: if they are many, the others could not use the database meanwhile. */
  took(ms: number): void;
  /** Something else made it unusable until then. */
  noticed(until: number): void;
  /** Ends all of it. */
  end(): void;
  /** When the last fault was, or will have been. What a slow statement does to the others ends with the statement. */
  readonly lastAt: number;
}

/** A statement takes less in good times. */
const usualMs = 5;

const fault = (reason: 'unavailable' | 'conflict') => new DatabaseFault(reason, new Error('simulated'));

export function createDatabaseFaults(scheduler: Scheduler, random: Random): DatabaseFaults {
  let [troubleUntil, slowUntil, outageUntil] = [0, 0, 0];
  let [probability, slowMs] = [0, 0];
  let lastAt = Number.NEGATIVE_INFINITY;
  // What else made it unusable does not end with its own faults.
  let noticedUntil = Number.NEGATIVE_INFINITY;

  const delay = () => {
    if (scheduler.now < slowUntil) return random.int(slowMs);
    return random.chance(0.1) ? random.int(usualMs) : 0;
  };
  return {
    fateOf(sql) {
      if (scheduler.now < outageUntil) {
        lastAt = outageUntil;
        return { refused: fault('unavailable'), before: random.int(500), after: 0 };
      }
      const [before, after] = [delay(), scheduler.now < slowUntil ? delay() : 0];
      if (scheduler.now >= troubleUntil || !random.chance(probability)) return { before, after };
      lastAt = Math.max(lastAt, scheduler.now);
      // What was executed and not answered is undone with its transaction, but for the commit itself.
      if (sql === 'commit' && random.chance(0.5)) return { unanswered: fault('unavailable'), before, after };
      return { refused: fault(random.chance(0.3) ? 'conflict' : 'unavailable'), before, after };
    },
    trouble(ms, chance) {
      troubleUntil = scheduler.now + ms;
      probability = chance;
    },
    slowness(ms, most) {
      slowUntil = scheduler.now + ms;
      slowMs = most;
    },
    outage(ms) {
      outageUntil = scheduler.now + ms;
      lastAt = outageUntil;
    },
    took(ms) {
      if (ms > usualMs) noticedUntil = Math.max(noticedUntil, scheduler.now);
    },
    noticed(until) {
      noticedUntil = Math.max(noticedUntil, until);
    },
    end() {
      [troubleUntil, slowUntil, outageUntil] = [0, 0, 0];
      lastAt = Math.min(lastAt, scheduler.now);
    },
    get lastAt() {
      return Math.max(lastAt, noticedUntil);
    },
  };
}
