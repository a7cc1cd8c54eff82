/** Many simulations, in as many processes as there are cores. */
import { fork } from 'node:child_process';
import type { Order, Report } from './child.ts';

export interface Seeds {
  readonly seeds: readonly number[];
  /** Processes. */
  readonly jobs: number;
  /** The name of a seeded bug; null for the engine as it is. */
  readonly bug: string | null;
  readonly trace?: boolean;
}

export type Failure = Report & { readonly violation: string };

export interface Tally {
  simulated: number;
  readonly failures: Failure[];
  /** How many simulations there were of each kind. */
  readonly scenarios: Record<string, number>;
}

export interface Listener {
  trace?(line: string): void;
  simulated?(report: Report, tally: Tally): void;
  failed?(failure: Failure): void;
}

/** So many failures are enough. */
const enough = 10;

/** Simulates seeds until all are done, or enough of them have failed: one of them, with a seeded bug. */
export async function simulateSeeds(
  { seeds, jobs, bug, trace = false }: Seeds,
  listener: Listener = {},
): Promise<Tally> {
  const tally: Tally = { simulated: 0, failures: [], scenarios: {} };
  const most = bug === null ? enough : 1;
  const processes = Math.min(jobs, seeds.length);
  const children = Array.from({ length: processes }, (_, place) => {
    const child = fork(new URL('./child.ts', import.meta.url));
    child.send({ seeds: seeds.filter((_seed, at) => at % processes === place), bug, trace } satisfies Order);
    return child;
  });
  const ends = children.map(
    (child) =>
      new Promise<void>((resolve, reject) => {
        child.on('message', (report: Report | string) => {
          if (typeof report === 'string') return listener.trace?.(report);
          if (tally.failures.length >= most) return;
          const { scenario, violation } = report;
          tally.simulated += 1;
          tally.scenarios[scenario] = (tally.scenarios[scenario] ?? 0) + 1;
          listener.simulated?.(report, tally);
          if (violation === null) return;
          const failure = { ...report, violation };
          tally.failures.push(failure);
          listener.failed?.(failure);
          if (tally.failures.length === most) for (const each of children) each.kill();
        });
        child.on('exit', (code, signal) => {
          if (code === 0 || signal === 'SIGTERM') resolve();
          else reject(new Error('a process of the simulation failed'));
        });
      }),
  );
  await Promise.all(ends);
  return tally;
}
