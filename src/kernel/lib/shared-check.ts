import { within } from './abort-signal.ts';
import type { Clock } from './time-units.ts';

const keptMs = 1_000;

/** Above those of connections and locks, whose errors say more. */
const deadlineMs = 8_000;

/** One check at a time, for anybody; its result or failure is kept for a second. One that hangs fails until it has ended. */
export function sharedCheck(check: () => Promise<void>, clock: Clock = () => performance.now()): () => Promise<void> {
  let last: Promise<void> | null = null;
  let keptUntil = 0;
  return () => {
    if (last !== null && clock() < keptUntil) return last;
    const current = check();
    last = within(deadlineMs, current, 'The check took too long');
    keptUntil = Number.POSITIVE_INFINITY;
    const settled = () => {
      keptUntil = clock() + keptMs;
    };
    current.then(settled, settled);
    return last;
  };
}
