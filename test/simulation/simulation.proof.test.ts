/** The delivery engine in a simulation: `npm run test:simulation` simulates more. */
import { describe, expect, it } from 'vitest';
import { mutantsOf } from '../mutants/mutants.ts';
import { simulateSeeds } from './seeds.ts';

/** Seeds of this suite, beside those that show a seeded bug or have failed; and how many are searched for each bug. */
const [first, seedsOfBug] = [100, 2_000];

/**
 * Seeds that have failed. Of the first, while a slow statement kept everybody else from the database, the invariants asked for too
 * much; of the next, who enabled a webhook that was enabled ended its five days of failures; of the last, an attempt that could not
 * be sent was stored as if it had begun when it ended: its process had been suspended in between; then
 * who disabled a webhook that others narrowed waited for the wrong hold.
 */
const failedBefore = [
  ...[4_452, 4_766, 8_519, 9_394, 11_325, 11_535, 12_467, 14_201, 14_254],
  ...[51_347, 63_385, 63_512, 70_599],
  92_782,
  1_722,
];

/** A seed that shows each seeded bug. When it no longer does, its test fails and names one that does, if there is one behind it. */
const foundBy: Readonly<Record<string, number>> = {
  'an outcome is stored whoever has the lease': 409,
  'a delivery that was held while it was sent is retried': 354,
  'a claim that is given back waits for its lease': 29,
  'a success does not end a time of failures': 33,
  'a 410 does not disable': 2,
  'the retry schedule is off by one': 4,
  'the jitter is too wide': 5,
  'Retry-After has no limit': 76,
  'Retry-After is ignored': 59,
  'a destination is disabled too late': 5,
  'a destination is disabled too early': 5,
  'a redelivery gets the rest of the schedule': 3,
  'redelivering all leaves out the newest': 81,
  'a claim ignores that a destination is paused': 13,
  'a claim takes what others have claimed': 4,
  'a lease is shorter than a request': 2,
  'what dead processes have claimed is not freed': 13,
  'dead processes are looked for too seldom': 96,
  'dead processes are looked for no more after a failure': 67,
  'what was held while a dead process sent it stays claimed': 2_062,
  'what dead processes have claimed is freed, and not due': 13,
  'outcomes that could not be stored are forgotten': 144,
  'a delivery that is claimed anew is sent anew': 101_203,
  'an outcome is stored under the claim that it was sent under': 1_572,
  'a lease begins when its claim is answered': 100,
  'a request may outlast its lease': 100,
  'a 410 is forgotten for what arrives with it': 339,
  'a destination is blamed for attempts that were not made': 51,
  'an attempt that cannot be sent begins when it ends': 51,
  'an attempt takes no time': 1,
  'a process that stops keeps its claims': 493,
  'an event misses the webhooks of its account': 12,
  'an event is delivered to webhooks that are disabled': 2,
  'deleting a webhook leaves its deliveries': 12,
  'disabling a webhook leaves its deliveries pending': 12,
  'retention deletes what is pending': 24,
  'retention deletes too early': 37,
};

const range = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

const simulated = async (seeds: readonly number[], bug: string | null = null, jobs = 1) => {
  const digests = new Map<number, string>();
  const { failures } = await simulateSeeds(
    { seeds, jobs, bug },
    { simulated: ({ seed, digest }) => digests.set(seed, digest) },
  );
  return { failures: failures.map(({ seed, violation }) => `seed ${seed}: ${violation}`), digests };
};

describe('the simulation of the delivery engine', () => {
  it('finds nothing wrong in the first seeds, in those that have failed before, and in those that show a bug', {
    timeout: 900_000,
  }, async () => {
    const seeds = [...new Set([...range(1, first), ...failedBefore, ...Object.values(foundBy)])];
    const { failures, digests } = await simulated(seeds, null, 2);
    expect(failures).toEqual([]);
    expect(digests.size).toBe(seeds.length);
  });

  it('is repeated exactly by its seed, whatever was simulated before', { timeout: 180_000 }, async () => {
    const [all, last] = [await simulated(range(1, 12)), await simulated(range(7, 6))];
    expect(new Set(all.digests.values()).size).toBe(12);
    for (const [seed, digest] of last.digests) expect(digest).toBe(all.digests.get(seed));
  });

  it.each([...mutantsOf('simulation').keys()])('finds that %s', { timeout: 900_000 }, async (bug) => {
    const seed = foundBy[bug];
    const { failures } = await simulated(range(seed ?? 1, seedsOfBug), bug);
    expect(failures).toEqual([expect.stringMatching(`^seed ${seed}:`)]);
  });

  it('has no seed of a bug that is gone', () => {
    const bugs = mutantsOf('simulation');
    expect(Object.keys(foundBy).filter((bug) => !bugs.has(bug))).toEqual([]);
  });
});
