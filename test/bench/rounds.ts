/** Measurements of several targets in turn, so that whatever else the machine does meets all of them alike. */
import { type Bench, type Figures, measure } from './measure.ts';
import type { Query } from './operations.ts';
import type { Running } from './targets.ts';

interface Rounds<QueryName extends string, Target> {
  readonly queries: Readonly<Record<QueryName, Query>>;
  readonly running: ReadonlyMap<Target, Running>;
  readonly connections: number;
  readonly rounds: number;
  readonly roundMs: number;
}

/** V8 goes on compiling what runs often for some 20,000 requests: until then it is the compiler that is measured. */
const warmUpMs = Number(process.env.WARM_UP_MS ?? 10_000);

/** @param measured what is measured of which targets. @returns the figures of each round */
export async function measureRounds<QueryName extends string, Target>(
  bench: Bench,
  measured: ReadonlyMap<QueryName, readonly Target[]>,
  { queries, running, connections, rounds, roundMs }: Rounds<QueryName, Target>,
): Promise<ReadonlyMap<QueryName, ReadonlyMap<Target, readonly Figures[]>>> {
  const results = new Map(
    [...measured].map(([name, of]) => [name, new Map(of.map((target): [Target, Figures[]] => [target, []]))]),
  );
  if (results.size === 0) return results;
  // Round 0 is the warm-up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, of] of results) {
      for (const [target, done] of of) {
        const ms = round === 0 ? warmUpMs : roundMs;
        const figures = await measure(bench, running.get(target) as Running, queries[name], { connections, ms });
        if (round > 0) done.push(figures);
      }
    }
    process.stderr.write(round === 0 ? 'warm' : ` ${round}/${rounds}`);
  }
  process.stderr.write('\n');
  return results;
}
